package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/tactics"
	"github.com/carozero/carozero/internal/support/option"
)

// newTacticsCompose returns the command "tactics compose".
func newTacticsCompose() *cobra.Command {
	var (
		composer   tactics.Composer
		variant    games.VariantOptions
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
			v, err := games.NewVariant(variant)
			if err != nil {
				return usagef("--rule: %w", err)
			}
			if composer.Kind, err = games.Kind(kind); err != nil {
				return usagef("--kind: %w", err)
			}
			composer.Rules, _ = v.Gomoku()
			composer.Size = v.Size
			if err := composer.Check(); err != nil {
				return usagef("--stones, --margin: %w", err)
			}
			found, err := composer.Compose(cmd.Context(), beginnings)
			for _, p := range found {
				fmt.Fprintln(cmd.OutOrStdout(), p)
			}
			return interrupted(err, "%d of %d boards gave the problems that were printed; nothing else is kept", len(found), beginnings)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&variant.Rule, "rule", "caro", "rule set")
	addNum(cmd, &variant.Size, option.BoardSize)
	fs.StringVar(&kind, "kind", "vcf", "what the win is made of: vcf or vct")
	addNum(cmd, &composer.Stones, option.OpeningPlies.Named("stones").With(60, "stones on a board").Above(1))
	addNum(cmd, &composer.Margin, option.BoardSize.Named("margin").With(0, "rows and columns at every edge without stones").Above(0))
	addNum(cmd, &composer.Steps, option.Count.Named("steps").With(1000, "boards to try for a problem"))
	addNum(cmd, &composer.Nodes, option.Nodes.With(100_000, "most moves that the solver plays on a board"))
	addNum(cmd, &composer.MinPlies, option.OpeningPlies.Named("min-plies").With(31, "shortest win that is worth keeping").Above(1))
	addNum(cmd, &composer.Seed, option.RandomSeed)
	addNum(cmd, &beginnings, option.Count.Named("boards").With(1, "problems to try for"))
	complete(cmd, "kind", games.Kinds()...)
	return cmd
}
