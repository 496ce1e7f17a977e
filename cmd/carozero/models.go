package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/models"
)

// newModels returns the command "models".
func newModels() *cobra.Command {
	return group("models", "List and verify networks", newModelsList(), newModelsVerify())
}

func newModelsList() *cobra.Command {
	var (
		net    netFlags
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:   "list [NAME|PATH...]",
		Short: "List the shipped networks, or show what is known of some",
		Long: `List the shipped networks, or show what is known of those that are named: manifest,
properties, checksum.`,
		Example: "  carozero models list\n  carozero models list net.onnx",
		Args:    anyArgs("a shipped network's name or a path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				list, err := models.List()
				if err != nil {
					return err
				}
				return output.print(cmd, report.Shipped(list))
			}
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
verified, with --game those for that game. Without --game a shipped network is
verified in the game that it is for. The exit status is 3 if one of them fails.`,
		Example: "  carozero models verify\n  carozero models verify net.onnx --size 19",
		Args:    anyArgs("a shipped network's name or a path"),
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
					if !cmd.Flags().Changed("game") || slices.Contains(v.Of().RuleSets, m.Rules[0]) {
						args = append(args, m.Name)
					}
				}
			}
			variantOf := func(string) (games.Variant, error) { return v, nil }
			if !cmd.Flags().Changed("game") {
				variantOf = func(name string) (games.Variant, error) { return ownVariant(name, v) }
			}
			checks, bad, err := verifyModels(cmd.Context(), loader, variantOf, args)
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

// ownVariant returns v, or the usual variant of another game if the name is that of a
// shipped network for that game.
func ownVariant(name string, v games.Variant) (games.Variant, error) {
	entry, err := models.Find(name)
	if err != nil || slices.Contains(v.Of().RuleSets, entry.Rules[0]) {
		return v, nil // a file, which speaks for itself, or a network of this game
	}
	return games.VariantOf(entry.Rules[0], 0)
}

// verifyModels checks networks by their names, each in its variant, and counts the bad
// ones. A check that was cut short says nothing of its network, and is an error.
func verifyModels(
	ctx context.Context, loader *networks.Loader, variantOf func(name string) (games.Variant, error), names []string,
) (checks report.ModelChecks, bad int, err error) {
	for i, name := range names {
		check := report.ModelCheck{Model: name, OK: true}
		v, err := variantOf(name)
		if err != nil {
			return nil, 0, err
		}
		err = loader.Verify(ctx, v, name)
		if ended := ctx.Err(); ended != nil {
			return nil, 0, interrupted(ended,
				"%d of %d networks were looked at, %d of them bad; nothing is said of the others", i, len(names), bad)
		}
		if err != nil {
			check.OK, check.Error = false, err.Error()
			bad++
		}
		checks = append(checks, check)
	}
	return checks, bad, nil
}
