package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/internal/tune"
)

// tuneFlags are the settings of a tuning.
type tuneFlags struct {
	player       string
	set          []string
	pairs, trial int
	gain         float64
	plies        int
	seed         uint64
	workers      int
	cacheMiB     int
	journal, out string
	resume       bool
}

func (f *tuneFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.player, "player", "",
		"player, with the settings to start from, as in mcts:playouts=400 or alphabeta:nodes=20000 (required)")
	fs.StringArrayVar(&f.set, "set", nil,
		"its settings that are tuned: KEY, KEY=MIN..MAX, KEY/STEP or KEY=MIN..MAX/STEP, separated by commas (required; "+
			"may be repeated)")
	addNum(cmd, &f.pairs, option.TunedPairs)
	addNum(cmd, &f.trial, option.TrialPairs)
	addNum(cmd, &f.gain, option.TuningGain.With(tune.DefaultGain,
		"steps by which chance alone moves a setting in the first trial"))
	addNum(cmd, &f.plies, option.OpeningPlies.With(4, "moves of a random opening"))
	addNum(cmd, &f.seed, option.RandomSeed)
	addNum(cmd, &f.workers, option.Workers.With(int64(runtime.NumCPU()),
		"games at once; changes no result, and more than two for each pair of a trial have nothing to do"))
	addNum(cmd, &f.cacheMiB, option.Cache.With(64, "memory of each network's cache"))
	fs.StringVar(&f.journal, "journal", "", "file that every trial is kept in")
	fs.BoolVar(&f.resume, "resume", false, "go on with the trials that are in --journal")
	fs.StringVar(&f.out, "out", "", "HTML page with the course of every setting")
}

// newTune returns the command "tune".
func newTune() *cobra.Command {
	var (
		variant variantFlags
		net     netFlags
		flags   tuneFlags
		output  outputFlags
	)
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Tune numeric settings of a player by games against itself",
		Long: `Tune numeric settings of a player, of either engine, by games of the player against
itself: SPSA (Spall 1992) moves all settings at once up and down at random, plays
pairs of games between the two, and follows the better one. Games have fixed playouts,
visits or nodes. With several rule sets the trials take turns. Whether the result is
stronger than the start is for 'carozero match' to say.

The same options and seed give the same journal and the same result, whatever the
number of workers and however often the tuning was interrupted.`,
		Example: `  carozero tune --player mcts:playouts=400 --set cpuct,fpu --rule caro,freestyle --pairs 8000 --journal runs/t.jsonl --out runs/t.html
  carozero tune --player alphabeta:nodes=20000 --set lmr=40..200,rfp,aspiration --pairs 20000 --journal runs/t.jsonl
  carozero tune --player mcts:playouts=400 --set cpuct,fpu --rule caro,freestyle --pairs 8000 --journal runs/t.jsonl --out runs/t.html --resume`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			variants, err := variant.several()
			if err != nil {
				return err
			}
			loader := net.loader()
			r, err := flags.run(cmd.Context(), loader, variants)
			if r == nil {
				return interrupted(err, "no trial was made")
			}
			if err != nil {
				err = flags.interrupted(err, r, again(cmd, nil, map[string]string{"resume": "true"}))
			}
			return output.printAfter(cmd, err, r)
		},
	}
	variant.register(cmd)
	cmd.Flags().Lookup("rule").Usage = "rule sets of gomoku, separated by commas: " + strings.Join(games.RuleNames(), ", ")
	net.registerRuntime(cmd)
	flags.register(cmd)
	output.register(cmd)
	return cmd
}

// several returns a variant for each of the rule sets, which commas separate.
func (f *variantFlags) several() ([]games.Variant, error) {
	var list []games.Variant
	rules := strings.Split(f.opts.Rule, ",")
	for _, rule := range rules {
		one := *f
		one.opts.Rule = strings.TrimSpace(rule)
		if one.opts.Rule == "" && len(rules) > 1 {
			return nil, usagef("--rule %s: want a rule set on both sides of each comma", shownValue(f.opts.Rule))
		}
		v, err := one.variant()
		if err != nil {
			return nil, err
		}
		for _, other := range list {
			if other == v {
				return nil, usagef("--rule %s: %s is there twice", shownValue(f.opts.Rule), v.Rule())
			}
		}
		list = append(list, v)
	}
	return list, nil
}

