package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/tactics"
	"github.com/carozero/carozero/internal/support/option"
)

// boardFlags are the flags of a command that runs over random dense boards.
type boardFlags struct {
	rule  string
	size  int
	count int
	seed  uint64
}

func (f *boardFlags) register(cmd *cobra.Command, count int64) {
	cmd.Flags().StringVar(&f.rule, "rule", "", "rule set: "+strings.Join(games.RuleNames(), ", ")+" (default: each)")
	addInt(cmd, &f.size, option.BoardSize.With(0, "side length of the boards").Or0("15, under school42 19"))
	addInt(cmd, &f.count, option.Games.Named("boards").With(count, "boards of each rule set"))
	addSeed(cmd, &f.seed, option.RandomSeed)
	complete(cmd, "rule", games.RuleNames()...)
}

// rules returns the names of the rule sets to run over.
func (f *boardFlags) rules() []string {
	if f.rule != "" {
		return []string{f.rule}
	}
	return games.RuleNames()
}

// variant returns a rule set on boards of the size.
func (f *boardFlags) variant(rule string) (games.Variant, error) {
	size := f.size
	if size == 0 {
		size = tactics.BoardSize(rule)
	}
	v, err := games.NewVariant(games.VariantOptions{Rule: rule, Size: size})
	if err != nil {
		return v, usagef("--rule, --size: %w", err)
	}
	return v, nil
}

// dense returns the boards of a variant.
func (f *boardFlags) dense(v games.Variant) *tactics.Dense {
	rules, _ := v.Gomoku()
	return &tactics.Dense{Rules: rules, Size: v.Size, Seed: f.seed}
}
