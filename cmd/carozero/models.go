package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/models"
)

// newModels returns the command "models".
func newModels() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List, show and verify networks",
		Args:  cobra.ArbitraryArgs,
		RunE:  groupRun,
	}
	cmd.AddCommand(newModelsList(), newModelsShow(), newModelsVerify())
	return cmd
}

func newModelsList() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the shipped networks",
		Example: "  carozero models list",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := models.List()
			if err != nil {
				return err
			}
			return output.print(cmd.OutOrStdout(), list, func(w io.Writer) {
				t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
				fmt.Fprintln(t, "name\tarchitecture\tplanes\tsizes\trules")
				for _, m := range list {
					fmt.Fprintf(t, "%s\t%s\t%s\t%d-%d\t%s\n", m.Name, m.Architecture, m.Planes, m.Sizes[0], m.Sizes[1], strings.Join(m.Rules, " "))
				}
				t.Flush()
			})
		},
	}
	output.register(cmd)
	return cmd
}

func newModelsShow() *cobra.Command {
	var (
		net    netFlags
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:     "show NAME|PATH...",
		Short:   "Show what is known of networks: manifest, properties, checksum",
		Example: "  carozero models show net.onnx",
		Args:    someArgs("a shipped network's name or a path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			loader, err := net.loader()
			if err != nil {
				return err
			}
			var list []*engine.ModelInfo
			for _, name := range args {
				info, err := loader.Describe(name)
				if err != nil {
					return err
				}
				list = append(list, info)
			}
			return output.print(cmd.OutOrStdout(), list, func(w io.Writer) {
				for _, info := range list {
					printModel(w, info)
				}
			})
		},
	}
	net.registerRuntime(cmd)
	output.register(cmd)
	return cmd
}

func printModel(w io.Writer, m *engine.ModelInfo) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range [][2]string{
		{"name", m.Name}, {"sha256", m.SHA256}, {"planes", m.Planes}, {"rules", strings.Join(m.Rules, " ")},
		{"sizes", m.Sizes}, {"run", m.Run}, {"architecture", m.Architecture}, {"provenance", m.Provenance},
		{"strength", m.Strength}, {"created", m.Created},
	} {
		if row[1] != "" {
			fmt.Fprintf(t, "%s\t%s\n", row[0], single(row[1]))
		}
	}
	t.Flush()
}

func newModelsVerify() *cobra.Command {
	var (
		variant variantFlags
		net     netFlags
		output  outputFlags
	)
	cmd := &cobra.Command{
		Use:   "verify [NAME|PATH...]",
		Short: "Load networks, check their checksums, inputs and outputs, and evaluate positions",
		Long: `Load networks, check their checksums, inputs, outputs and properties, and
evaluate positions with them. Without arguments all shipped networks are
verified. The exit status is 3 if one of them fails.`,
		Example: "  carozero models verify\n  carozero models verify net.onnx --size 19",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := variant.variant()
			if err != nil {
				return err
			}
			loader, err := net.loader()
			if err != nil {
				return err
			}
			if _, err := loader.Runtime(); err != nil {
				return err
			}
			if len(args) == 0 {
				list, err := models.List()
				if err != nil {
					return err
				}
				for _, m := range list {
					args = append(args, m.Name)
				}
			}
			checks, bad, err := verifyModels(cmd.Context(), loader, v, args)
			if err != nil {
				return err
			}
			err = output.print(cmd.OutOrStdout(), checks, func(w io.Writer) { printChecks(w, checks) })
			if bad > 0 {
				err = errors.Join(err, fmt.Errorf("models verify: %d of %d failed%w", bad, len(checks), errFound))
			}
			return err
		},
	}
	variant.register(cmd)
	net.registerRuntime(cmd)
	output.register(cmd)
	return cmd
}

// verifyModels checks networks by their names and counts the bad ones. A check
// that was cut short says nothing of its network, and is an error.
func verifyModels(ctx context.Context, loader *engine.Loader, v engine.Variant, names []string) (checks []modelCheck, bad int, err error) {
	for i, name := range names {
		check := modelCheck{Model: name, OK: true}
		err := loader.Verify(ctx, v, name)
		if ended := ctx.Err(); ended != nil {
			return nil, 0, interrupted(ended, "%d of %d networks were looked at, %d of them bad; nothing is said of the others", i, len(names), bad)
		}
		if err != nil {
			check.OK, check.Error = false, err.Error()
			bad++
		}
		checks = append(checks, check)
	}
	return checks, bad, nil
}

func printChecks(w io.Writer, checks []modelCheck) {
	for _, c := range checks {
		if c.OK {
			fmt.Fprintf(w, "%s: ok\n", single(c.Model))
		} else {
			fmt.Fprintf(w, "%s: %s\n", single(c.Model), single(c.Error))
		}
	}
}

type modelCheck struct {
	Model string `json:"model"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}