// interrupted says of a tuning that was cut short what is kept of it and how to go on.
func (f *tuneFlags) interrupted(err error, r *report.Tune, command string) error {
	if f.journal == "" {
		return interrupted(err, "after %d of %d trials, and nothing else is kept; with --journal FILE a tuning can go on",
			r.Trials, r.Of)
	}
	return interrupted(err,
		"%d of %d trials are in %s; the games of the one under way are lost and will be played again; go on with: %s",
		r.Trials, r.Of, f.journal, command)
}

// run tunes. It returns a report as well as an error if trials were made before that.
func (f *tuneFlags) run(ctx context.Context, loader *networks.Loader, variants []games.Variant) (*report.Tune, error) {
	player, parameters, err := f.what(variants)
	if err != nil {
		return nil, err
	}
	o := tune.Options{
		Parameters: parameters, Trials: max(1, f.pairs/f.trial), Pairs: f.trial, Gain: f.gain, Seed: f.seed,
		Journal: f.journal, Resume: f.resume,
	}
	games, err := tune.NewGames(tune.GamesOptions{
		Loader: loader, Variants: variants, Player: player, Parameters: parameters,
		OpeningPlies: f.plies, Seed: f.seed, Workers: f.workers, Cache: f.cacheMiB << 20,
	})
	if err != nil {
		return nil, err
	}
	defer games.Close()
	o.Objective = games.Play
	if o.Setup, err = f.setup(games, &o); err != nil {
		return nil, err
	}
	bar := newProgress(o.Trials, "tune")
	o.Progress = bar.at
	result, err := tune.Run(ctx, o)
	_ = bar.Close()
	if errors.Is(err, disk.ErrRefused) || err != nil && result.Trials == 0 && ctx.Err() == nil {
		return nil, err
	}
	written, unsaved := f.savePage(&result, &o)
	err = errors.Join(err, unsaved)
	var boards []string
	for _, v := range variants {
		boards = append(boards, v.String())
	}
	tuned, tunedErr := tune.Tuned(player, result.Estimates)
	err = errors.Join(err, tunedErr)
	return report.NewTune(player.String(), tuned.String(), boards, o.Trials, &result, written), err
}

// savePage writes the page, if one is asked for, and returns its name if it was written.
func (f *tuneFlags) savePage(r *tune.Result, o *tune.Options) (written string, err error) {
	if f.out == "" {
		return "", nil
	}
	if err := r.SavePage(f.out, o.Trials, o.Setup); err != nil {
		return "", pageError(err)
	}
	return f.out, nil
}

func pageError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--out: %w", err)
}

// what returns the player and what of it is tuned, and checks the files.
func (f *tuneFlags) what(variants []games.Variant) (player players.PlayerSpec, parameters []tune.Parameter, err error) {
	switch {
	case f.player == "":
		return player, nil, usagef("--player: give the player to tune, as in mcts:playouts=400")
	case len(f.set) == 0:
		return player, nil, usagef("--set: give the settings to tune, as in cpuct,fpu=0.05..0.6")
	case f.resume && f.journal == "":
		return player, nil, usagef("--resume: name the file of trials with --journal")
	case disk.Same(f.journal, f.out):
		return player, nil, usagef("--out %s: --journal names the same file; name another", f.out)
	case f.pairs < f.trial:
		return player, nil, usagef("--pairs %d: want %d or more, the pairs of a --trial", f.pairs, f.trial)
	}
	if f.out != "" {
		if err := pageError(tune.CheckPage(f.out)); err != nil {
			return player, nil, err
		}
	}
	written, err := players.ParseSpec(f.player)
	if err == nil {
		player, err = players.ParsePlayer(written)
	}
	if err == nil {
		err = player.Repeatable()
	}
	if err != nil {
		return player, nil, usagef("--player: %w", err)
	}
	if parameters, err = tune.ParseParameters(player, variants[0], strings.Join(f.set, ",")); err != nil {
		return player, nil, usagef("--set: %w", err)
	}
	for _, v := range variants {
		if err := players.CheckPlayers(v, []players.PlayerSpec{player, player}, f.workers, f.cacheMiB, flagOf); err != nil {
			return player, nil, asUsage(err)
		}
	}
	return player, parameters, nil
}

// setup says on what a tuning depends.
func (f *tuneFlags) setup(games *tune.Games, o *tune.Options) ([]tune.Item, error) {
	list, err := games.Setup()
	if err != nil {
		return nil, err
	}
	list = append(list,
		tune.Item{What: "trials", Value: fmt.Sprintf("%d of %d pairs", o.Trials, o.Pairs)},
		tune.Item{What: "gain", Value: fmt.Sprint(f.gain)})
	if f.journal == "" {
		return list, nil
	}
	program, err := build()
	return append([]tune.Item{{What: "program", Value: program}}, list...), err
}
