package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/internal/tune"
)

// matchCommand holds the flags of the command "match".
type matchCommand struct {
	variant        variantFlags
	net            netFlags
	a, b           string
	games, workers int
	plies, limit   int
	openings, sprt string
	randomDeals    bool
	sgf, journal   string
	seed           uint64
	cacheMiB       int
}

// newMatch returns the command "match".
func newMatch() *cobra.Command {
	var m matchCommand
	return define(&cobra.Command{
		Use:   "match",
		Short: "Let players meet and estimate the Elo difference",
		Long: `Let players meet in pairs of games with the same opening and swapped colours,
and estimate the Elo difference with its 95% error.

A player is one of the following, with its arguments after a colon, separated by
commas, each key=value.

` + players.PlayerHelp(80),
		Example: `  carozero match --a mcts:playouts=400 --b mcts:playouts=400,model=uniform --games 200
  carozero match --a alphabeta:nodes=3000 --b alphabeta:nodes=3000,rfp=off --games 2000 --sprt 0,10
  carozero match --a mcts:time=1s --b 'exec:./pbrain-other --fast:time=1s' --games 20`,
	}, m.run, m.variant.register, m.net.registerRuntime, m.register)
}

func (m *matchCommand) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&m.a, "a", "", "first player, as in mcts:playouts=400,model=NAME or alphabeta:nodes=100000 (required)")
	fs.StringVar(&m.b, "b", "", "second player (required)")
	addNum(cmd, &m.games, option.Games.With(100, "games, two an opening with colours swapped"))
	fs.StringVar(&m.openings, "openings", "",
		"file of openings, a line each: moves, or offsets from the centre x,y, x,y (default: random ones)")
	fs.BoolVar(&m.randomDeals, "random-deals", false,
		"onitama: each pair of games has cards of its own, dealt from --cards, in place of the usual ones")
	addNum(cmd, &m.plies, option.OpeningPlies.With(4, "moves of a random opening"))
	fs.StringVar(&m.sprt, "sprt", "", "stop when the test between two Elo differences has decided, as in 0,10")
	addNum(cmd, &m.workers, option.Workers.With(int64(runtime.NumCPU()), "games at once"))
	addNum(cmd, &m.limit,
		option.GamePlies.With(0, "moves after which a game is drawn").ZeroMeans("no limit, in Onitama 300"))
	fs.StringVar(&m.sgf, "sgf", "", "directory for an SGF file of every game (gomoku)")
	fs.StringVar(&m.journal, "journal", "",
		"file that finished games are kept in; a match that is started again goes on there")
	addNum(cmd, &m.seed, option.RandomSeed)
	addNum(cmd, &m.cacheMiB, option.Cache.With(64, "memory of each network's cache"))
	cmd.MarkFlagsMutuallyExclusive("openings", "opening-plies")
	needs(cmd, "a", "a player, as in mcts:playouts=400")
	needs(cmd, "b", "a player, as in mcts:playouts=400")
	goesWith(cmd, "a player mcts", func() bool { return anyTree(m.a, m.b) }, netsOnly...)
}

// netsOnly are the flags of commands with players that have an effect only on networks.
var netsOnly = []string{"cache", "onnxruntime", "provider"}

// anyTree reports whether a description of a player is of a tree search.
func anyTree(texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(text, engineMCTS) })
}

// run plays the match. It returns a report beside an error if games were finished before that.
func (m *matchCommand) run(cmd *cobra.Command, _ []string) (report.Report, error) {
	v := m.variant.v
	specs, err := m.specs(v)
	if err != nil {
		return nil, err
	}
	entrants := players.NewPlayers(m.net.loader(), v, m.seed, m.cacheMiB<<20)
	defer entrants.Close()
	opts, err := m.options(v)
	if err != nil {
		return nil, err
	}
	for i, spec := range specs {
		if opts.Entrants[i], err = entrants.Entrant(spec); err != nil {
			return nil, err
		}
		if spec.Kind == players.Exec {
			opts.HangLimit = hangLimit
		}
	}
	if opts.Openings, err = m.openingsOf(v, entrants, specs, &opts); err != nil {
		return nil, err
	}
	bar := newProgress(m.games, "match")
	defer bar.Close()
	opts.OnResult = func(_ *arena.Result, r arena.Report) {
		bar.Describe(fmt.Sprintf("match +%d =%d -%d", r.AWins, r.Draws, r.BWins))
		bar.step()
	}
	match, err := arena.New(opts)
	if err != nil {
		return nil, asUsage(err)
	}
	r, err := match.Run(cmd.Context())
	if err != nil && r.Games == 0 && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	return &report.Match{Rule: v.Rule(), Size: v.Size, Report: r},
		unfinished(cmd, err, "journal", "%d games before the first that is missing are counted", r.Games)
}

// hangLimit is how long a foreign engine may take for a move without a clock.
const hangLimit = 2 * time.Minute

