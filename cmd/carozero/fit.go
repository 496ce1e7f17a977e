package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta/fit"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
)

// fitCommand holds the flags of the command "fit".
type fitCommand struct {
	inputs        []string
	out, userNote string
	game, rule    string
	spread, trust float64
	method        string
	learn         fit.TDLeaf // of methodTDLeaf
	note          func(text string)
}

// The names of the methods.
const (
	methodResults = "results"
	methodTDLeaf  = "td-leaf"
)

// newFit returns the command "fit".
func newFit() *cobra.Command {
	var f fitCommand
	return define(&cobra.Command{
		Use:   "fit --input PATH [PATH...] --rule RULE --out FILE",
		Short: "Fit the weights of the classical evaluation to the results of games",
		Long: `Fit the weights of the classical evaluation to the results of games by logistic
regression, and write them as the Go file that the program is built with. With
--method td-leaf learn them by TD-Leaf(λ) (Baxter, Tridgell and Weaver 2000): a short
search of every position gives it the value of its leaf, and the weights move so that
values come nearer to those of the positions after them, and at last to the result.
Inputs are SGF, psq and lib files, folders of them, and runs or shards of self-play, of
boards of any size; a tenth of the games is held out to judge the weights by. The same
inputs and options give the same bytes, whatever the number of workers. Runs of
selfplay --player alphabeta have the scores that --trust asks for. For Onitama (--game
onitama) inputs are such runs, of any cards.`,
		Example: `  carozero selfplay --rule standard --player alphabeta:nodes=2000 --opening-max 12 --out runs/own
  carozero fit --input runs/own --rule standard --out alphabeta/gomoku/weights_standard.go
  carozero fit --game onitama --input runs/base runs/all --out alphabeta/onitama/weights_fitted.go`,
		Args: cobra.ArbitraryArgs,
	}, f.run, f.register)
}

func (f *fitCommand) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVar(&f.inputs, "input", nil,
		"games: an SGF, psq or lib file, a folder of them, a run of self-play, or a shard (required; more may follow)")
	fs.StringVar(&f.out, "out", "", "Go file that is written (required)")
	before(cmd, func() error {
		if f.inputs = append(f.inputs, fs.Args()...); len(f.inputs) == 0 {
			return usagef("--input is missing: want the games to fit to, as in runs/caro")
		}
		return nil
	})
	needs(cmd, "out", "the Go file to write, as in weights.go")
	fs.StringVar(&f.userNote, "note", "", "where the games come from, in words, for the head of the file")
	fs.StringVar(&f.rule, "rule", games.DefaultRule,
		"rule set of the games: "+strings.Join(games.RuleNames(), ", "))
	addNum(cmd, &f.spread, option.Straying.With(1,
		"how far what is fitted may stray from what is set by hand; see package alphabeta/fit"))
	complete(cmd, "rule", games.RuleNames()...)
	addWord(cmd, &f.game, "game", games.GameNames()[0], "game: "+strings.Join(games.GameNames(), " or "),
		games.GameNames()...)
	addNum(cmd, &f.trust, option.Share.Named("trust").With(0,
		"share of the scores of searches, where games have them, in what is fitted to; results have the rest"))
	addWord(
		cmd, &f.method, "method", methodResults,
		"what the weights follow: the results of games (results), or the values of later positions (td-leaf)",
		methodResults, methodTDLeaf,
	)
	const with = "with --method td-leaf: "
	addNum(cmd, &f.learn.Lambda, option.Share.Named("lambda").With(fit.DefaultLambda,
		with+"what a difference of values one ply later counts"))
	addNum(cmd, &f.learn.Depth, option.Depth.With(fit.DefaultDepth, with+"plies of the search of a position"))
	addNum(cmd, &f.learn.Rate, option.LearningRate.With(fit.DefaultRate,
		with+"rate of learning at first; it falls to 0 in equal steps"))
	addNum(cmd, &f.learn.Passes, option.Rounds.Named("passes").With(fit.DefaultPasses,
		with+"how often all games are learned from"))
	addNum(cmd, &f.learn.Seed, option.RandomSeed.With(1, with+"seed of the order of the games"))
	addNum(cmd, &f.learn.Workers, option.Workers.With(int64(runtime.NumCPU()), with+"games at once; changes no weight"))
	goesWith(cmd, "--method td-leaf", func() bool { return f.method == methodTDLeaf },
		"lambda", "depth", "rate", "passes", "seed", "workers")
	goesWith(cmd, "--method results", func() bool { return f.method == methodResults }, "spread", "trust")
}

