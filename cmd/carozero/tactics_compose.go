package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/tactics"
)

// newTacticsCompose returns the command "tactics compose".
func newTacticsCompose() *cobra.Command {
	var (
		composer   tactics.Composer
		variant    engine.VariantOptions
		kind       string
		beginnings int
	)
	cmd := &cobra.Command{
		Use:   "compose",
		Short: "Compose problems with long wins and print them",
		Long: `Compose problems with long wins: stones are laid at random and moved one after
the other as long as the win becomes no shorter. Every win is played against
every legal defence before it is believed. Problems are printed a line each, in
the form that --suite reads.`,
		Example: "  carozero tactics compose --rule renju --kind vcf --stones 64 --min-plies 61 > problems.txt",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if composer.Nodes < 1 || composer.MinPlies < 1 || composer.Steps < 1 || beginnings < 1 {
				return usagef("--nodes, --min-plies, --steps, --boards: want positive numbers")
			}
			v, err := engine.NewVariant(variant)
			if err != nil {
				return err
			}
			if composer.Kind, err = engine.Kind(kind); err != nil {
				return usagef("--kind: %w", err)
			}
			composer.Rules, composer.Size = v.Rules(), v.Size
			if err := composer.Check(); err != nil {
				return usagef("--stones, --margin: %w", err)
			}
			found, err := composer.Compose(cmd.Context(), beginnings)
			for _, p := range found {
				fmt.Fprintln(cmd.OutOrStdout(), p)
			}
			return err
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&variant.Rule, "rule", "caro", "rule set")
	fs.IntVar(&variant.Size, "size", 15, "side length of the board")
	fs.StringVar(&kind, "kind", "vcf", "what the win is made of: vcf or vct")
	fs.IntVar(&composer.Stones, "stones", 60, "stones on a board")
	fs.IntVar(&composer.Margin, "margin", 0, "rows and columns at every edge without stones")
	fs.IntVar(&composer.Steps, "steps", 1000, "boards to try for a problem")
	fs.IntVar(&composer.Nodes, "nodes", 100_000, "most moves that the solver plays on a board")
	fs.IntVar(&composer.MinPlies, "min-plies", 31, "shortest win that is worth keeping")
	fs.Uint64Var(&composer.Seed, "seed", 1, "seed of the random stones")
	fs.IntVar(&beginnings, "boards", 1, "problems to try for")
	complete(cmd, "kind", engine.Kinds()...)
	return cmd
}
