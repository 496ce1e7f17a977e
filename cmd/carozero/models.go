package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/models"
)

// newModels returns the command "models".
func newModels() *cobra.Command {
	return group("models", "List, show and verify networks",
		newModelsList(), newModelsShow(), newModelsVerify())
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
			shipped := report.Shipped(list)
			return output.print(cmd, shipped)
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
			loader := net.loader()
			var list report.Models
			for _, name := range args {
				info, err := loader.Describe(name)
				if err != nil {
					return err
				}
				list = append(list, info)
			}
			return output.print(cmd, list)
		},
	}
	net.registerRuntime(cmd)
	output.register(cmd)
	return cmd
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
			loader := net.loader()
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
			return found(output.print(cmd, checks), bad > 0, "models verify: %d of %d failed", bad, len(checks))
		},
	}
	variant.register(cmd)
	net.registerRuntime(cmd)
	output.register(cmd)
	return cmd
}

// verifyModels checks networks by their names and counts the bad ones. A check
// that was cut short says nothing of its network, and is an error.
func verifyModels(ctx context.Context, loader *networks.Loader, v games.Variant, names []string) (checks report.ModelChecks, bad int, err error) {
	for i, name := range names {
		check := report.ModelCheck{Model: name, OK: true}
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