// run fits weights.
func (f *fitCommand) run(cmd *cobra.Command, _ []string) (report.Report, error) {
	if f.game == games.Onitama {
		if cmd.Flags().Changed("rule") {
			return nil, usagef("--rule: onitama has one rule set")
		}
		f.rule = ""
	}
	f.note = noteOf(cmd)
	v, err := games.NewVariant(games.VariantOptions{Game: f.game, Rule: f.rule})
	if err != nil {
		return nil, usagef("--game, --rule: %w", inFlags(err))
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	r, err := f.weights(cmd.Context(), v)
	if err != nil {
		return nil, interrupted(err, "nothing was fitted and %s was not written", f.out)
	}
	return r, nil
}

// weights reads the games, fits and writes the weights.
func (f *fitCommand) weights(ctx context.Context, v games.Variant) (report.Report, error) {
	r := &report.Fit{Rule: v.Rule(), Method: f.method, Out: f.out}
	g := fit.Onitama()
	if rules, ok := v.Gomoku(); ok {
		g = fit.Gomoku(rules)
	}
	data := fit.NewData(g)
	reading := newProgress(-1, "games")
	defer reading.Close()
	for _, path := range f.inputs {
		if err := f.read(ctx, path, v, func(record fit.Record) error {
			reading.step()
			err := data.Add(ctx, record)
			if errors.Is(err, fit.ErrNoResult) {
				r.Skipped++
				return nil
			}
			return err
		}); err != nil {
			return nil, about("--input", err)
		}
	}
	_ = reading.Close()
	r.Games, r.Positions, r.Held = data.Games, len(data.Fit), len(data.Held)
	how, err := fmt.Sprintf("spread %g, trust %g", f.spread, f.trust), error(nil)
	if f.method == methodTDLeaf {
		l := &f.learn
		how = fmt.Sprintf("TD-Leaf(%g), depth %d, rate %g, passes %d, seed %d", l.Lambda, l.Depth, l.Rate, l.Passes, l.Seed)
		bar := newProgress(-1, "batches")
		defer bar.Close()
		r.Result, err = l.Fit(ctx, data, bar.at)
	} else {
		r.Result, err = fit.Regress(ctx, data, f.spread, f.trust)
	}
	if err != nil {
		return nil, about("--input", err)
	}
	notes := []string{
		fmt.Sprintf("%s: %d games, %d quiet positions and %d held out; %s.", r.Rule, r.Games, r.Positions, r.Held, how),
		fmt.Sprintf("Loss %.4f, held out %.4f; set by hand %.4f and %.4f.", r.Loss[0], r.Loss[1], r.HandLoss[0],
			r.HandLoss[1]),
	}
	if f.userNote != "" {
		notes = append(notes, "Games: "+f.userNote)
	}
	source, err := g.Source(r.Weights, notes)
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return nil, err
	}
	return r, about("--out", disk.WriteBytes(f.out, source))
}

// read calls take for the games of a path, which must be of the rule. Boards may be of any size,
// but of one size in a path.
func (f *fitCommand) read(ctx context.Context, path string, v games.Variant, take func(fit.Record) error) error {
	r, err := gamefiles.Open([]string{path}, gamefiles.Options{Variant: v, Scores: true, Note: f.note})
	if err != nil {
		return err
	}
	defer r.Close()
	for ctx.Err() == nil {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if rule := g.Variant.Rule(); rule != v.Rule() {
			return fmt.Errorf("%s: a game of %s, where --rule is %s", g.Source, rule, v.Rule())
		}
		start := func() (game.Position, error) {
			pos, err := g.Start()
			if err != nil {
				return nil, err
			}
			return v.Searchable(pos), nil
		}
		if err := take(fit.Record{
			Start: start, Moves: g.Moves, Opening: g.Opening, Scores: g.Values, Outcome: g.Outcome, Reason: g.Reason,
		}); err != nil {
			return about(g.Source, err)
		}
	}
	return ctx.Err()
}

// fitMark begins every file that a fit writes.
const fitMark = "// Code generated by carozero fit;"

// check returns an error if there is a file that no fit has written.
func (f *fitCommand) check() error {
	return about("--out", disk.Check(f.out, "no file that a fit wrote",
		func(head []byte) bool { return bytes.HasPrefix(head, []byte(fitMark)) }))
}
