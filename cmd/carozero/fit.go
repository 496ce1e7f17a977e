package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
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
	game, rule    string
	spread, trust float64
	method        string
	learn         fit.TDLeaf // of methodTDLeaf
}

// The names of the methods.
const (
	methodResults = "results"
	methodTDLeaf  = "td-leaf"
)

// newFit returns the command "fit".
func newFit() *cobra.Command {
	var flags fitFlags
	cmd := &cobra.Command{
		Use:   "fit --input PATH [PATH...] --rule RULE --out FILE",
		Short: "Fit the weights of the classical evaluation to the results of games",
		Long: `Fit the weights of the classical evaluation to the results of games by logistic
regression, and write them as the Go file that the program is built with. With
--method td-leaf learn them by TD-Leaf(λ) (Baxter, Tridgell and Weaver 2000): a short
search of every position gives it the value of its leaf, and the weights move so that
values come nearer to those of the positions after them, and at last to the result.
Inputs are SGF, psq and lib files, folders of them, and runs or shards of self-play, of
boards of any size; a tenth of the games is held out to judge the weights by. The same
inputs and options give the same bytes, whatever the number of workers. For Onitama
(--game onitama) inputs are runs of selfplay --player alphabeta, of any cards.`,
		Example: `  carozero fit play --rule standard --games 5000 --nodes 2000 --out games/standard
  carozero fit --input games/standard --rule standard --out alphabeta/gomoku/weights_standard.go
  carozero fit --method td-leaf --input games/standard --rule standard --out alphabeta/gomoku/weights_standard.go
  carozero fit --input games/caro runs/caro --rule caro --out alphabeta/gomoku/weights_caro.go --note "own games and a net's"
  carozero fit --game onitama --input runs/base runs/all --out alphabeta/onitama/weights_fitted.go`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.checkMethod(cmd); err != nil {
				return err
			}
			if flags.game == games.Onitama {
				return flags.runOnitama(cmd, args)
			}
			return flags.run(cmd, args, runFit)
		},
	}
	flags.register(cmd, "how far weights may stray from those set by hand; see package alphabeta/gomoku/fit")
	cmd.Flags().StringVar(&flags.game, "game", games.GameNames()[0], "game: "+strings.Join(games.GameNames(), " or "))
	complete(cmd, "game", games.GameNames()...)
	addFloat(cmd, &flags.trust, option.Share.Named("trust").With(0, "share of the scores of searches, where games have them, in what is fitted to; results have the rest"))
	addWord(cmd, &flags.method, "method", methodResults, "what the weights follow: the results of games (results), or the values of later positions (td-leaf)", methodResults, methodTDLeaf)
	addFloat(cmd, &flags.learn.Lambda, option.Share.Named("lambda").With(fit.DefaultLambda, "with --method td-leaf: what a difference of values one ply later counts"))
	addInt(cmd, &flags.learn.Depth, option.Depth.With(fit.DefaultDepth, "with --method td-leaf: plies of the search of a position"))
	addFloat(cmd, &flags.learn.Rate, option.LearningRate.Named("rate").With(fit.DefaultRate, "with --method td-leaf: rate of learning at first; it falls to 0 in equal steps"))
	addInt(cmd, &flags.learn.Passes, option.Rounds.Named("passes").With(fit.DefaultPasses, "with --method td-leaf: how often all games are learned from"))
	addSeed(cmd, &flags.learn.Seed, option.Seed{Key: "seed", Help: "with --method td-leaf: seed of the order of the games", Default: 1})
	addInt(cmd, &flags.learn.Workers, option.Workers.With(int64(runtime.NumCPU()), "with --method td-leaf: games at once; changes no weight"))
	cmd.AddCommand(newFitPlay(), newFitOrder(), newFitScale())
	return cmd
}

// run fits to the games of all inputs.
func (f *fitFlags) run(cmd *cobra.Command, args []string, fit func(context.Context, games.Variant, *fitFlags) (report.Report, error)) error {
	return f.fittedFile.run(cmd, args, "the games to fit to, as in games/caro", "weights.go", func(ctx context.Context) (report.Report, error) {
		v, err := games.NewVariant(games.VariantOptions{Game: f.game, Rule: f.rule})
		if err != nil {
			return nil, usagef("--game, --rule: %w", inFlags(err))
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

// checkMethod returns an error if a flag is set that the method does not have.
func (f *fitFlags) checkMethod(cmd *cobra.Command) error {
	has, others := methodResults, []string{"lambda", "depth", "rate", "passes", "seed", "workers"}
	if f.method == methodTDLeaf {
		has, others = methodTDLeaf, []string{"spread", "trust"}
	}
	for _, name := range others {
		if cmd.Flags().Changed(name) {
			return usagef("--%s: --method %s has none", name, has)
		}
	}
	return nil
}

// runFit reads the games, fits and writes the weights.
func runFit(ctx context.Context, v games.Variant, f *fitFlags) (report.Report, error) {
	r := &report.Fit{Rule: v.Rule(), Method: f.method, Out: f.out}
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
	how, err := fmt.Sprintf("spread %g", f.spread), error(nil)
	if f.method == methodTDLeaf {
		l := &f.learn
		l.Rules = rules
		how = fmt.Sprintf("TD-Leaf(%g), depth %d, rate %g, passes %d, seed %d", l.Lambda, l.Depth, l.Rate, l.Passes, l.Seed)
		bar := newProgress(-1, "batches")
		defer bar.Close()
		r.Result, err = l.Fit(ctx, data, bar.at)
	} else {
		r.Result, err = fit.Fit(ctx, rules, data, f.spread)
	}
	if err != nil {
		return nil, fmt.Errorf("--input: %w", err)
	}
	return r, f.write(fit.Source(rules, r.Weights, f.notes(
		fmt.Sprintf("%s: %d games, %d quiet positions and %d held out; %s.", r.Rule, r.Games, r.Positions, r.Held, how),
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
	r, err := gamefiles.Open([]string{path}, gamefiles.Options{Variant: v, Scores: v.Game == games.Onitama})
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
