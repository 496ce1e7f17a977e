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
	tree     selfplay.Tree
	follow   string
	cacheMiB int
}

func (f *selfplayFlags) register(cmd *cobra.Command) {
	fs, o := cmd.Flags(), &f.run.Options
	f.tree = selfplay.DefaultTree()
	fs.StringVar(&f.player, "player", "mcts",
		"what plays, described as in match: mcts, the network's tree search, or "+
			"alphabeta:nodes=N, the classical search")
	addNum(cmd, &f.tree.Playouts, option.Playouts.With(int64(f.tree.Playouts), "playouts of a full search").Above(2))
	fs.StringVar(&f.host.Dir, "out", "", "directory of the run, made if it does not exist (required)")
	addNum(cmd, &f.host.Workers,
		option.Workers.With(int64(runtime.NumCPU()), "goroutines that play; changes no byte of the samples"))
	addNum(cmd, &f.host.AtOnce,
		option.AtOnce.With(16, "games that a worker keeps under way; changes no byte of the samples"))
	fs.BoolVar(&f.host.Resume, "resume", false, "continue the run in --out, given the same options")
	addNum(cmd, &o.Seed, option.RandomSeed)
	option.SetDefaults(selfplay.Settings, o)
	addSettings(cmd, selfplay.Settings, o, "")
	fs.StringVar(&f.follow, "follow", "",
		"take the network from this file, which is looked at before each shard; "+
			"--model is what plays until it is there")
	addNum(cmd, &f.cacheMiB, option.Cache)
	addSettings(cmd, search.GameSettings, &f.tree.TreeSettings, "mcts")
}

// finish makes the run of the flags.
func (f *selfplayFlags) finish(cmd *cobra.Command, v games.Variant) error {
	if f.host.Dir == "" {
		return usagef("--out: give the directory that the samples go to")
	}
	if err := f.readPlayer(cmd); err != nil {
		return err
	}
	f.host.Now = time.Now
	f.run.Version, f.run.Commit, f.run.Follow = version, commit, f.follow != ""
	f.run.SetVariant(v)
	if err := f.checkTargets(cmd); err != nil {
		return err
	}
	if err := f.run.Check(v, flagOf); err != nil {
		return asUsage(err)
	}
	return asUsage(f.run.CheckMemory(v, f.host.Workers, f.host.AtOnce, f.cacheMiB, flagOf))
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
	}
	for _, name := range []string{"temperature", "temperature-end", "temperature-half-life"} {
		if o.Targets.Gumbel.Considered > 0 && o.CheapPlayouts == 0 && changed(name) {
			return usagef("--%s: --gumbel draws the moves itself", name)
		}
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
	v, err := c.variant.variant()
	if err != nil {
		return err
	}
	if err := flags.finish(cmd, v); err != nil {
		return err
	}
	if flags.follow != "" && c.net.model == flags.follow {
		return usagef("--model %s: that is what --follow looks at: name what plays until it is there, or nothing",
			flags.follow)
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
		err = interrupted(err,
			"%d of %d games are in %s; games under way that are lost and will be played again: %d; go on with: %s",
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
	cmd.Flags().StringVar(&cluster, "cluster", "",
		"be a coordinator too, at this address, host:port, to which 'carozero cluster worker' may come and help")
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
	labelsOnly = []string{"lines", "target-temperature", "max-loss"}
)

// treeKeys are the keys of an mcts player's description that are flags here.
var treeKeys = append([]string{"playouts", "model"}, option.Keys(search.GameSettings)...)

// readPlayer reads --player and what goes with it. The keys of an mcts player stand for flags.
func (f *selfplayFlags) readPlayer(cmd *cobra.Command) error {
	spec, err := players.ParseSpec(f.player)
	if err != nil {
		return usagef("--player: %w", err)
	}
	foreign, other := labelsOnly, "alphabeta"
	if spec.Kind == players.MCTS {
		if err := setFlags(cmd.Flags(), spec.Args); err != nil {
			return usagef("--player %s: %w", f.player, err)
		}
		spec.Args = nil
	}
	o, changed := &f.run.Options, cmd.Flags().Changed
	if err := f.run.SetPlayer(spec, f.tree); err != nil {
		return usagef("--player: %w", err)
	}
	if f.run.Player != "" {
		foreign, other = treeOnly, "mcts"
		drawn := selfplay.LabelOptions{}.WithDefaults().Temperature
		if changed("temperature") {
			drawn.Start = o.Temperature.Start
		}
		if changed("temperature-end") {
			drawn.End = o.Temperature.End
		}
		if changed("temperature-half-life") {
			drawn.HalfLife = o.Temperature.HalfLife
		}
		o.Labels.Temperature, o.Temperature = drawn, mcts.Schedule{}
	}
	for _, name := range foreign {
		if changed(name) {
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
