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
	"github.com/spf13/pflag"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/internal/search"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
)

// selfplayFlags are the settings of a self-play run.
type selfplayFlags struct {
	run      selfplay.Run
	host     selfplay.Host
	player   string
	playouts int
	tree     search.TreeSettings
	follow   string
	cacheMiB int
}

// gameTreeMiB bounds the memory of one game's tree.
const gameTreeMiB = 16

func (f *selfplayFlags) register(cmd *cobra.Command) {
	fs, o := cmd.Flags(), &f.run.Options
	fs.StringVar(&f.player, "player", "mcts", "what plays, described as in match: mcts, the network's tree search, or alphabeta:nodes=N, the classical search")
	addNum(cmd, &f.playouts, option.Playouts.With(200, "playouts of a full search").Above(2))
	fs.StringVar(&f.host.Dir, "out", "", "directory of the run, made if it does not exist (required)")
	addNum(cmd, &f.host.Workers, option.Workers.With(int64(runtime.NumCPU()), "goroutines that play; changes no byte of the samples"))
	addNum(cmd, &f.host.AtOnce, option.AtOnce.With(16, "games that a worker keeps under way; changes no byte of the samples"))
	fs.BoolVar(&f.host.Resume, "resume", false, "continue the run in --out, given the same options")
	addNum(cmd, &o.Seed, option.RandomSeed)
	option.SetDefaults(selfplay.Settings, o)
	addSettings(cmd, selfplay.Settings, o, "")
	fs.StringVar(&f.follow, "follow", "", "take the network from this file, which is looked at before each shard; --model is what plays until it is there")
	addNum(cmd, &f.cacheMiB, option.Cache)
	f.tree = search.DefaultTreeSettings(gameTreeMiB)
	addSettings(cmd, search.GameSettings, &f.tree, "mcts")
}

// finish checks the flags and puts those together that are not bound to a
// field.
func (f *selfplayFlags) finish(cmd *cobra.Command) error {
	if f.host.Dir == "" {
		return usagef("--out: give the directory that the samples go to")
	}
	o := &f.run.Options
	if err := f.readPlayer(cmd); err != nil {
		return err
	}
	if err := f.checkTargets(cmd); err != nil {
		return err
	}
	switch {
	case o.Opening.MinPlies > o.Opening.MaxPlies:
		return usagef("--opening-min %d: want at most --opening-max %d", o.Opening.MinPlies, o.Opening.MaxPlies)
	case o.MaxPlies > 0 && o.MaxPlies <= o.Opening.MaxPlies:
		return usagef("--max-plies %d: want more than --opening-max %d, or 0 for no limit", o.MaxPlies, o.Opening.MaxPlies)
	}
	f.run.Version, f.run.Commit, f.run.Follow = version, commit, f.follow != ""
	f.run.SetTree(f.playouts, &f.tree)
	if f.run.Player != "" {
		o.Labels.Temperature = f.teacherTemperature(cmd)
		o.Temperature = mcts.Schedule{}
	}
	f.host.Now = time.Now
	*o = o.WithDefaults()
	return asUsage(o.Check())
}

// checkTargets refuses flags that go only with others.
func (f *selfplayFlags) checkTargets(cmd *cobra.Command) error {
	o, changed := &f.run.Options, cmd.Flags().Changed
	switch {
	case o.ResignAt == 0 && (changed("resign-turns") || changed("resign-audit")):
		return usagef("--resign-turns and --resign-audit go with --resign")
	case o.CheapPlayouts == 0 && (changed("full-share") || changed("cheap-weight")):
		return usagef("--full-share and --cheap-weight go with --cheap-playouts")
	case o.Targets.Gumbel.Considered == 0 && changed("gumbel-scale"):
		return usagef("--gumbel-scale goes with --gumbel")
	case o.Targets.Gumbel.Considered > 0 && o.Targets.Forced > 0:
		return usagef("--forced-playouts %v: --gumbel shares the playouts out, so that none are forced", o.Targets.Forced)
	case f.run.Player == "" && o.CheapPlayouts > f.playouts:
		return usagef("--cheap-playouts %d: want at most --playouts %d", o.CheapPlayouts, f.playouts)
	}
	for _, name := range []string{"temperature", "temperature-end", "temperature-half-life"} {
		if o.Targets.Gumbel.Considered > 0 && o.CheapPlayouts == 0 && changed(name) {
			return usagef("--%s: --gumbel draws the moves itself", name)
		}
	}
	return nil
}

