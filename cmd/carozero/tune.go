package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/internal/tune"
)

// tuneCommand holds the flags of the command "tune".
type tuneCommand struct {
	variant      variantFlags
	net          netFlags
	player       string
	set          []string
	pairs, trial int
	gain         float64
	plies        int
	seed         uint64
	workers      int
	cacheMiB     int
	journal      string
	resume       bool
}

// newTune returns the command "tune".
func newTune() *cobra.Command {
	var t tuneCommand
	return define(&cobra.Command{
		Use:   "tune",
		Short: "Tune numeric settings of a player by games against itself",
		Long: `Tune numeric settings of a player, of either engine, by games of the player against
itself: SPSA (Spall 1992) moves all settings at once up and down at random, plays
pairs of games between the two, and follows the better one. Games have fixed playouts,
visits or nodes. With several rule sets the trials take turns. Whether the result is
stronger than the start is for 'carozero match' to say.

The same options and seed give the same journal and the same result, whatever the
number of workers and however often the tuning was interrupted.`,
		Example: `  carozero tune --player mcts:playouts=400 --set cpuct,fpu --rule caro,freestyle --pairs 8000 \
    --journal runs/t.jsonl
  carozero tune --player alphabeta:nodes=20000 --set lmr=40..200,rfp,aspiration --pairs 20000 --journal runs/t.jsonl
  carozero tune --player mcts:playouts=400 --set cpuct,fpu --rule caro,freestyle --pairs 8000 \
    --journal runs/t.jsonl --resume`,
	}, t.run, t.variant.declare, t.net.registerRuntime, t.register)
}

func (t *tuneCommand) register(cmd *cobra.Command) {
	cmd.Flags().Lookup("rule").Usage = "rule sets of gomoku, separated by commas: " + strings.Join(games.RuleNames(), ", ")
	fs := cmd.Flags()
	fs.StringVar(&t.player, "player", "",
		"player, with the settings to start from, as in mcts:playouts=400 or alphabeta:nodes=20000 (required)")
	fs.StringArrayVar(&t.set, "set", nil,
		"its settings that are tuned: KEY, KEY=MIN..MAX, KEY/STEP or KEY=MIN..MAX/STEP, separated by commas (required; "+
			"may be repeated)")
	addNum(cmd, &t.pairs, option.TunedPairs)
	addNum(cmd, &t.trial, option.TrialPairs)
	addNum(cmd, &t.gain, option.TuningGain.With(tune.DefaultGain,
		"steps by which chance alone moves a setting in the first trial"))
	addNum(cmd, &t.plies, option.OpeningPlies.With(4, "moves of a random opening"))
	addNum(cmd, &t.seed, option.RandomSeed)
	addNum(cmd, &t.workers, option.Workers.With(int64(runtime.NumCPU()),
		"games at once; changes no result, and more than two for each pair of a trial have nothing to do"))
	addNum(cmd, &t.cacheMiB, option.Cache.With(64, "memory of each network's cache"))
	fs.StringVar(&t.journal, "journal", "", "file that every trial is kept in")
	fs.BoolVar(&t.resume, "resume", false, "go on with the trials that are in --journal")
	needs(cmd, "player", "the player to tune, as in mcts:playouts=400")
	needs(cmd, "set", "the settings to tune, as in cpuct,fpu=0.05..0.6")
	goesWith(cmd, "--journal", func() bool { return t.journal != "" }, "resume")
	goesWith(cmd, "a player mcts", func() bool { return anyTree(t.player) }, netsOnly...)
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

// run tunes. It returns a report beside an error if trials were made before that.
func (t *tuneCommand) run(cmd *cobra.Command, _ []string) (report.Report, error) {
	variants, err := t.variant.several()
	if err != nil {
		return nil, err
	}
	player, parameters, err := t.what(variants)
	if err != nil {
		return nil, err
	}
	o := tune.Options{
		Parameters: parameters, Trials: max(1, t.pairs/t.trial), Pairs: t.trial, Gain: t.gain, Seed: t.seed,
		Journal: t.journal, Resume: t.resume,
	}
	games, err := tune.NewGames(tune.GamesOptions{
		Loader: t.net.loader(), Variants: variants, Player: player, Parameters: parameters,
		OpeningPlies: t.plies, Seed: t.seed, Workers: t.workers, Cache: t.cacheMiB << 20,
	})
	if err != nil {
		return nil, err
	}
	defer games.Close()
	o.Objective = games.Play
	if o.Setup, err = t.setup(games, &o); err != nil {
		return nil, err
	}
	bar := newProgress(o.Trials, "tune")
	o.Progress = bar.at
	result, err := tune.Run(cmd.Context(), o)
	_ = bar.Close()
	if errors.Is(err, disk.ErrRefused) || err != nil && result.Trials == 0 && cmd.Context().Err() == nil {
		return nil, err
	}
	var boards []string
	for _, v := range variants {
		boards = append(boards, v.String())
	}
	tuned, wrong := tune.Tuned(player, result.Estimates)
	if wrong != nil {
		return nil, errors.Join(err, wrong)
	}
	if t.journal == "" {
		err = interrupted(err, "after %d of %d trials, and nothing else is kept; with --journal FILE a tuning can go on",
			result.Trials, o.Trials)
	} else {
		err = interrupted(err,
			"%d of %d trials are in %s; the games of the one under way are lost and will be played again; go on with: %s",
			result.Trials, o.Trials, t.journal, again(cmd, nil, map[string]string{"resume": "true"}))
	}
	return report.NewTune(player.String(), tuned.String(), boards, o.Trials, &result), err
}

// what returns the player and what of it is tuned, and checks the files.
func (t *tuneCommand) what(
	variants []games.Variant,
) (player players.PlayerSpec, parameters []tune.Parameter, err error) {
	if t.pairs < t.trial {
		return player, nil, usagef("--pairs %d: want %d or more, the pairs of a --trial", t.pairs, t.trial)
	}
	written, err := players.ParseSpec(t.player)
	if err == nil {
		player, err = players.ParsePlayer(written)
	}
	if err == nil {
		err = player.Repeatable()
	}
	if err != nil {
		return player, nil, usagef("--player: %w", err)
	}
	if parameters, err = tune.ParseParameters(player, variants[0], strings.Join(t.set, ",")); err != nil {
		return player, nil, usagef("--set: %w", err)
	}
	for _, v := range variants {
		both := []players.PlayerSpec{player, player}
		if err := players.CheckPlayers(v, both, t.workers, t.cacheMiB, flagOf); err != nil {
			return player, nil, asUsage(err)
		}
	}
	return player, parameters, nil
}

// setup says on what a tuning depends.
func (t *tuneCommand) setup(games *tune.Games, o *tune.Options) ([]tune.Item, error) {
	list, err := games.Setup()
	if err != nil {
		return nil, err
	}
	list = append(list,
		tune.Item{What: "trials", Value: fmt.Sprintf("%d of %d pairs", o.Trials, o.Pairs)},
		tune.Item{What: "gain", Value: fmt.Sprint(t.gain)})
	if t.journal == "" {
		return list, nil
	}
	built, err := build()
	return append([]tune.Item{{What: "program", Value: built}}, list...), err
}
