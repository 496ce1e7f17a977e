package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/gomoku/fit"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/record/gamefiles"
	"github.com/carozero/carozero/internal/support/option"
)

// fitFlags are the settings of a fit.
type fitFlags struct {
	fittedFile
	rule          string
	spread, trust float64
}

// newFit returns the command "fit".
func newFit() *cobra.Command {
	var flags fitFlags
	cmd := &cobra.Command{
		Use:   "fit --input PATH [PATH...] --rule RULE --out FILE",
		Short: "Fit the weights of the classical evaluation to the results of games",
		Long: `Fit the weights of the classical evaluation to the results of games by logistic
regression, and write them as the Go file that the program is built with. Inputs
are SGF, psq and lib files, folders of them, and runs or shards of self-play, of boards
of any size; a tenth of the games is held out to judge the weights by. The same
inputs and options give the same bytes.`,
		Example: `  carozero fit play --rule standard --games 5000 --nodes 2000 --out games/standard
  carozero fit --input games/standard --rule standard --out alphabeta/gomoku/weights_standard.go
  carozero fit --input games/caro runs/caro --rule caro --out alphabeta/gomoku/weights_caro.go --note "own games and a net's"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args, runFit) },
	}
	flags.register(cmd, "how far weights may stray from those set by hand; see package alphabeta/gomoku/fit")
	addFloat(cmd, &flags.trust, option.Share.Named("trust").With(0, "share of the scores of searches, where games have them, in what is fitted to; results have the rest"))
	cmd.AddCommand(newFitPlay(), newFitOrder(), newFitScale())
	return cmd
}

// run fits to the games of all inputs.
func (f *fitFlags) run(cmd *cobra.Command, args []string, fit func(context.Context, games.Variant, *fitFlags) (report.Report, error)) error {
	return f.fittedFile.run(cmd, args, "the games to fit to, as in games/caro", "weights.go", func(ctx context.Context) (report.Report, error) {
		v, err := games.NewVariant(games.VariantOptions{Rule: f.rule})
		if err != nil {
			return nil, usagef("--rule: %w", err)
		}
		return fit(ctx, v, f)
	})
}

// register adds the flags of fits to games to cmd.
func (f *fitFlags) register(cmd *cobra.Command, spread string) {
	f.fittedFile.register(cmd, "games: an SGF, psq or lib file, a folder of them, a run of self-play, or a shard (required; more may follow)")
	cmd.Flags().StringVar(&f.rule, "rule", games.DefaultRule, "rule set of the games: "+strings.Join(games.RuleNames(), ", "))
	addFloat(cmd, &f.spread, option.Straying.With(1, spread))
	complete(cmd, "rule", games.RuleNames()...)
}

// runFit reads the games, fits and writes the weights.
func runFit(ctx context.Context, v games.Variant, f *fitFlags) (report.Report, error) {
	r := &report.Fit{Rule: v.Rule(), Out: f.out}
	rules, _ := v.Gomoku()
	c := fit.NewCollector(rules, f.trust)
	if err := f.read(ctx, v, func(g *gamefiles.Game) error {
		err := c.Add(ctx, fitGame(g))
		if errors.Is(err, fit.ErrNoResult) {
			r.Skipped++
			return nil
		}
		return err
	}); err != nil {
		return nil, err
	}
	data := c.Collected()
	r.Games, r.Positions, r.Held = data.Games, data.Fit.Len(), data.Held.Len()
	var err error
	if r.Result, err = fit.Fit(ctx, rules, data, f.spread); err != nil {
		return nil, fmt.Errorf("--input: %w", err)
	}
	return r, f.write(fit.Source(rules, r.Weights, f.notes(
		fmt.Sprintf("%s: %d games, %d quiet positions and %d held out; spread %g.", r.Rule, r.Games, r.Positions, r.Held, f.spread),
		fmt.Sprintf("Loss %.4f, held out %.4f; set by hand %.4f and %.4f.", r.Loss[0], r.Loss[1], r.HandLoss[0], r.HandLoss[1]))))
}

// read calls take for the games of all inputs, which must be of the rule.
func (f *fitFlags) read(ctx context.Context, v games.Variant, take func(*gamefiles.Game) error) error {
	bar := newProgress(-1, "games")
	defer bar.Close()
	for _, path := range f.inputs {
		if err := readGames(ctx, path, v, func(g *gamefiles.Game) error {
			bar.step()
			if rule := g.Variant.Rule(); rule != v.Rule() {
				return fmt.Errorf("a game of %s, where --rule is %s", rule, v.Rule())
			}
			return take(g)
		}); err != nil {
			return fmt.Errorf("--input: %w", err)
		}
	}
	return nil
}

// fitGame returns a recorded game of gomoku as package fit takes it.
func fitGame(g *gamefiles.Game) fit.Game {
	rules, _ := g.Variant.Gomoku()
	return fit.Game{
		Rules: rules, Size: g.Variant.Size,
		Moves: g.Moves, Opening: g.Opening, Scores: g.Values, Outcome: g.Outcome, Reason: g.Reason,
	}
}

// readGames calls take for the games at a path. Boards may be of any size, but
// of one size in a path.
func readGames(ctx context.Context, path string, v games.Variant, take func(*gamefiles.Game) error) error {
	r, err := gamefiles.Open([]string{path}, gamefiles.Options{Variant: v})
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := take(&g); err != nil {
			return fmt.Errorf("%s: %w", g.Source, err)
		}
	}
}