// checkOpenings refuses openings that leave a game no move.
func (f *selfplayFlags) checkOpenings(v games.Variant) error {
	o := &f.run.Options
	switch cells := v.Columns() * v.Size; {
	case cells > 0 && o.Opening.MinPlies >= cells:
		return usagef("--opening-min %d: the board has %d points: want fewer moves", o.Opening.MinPlies, cells)
	case o.MaxPlies > 0 && o.Opening.MaxPlies >= o.MaxPlies:
		return usagef("--opening-max %d: games end after %d moves: want fewer, or more --max-plies", o.Opening.MaxPlies, o.MaxPlies)
	}
	return nil
}

// selfplayCommand holds the flags of the commands that play a run.
type selfplayCommand struct {
	variant variantFlags
	net     netFlags
	flags   selfplayFlags
	output  outputFlags
}

func (c *selfplayCommand) register(cmd *cobra.Command) {
	c.variant.register(cmd)
	c.net.register(cmd)
	c.flags.register(cmd)
	c.output.register(cmd)
}

// run plays the run, with a cluster unless that is nil.
func (c *selfplayCommand) run(cmd *cobra.Command, cluster *coordinatorFlags) (err error) {
	flags := &c.flags
	if err := flags.finish(cmd); err != nil {
		return err
	}
	v, err := c.variant.variant()
	if err != nil {
		return err
	}
	flags.run.Variant = v.Options()
	if o := &flags.run.Options; o.MaxPlies == 0 {
		o.MaxPlies = v.Of().MoveLimit
	}
	if err := flags.checkOpenings(v); err != nil {
		return err
	}
	if err := flags.run.CheckMemory(v, flags.host.Workers, flags.host.AtOnce, flags.cacheMiB, flagOf); err != nil {
		return usagef("%w", err)
	}
	if flags.follow != "" && c.net.model == flags.follow {
		return usagef("--model %s: that is what --follow looks at: name what plays until it is there, or nothing", flags.follow)
	}
	loader := c.net.loader()
	p, err := flags.run.Open(selfplay.Machine{
		Loader: loader, Model: c.net.model, Follow: flags.follow, AtOnce: flags.host.AtOnce, CacheMiB: flags.cacheMiB,
		Note: func(line string) { fmt.Fprintln(c.net.messages(), "carozero: --follow: "+line) },
	})
	if err != nil {
		return err
	}
	defer p.Close()
	r, err := c.play(cmd, v, p, loader, cluster)
	if r != nil {
		err = interrupted(err, "%d of %d games are in %s; games under way that are lost and will be played again: %d; go on with: %s",
			r.GamesOnDisk, r.GamesWanted, flags.host.Dir, r.Lost, again(cmd, nil, map[string]string{"resume": "true"}))
	}
	if r != nil && r.GamesOnDisk > 0 {
		err = c.output.printAfter(cmd, err, r)
	}
	return err
}

// newSelfplay returns the command "selfplay".
func newSelfplay() *cobra.Command {
	var (
		play    selfplayCommand
		cluster string
	)
	cmd := &cobra.Command{
		Use:   "selfplay",
		Short: "Play games of one player against itself and write training samples",
		Long: `Play games of one player against itself and write training samples: of the
network's tree search, or of the classical search, a teacher for networks that
know little yet.

One seed and one set of options give the same bytes, whatever the number of
workers. An interrupted run goes on with --resume and ends with the bytes of an
undisturbed one. With --cluster other machines may help: see 'carozero cluster'.`,
		Example: `  carozero selfplay --games 200 --playouts 400 --out runs/one
  carozero selfplay --rule renju --size 15 --model uniform --playouts 2000 --games 50 --out runs/two
  carozero selfplay --player alphabeta:nodes=2000 --games 2000 --stop-at-proof --out runs/taught
  carozero selfplay --games 200 --playouts 400 --out runs/one --resume`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cluster == "" {
				return play.run(cmd, nil)
			}
			return play.run(cmd, newCoordinatorFlags(cluster))
		},
	}
	play.register(cmd)
	cmd.Flags().StringVar(&cluster, "cluster", "", "be a coordinator too, at this address, host:port, to which 'carozero cluster worker' may come and help")
	return cmd
}