// specs checks the flags and reads the players' descriptions.
func (m *matchCommand) specs(v games.Variant) ([]players.PlayerSpec, error) {
	if m.limit > 0 && m.limit <= m.plies && m.openings == "" {
		return nil, usagef("--max-plies %d: want more than --opening-plies %d, or 0 for no limit", m.limit, m.plies)
	}
	var specs []players.PlayerSpec
	for _, text := range []string{m.a, m.b} {
		spec, err := players.Parse(text)
		if err != nil {
			return nil, asUsage(err)
		}
		specs = append(specs, spec)
	}
	return specs, asUsage(players.CheckPlayers(v, specs, m.workers, m.cacheMiB, flagOf))
}

func (m *matchCommand) options(v games.Variant) (arena.Options, error) {
	o := arena.Options{
		Games: m.games, Notation: v.Notation(), Seed: m.seed, Workers: m.workers,
		Setting: fmt.Sprintf("%s %s %d", v.Game, v.Rule(), v.Size), MaxPlies: m.limit, Journal: m.journal,
	}
	if rules, _ := v.Gomoku(); rules.OpenDistance > 0 {
		o.Setting += fmt.Sprintf(" open %d", rules.OpenDistance)
	}
	if v.Cards != "" {
		o.Setting += " cards " + v.Cards
	}
	var err error
	if o.Start, err = v.Start(); err != nil {
		return o, err
	}
	if m.randomDeals {
		if m.openings != "" {
			return o, usagef("--random-deals: --openings are of one deal; leave out one of them")
		}
		if o.Starts = v.RandomStarts(m.seed); o.Starts == nil {
			return o, usagef("--random-deals: games of %s all begin alike", v.Game)
		}
		o.Setting += " dealt"
	}
	if m.journal != "" {
		if o.Program, err = build(); err != nil {
			return o, err
		}
	}
	if o.MaxPlies == 0 {
		o.MaxPlies = v.Of().MoveLimit
	}
	if m.sprt != "" {
		if o.SPRT, err = parseSPRT(m.sprt); err != nil {
			return o, err
		}
	}
	if m.sgf == "" {
		return o, nil
	}
	if v.Of().SGF == 0 {
		return o, usagef("--sgf: games of %s have no SGF form", v.Game)
	}
	folder := gamefiles.Folder{Path: m.sgf, Program: programName}
	if err := folder.Prepare(); err != nil {
		return o, about("--sgf", err)
	}
	o.Recorded = folder.Has
	o.Record = func(result *arena.Result, names [2]string) error {
		r, err := gamefiles.OfMatch(v, result, names)
		if err != nil {
			return err
		}
		return folder.Write(result.Game, &r)
	}
	return o, nil
}

func parseSPRT(text string) (*arena.SPRT, error) {
	bounds, err := pair(option.EloDifference, text)
	if err != nil {
		return nil, usagef("--sprt %s: %w; two differences, as in 0,10", shownValue(text), err)
	}
	test := &arena.SPRT{Elo0: bounds[0], Elo1: bounds[1]}
	if err := test.Validate(); err != nil {
		return nil, usagef("--sprt %s: %w", shownValue(text), err)
	}
	return test, nil
}

// openingsOf reads the file of openings, or makes random ones.
func (m *matchCommand) openingsOf(
	v games.Variant, entrants *players.Players, specs []players.PlayerSpec, o *arena.Options,
) (arena.Openings, error) {
	if m.openings == "" {
		random, err := entrants.RandomOpenings(specs, m.plies, m.seed)
		if err == nil {
			random.Starts = o.Starts
		}
		return random, err
	}
	list, err := players.ReadOpenings(v, m.openings)
	if err != nil {
		return nil, fmt.Errorf("--openings %w", err)
	}
	for i, moves := range list { // after which a move must be left to play
		if m.limit > 0 && m.limit <= len(moves) {
			return nil, usagef("--max-plies %d: opening %d of --openings has %d moves; want more, or 0 for no limit", m.limit,
				i+1, len(moves))
		}
	}
	return list, nil
}

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
  carozero tune --player alphabeta:nodes=20000 --set lmr=40..200,rfp,aspiration --pairs 20000 --journal runs/t.jsonl`,
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
	for _, rule := range strings.Split(f.opts.Rule, ",") {
		one := *f
		one.opts.Rule = strings.TrimSpace(rule)
		v, err := one.variant()
		if err != nil {
			return nil, err
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
	err = unfinished(cmd, err, "journal", "%d of %d trials are done", result.Trials, o.Trials)
	return &report.Tune{
		Player: player.String(), Boards: boards, Trials: result.Trials, Of: o.Trials, Pairs: result.Pairs,
		Parameters: result.Estimates, Tuned: tuned.String(),
	}, err
}

// what returns the player and what of it is tuned, and checks the files.
func (t *tuneCommand) what(
	variants []games.Variant,
) (player players.PlayerSpec, parameters []tune.Parameter, err error) {
	if t.pairs < t.trial {
		return player, nil, usagef("--pairs %d: want %d or more, the pairs of a --trial", t.pairs, t.trial)
	}
	if player, err = players.Parse(t.player); err == nil {
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
