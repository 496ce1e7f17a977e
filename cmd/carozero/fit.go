package main

import (
	"bytes"
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
	"github.com/carozero/carozero/internal/support/outfile"
)

// fitFlags are the settings of a fit.
type fitFlags struct {
	inputs    []string
	rule, out string
	note      string
	spread    float64
	trust     float64
}

// newFit returns the command "fit".
func newFit() *cobra.Command {
	var (
		flags  fitFlags
		output outputFlags
	)
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
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args, runFit, &output) },
	}
	flags.register(cmd, "how far weights may stray from those set by hand; see package alphabeta/gomoku/fit")
	addFloat(cmd, &flags.trust, option.Share.Named("trust").With(0, "share of the scores of searches, where games have them, in what is fitted to; results have the rest"))
	output.register(cmd)
	cmd.AddCommand(newFitPlay(), newFitOrder(), newFitScale())
	return cmd
}

// run is what every fit has in common: it checks the flags, fits to the games of
// all inputs, among them args, and prints the report.
func (f *fitFlags) run(cmd *cobra.Command, args []string, fit func(context.Context, games.Variant, *fitFlags) (report.Report, error), output *outputFlags) error {
	f.inputs = append(f.inputs, args...)
	v, err := f.check()
	if err != nil {
		return err
	}
	r, err := fit(cmd.Context(), v, f)
	if err != nil {
		return interrupted(err, "nothing was fitted and %s was not written", f.out)
	}
	return output.print(cmd.OutOrStdout(), r, r.Text)
}

// write writes the source that a fit has made, unless making it failed.
func (f *fitFlags) write(source []byte, err error) error {
	if err != nil {
		return fmt.Errorf("writing what was fitted: %w", err)
	}
	err = checkFitted(f.out)
	if err == nil {
		err = outfile.WriteBytes(f.out, source)
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// register adds the flags of every fit to cmd.
func (f *fitFlags) register(cmd *cobra.Command, spread string) {
	fs := cmd.Flags()
	fs.StringArrayVar(&f.inputs, "input", nil, "games: an SGF, psq or lib file, a folder of them, a run of self-play, or a shard (required; more may follow)")
	fs.StringVar(&f.rule, "rule", games.DefaultRule, "rule set of the games: "+strings.Join(games.RuleNames(), ", "))
	fs.StringVar(&f.out, "out", "", "Go file that is written (required)")
	fs.StringVar(&f.note, "note", "", "where the games come from, in words, for the head of the file")
	addFloat(cmd, &f.spread, option.Straying.With(1, spread))
	complete(cmd, "rule", games.RuleNames()...)
}

// check returns the variant of the rule at the default size.
func (f *fitFlags) check() (games.Variant, error) {
	switch {
	case len(f.inputs) == 0:
		return games.Variant{}, usagef("--input: give the games to fit to, as in games/caro")
	case f.out == "":
		return games.Variant{}, usagef("--out: give the Go file to write, as in weights.go")
	}
	if err := checkFitted(f.out); err != nil {
		return games.Variant{}, fmt.Errorf("--out: %w", err)
	}
	v, err := games.NewVariant(games.VariantOptions{Rule: f.rule})
	if err != nil {
		return v, usagef("--rule: %w", err)
	}
	return v, nil
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
	return r, f.write(fit.Source(rules, r.Weights, f.notes(r)))
}

// read calls take for the games of all inputs, which must be of the rule.
func (f *fitFlags) read(ctx context.Context, v games.Variant, take func(*gamefiles.Game) error) error {
	bar := newProgress(-1, "games")
	defer bar.Close()
	for _, path := range f.inputs {
		if err := readGames(ctx, path, v, func(g *gamefiles.Game) error {
			_ = bar.Add(1)
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

// notes are the head of the generated file.
func (f *fitFlags) notes(r *report.Fit) []string {
	notes := []string{
		fmt.Sprintf("%s: %d games, %d quiet positions and %d held out; spread %g.", r.Rule, r.Games, r.Positions, r.Held, f.spread),
		fmt.Sprintf("Loss %.4f, held out %.4f; set by hand %.4f and %.4f.", r.Loss[0], r.Loss[1], r.HandLoss[0], r.HandLoss[1]),
	}
	if f.note != "" {
		notes = append(notes, "Games: "+f.note)
	}
	return notes
}

// fitMark begins every file that a fit writes.
const fitMark = "// Code generated by carozero fit;"

// checkFitted returns an error if there is a file at path that no fit has
// written.
func checkFitted(path string) error {
	return outfile.Check(path, "no file that a fit wrote", func(head []byte) bool {
		return bytes.HasPrefix(head, []byte(fitMark))
	})
}