// play plays the run, with a cluster unless that is nil. It returns a report too if the run
// was interrupted.
func (c *selfplayCommand) play(
	cmd *cobra.Command, v games.Variant, p *selfplay.Playing, loader *networks.Loader, cluster *coordinatorFlags,
) (*report.Selfplay, error) {
	bar, host := newProgress(p.Options.Games, "self-play"), c.flags.host
	host.Progress = func(s selfplay.Summary) { _ = bar.Set(s.OnDisk) }
	sum, err := selfplay.Summary{Of: p.Options.Games}, error(nil)
	if cluster == nil {
		sum, err = selfplay.Play(cmd.Context(), p.Setup, p.Options, host)
	} else if h, failed := cluster.host(cmd, host.Dir); failed != nil {
		err = failed
	} else {
		sum, err = h.play(cmd.Context(), p, loader.Provider(), host)
		h.close()
	}
	_ = bar.Close()
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	return report.NewSelfplay(v, p.Setup.Header.Model, host.Dir, sum), err
}

// Flags of selfplay that only one kind of player has.
var (
	treeOnly = append([]string{
		"playouts", "cheap-playouts", "full-share", "cheap-weight", "drop-tree",
		"cache", "at-once", "model", "threads", "onnxruntime", "provider",
		"forced-playouts", "gumbel", "gumbel-scale", "follow",
	}, option.Keys(search.GameSettings)...)
	teacherOnly = []string{"lines", "target-temperature", "max-loss"}
)

// treeKeys are the keys of an mcts player's description that are flags here.
var treeKeys = append([]string{"playouts", "model"}, option.Keys(search.GameSettings)...)

// readPlayer reads --player: a teacher, or the tree search, whose keys stand for
// flags.
func (f *selfplayFlags) readPlayer(cmd *cobra.Command) error {
	spec, err := players.ParseSpec(f.player)
	if err != nil {
		return usagef("--player: %w", err)
	}
	foreign, other := teacherOnly, "alphabeta"
	switch spec.Kind {
	case players.MCTS:
		if err := setFlags(cmd.Flags(), spec.Args); err != nil {
			return usagef("--player %s: %w", f.player, err)
		}
	case players.AlphaBeta:
		if _, err := selfplay.ParseAlphaBeta(f.player); err != nil {
			return usagef("--player: %w", err)
		}
		f.run.Player = f.player
		foreign, other = treeOnly, "mcts"
	default:
		return usagef("--player %q: want mcts or alphabeta: other programs give neither visits nor scores", f.player)
	}
	for _, name := range foreign {
		if cmd.Flags().Changed(name) {
			return usagef("--%s goes with --player %s, not with %s", name, other, spec.Kind)
		}
	}
	return nil
}

// setFlags sets the flags that an mcts player's keys stand for.
func setFlags(flags *pflag.FlagSet, args players.Args) error {
	for _, a := range args {
		name := string(flags.GetNormalizeFunc()(flags, a.Key))
		if !slices.Contains(treeKeys, name) {
			return usagef("unknown argument %q: want one of %s", a.Key, strings.Join(treeKeys, " "))
		}
		if flags.Changed(name) {
			return usagef("%s is given by --%s too", a.Key, name)
		}
		if err := flags.Set(name, a.Value); err != nil {
			return err
		}
	}
	return nil
}

// teacherTemperature returns the schedule by which a teacher's moves are drawn: the
// teacher's own, where no flag says otherwise.
func (f *selfplayFlags) teacherTemperature(cmd *cobra.Command) mcts.Schedule {
	t := selfplay.LabelOptions{}.WithDefaults().Temperature
	flags := cmd.Flags()
	if flags.Changed("temperature") {
		t.Start = f.run.Options.Temperature.Start
	}
	if flags.Changed("temperature-end") {
		t.End = f.run.Options.Temperature.End
	}
	if flags.Changed("temperature-half-life") {
		t.HalfLife = f.run.Options.Temperature.HalfLife
	}
	return t
}
