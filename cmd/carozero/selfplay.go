package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// selfplayCommand holds the flags of the commands that play a run.
type selfplayCommand struct {
	variant  variantFlags
	net      netFlags
	spec     selfplay.Run
	host     selfplay.Host
	player   string
	tree     selfplay.Tree
	follow   string
	cacheMiB int
	cluster  coordinatorFlags // of a coordinator, if it listens anywhere
}

// newSelfplay returns the command "selfplay".
func newSelfplay() *cobra.Command {
	var s selfplayCommand
	return define(&cobra.Command{
		Use:   "selfplay",
		Short: "Play games of one player against itself and write training samples",
		Long: `Play games of one player against itself and write training samples: of the
network's tree search, or of the classical search, a teacher for networks that
know little yet.

One seed and one set of options give the same bytes, whatever the number of
workers. An interrupted run goes on with --resume and ends with the bytes of an
undisturbed one. With --cluster other machines may help.`,
		Example: `  carozero selfplay --games 200 --playouts 400 --out runs/one
  carozero selfplay --player alphabeta:nodes=2000 --games 2000 --stop-at-proof --out runs/taught`,
	}, s.run, s.register, s.cluster.registerHelped)
}

func (s *selfplayCommand) register(cmd *cobra.Command) {
	s.variant.register(cmd)
	s.net.register(cmd)
	fs, o := cmd.Flags(), &s.spec.Options
	s.tree = selfplay.DefaultTree()
	fs.StringVar(&s.player, "player", "mcts",
		"what plays: mcts, the network's tree search, or alphabeta:nodes=N, the classical search, described as in match")
	addNum(cmd, &s.tree.Playouts, option.Playouts.With(int64(s.tree.Playouts), "playouts of a full search").Above(2))
	fs.StringVar(&s.host.Dir, "out", "", "directory of the run, made if it does not exist (required)")
	addNum(cmd, &s.host.Workers,
		option.Workers.With(int64(runtime.NumCPU()), "games searched at the same time; changes no byte of the samples"))
	addNum(cmd, &s.host.AtOnce,
		option.AtOnce.With(0, option.AtOnce.Help+"; changes no byte of the samples"))
	addNum(cmd, &s.spec.Batch, option.Batch)
	fs.BoolVar(&s.host.Resume, "resume", false, "continue the run in --out, given the same options")
	addNum(cmd, &o.Seed, option.RandomSeed)
	option.SetDefaults(selfplay.Settings, o)
	addSettings(cmd, selfplay.Settings, o, "")
	fs.StringVar(&s.follow, "follow", "",
		"take the network from this file, which is looked at before each shard; "+
			"--model is what plays until it is there")
	addNum(cmd, &s.cacheMiB, option.Cache)
	addSettings(cmd, engine.GameSettings, &s.tree.TreeSettings, "mcts")

	needs(cmd, "out", "the directory that the samples go to")
	tree := func() bool { return strings.HasPrefix(s.player, engineMCTS) }
	goesWith(cmd, "--player mcts", tree, append(option.Keys(engine.GameSettings), "playouts", "cheap-playouts",
		"full-share", "cheap-weight", "drop-tree", "cache", "at-once", "batch", "model", "threads", "onnxruntime", "provider",
		"device", "forced-playouts", "gumbel", "gumbel-scale", "follow")...)
	goesWith(cmd, "--player alphabeta", func() bool { return !tree() }, "lines", "target-temperature", "max-loss")
	gumbel := func() bool { return o.Targets.Gumbel.Considered > 0 }
	goesWith(cmd, "--resign", func() bool { return o.ResignAt > 0 }, "resign-turns", "resign-audit")
	goesWith(cmd, "--cheap-playouts", func() bool { return o.CheapPlayouts > 0 }, "full-share", "cheap-weight")
	goesWith(cmd, "--opening-max", func() bool { return o.Opening.MaxPlies > 0 }, "opening-balance")
	goesWith(cmd, "--gumbel", gumbel, "gumbel-scale")
	goesWith(cmd, "games without --gumbel, which draws the moves itself",
		func() bool { return !gumbel() || o.CheapPlayouts > 0 }, "temperature", "temperature-end", "temperature-half-life")
	goesWith(cmd, "games without --gumbel, which has noise of its own", func() bool { return !gumbel() },
		"noise-total", "noise-share")
}

// run plays the run, with a cluster if it listens.
func (s *selfplayCommand) run(cmd *cobra.Command, _ []string) (report.Report, error) {
	v := s.variant.v
	if err := s.check(cmd, v); err != nil {
		return nil, err
	}
	loader := s.net.loader()
	m := selfplay.Machine{
		Loader: loader, Model: s.net.model, Follow: s.follow, CacheMiB: s.cacheMiB,
		Note: func(line string) { warn(s.net.messages(), "--follow: "+line) },
	}
	if s.host.Resume {
		m.Batch = selfplay.RecordedBatch(s.host.Dir)
	}
	p, err := s.spec.Open(m)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if s.host.AtOnce > 0 && p.Setup.Turns == nil {
		return nil, usagef("--at-once: the processor computes %s, with one game of each of the --workers",
			p.Setup.Header.Model)
	}
	bar := newProgress(p.Options.Games, "self-play")
	s.host.Progress = func(sum selfplay.Summary) { _ = bar.Set(sum.OnDisk) }
	var sum selfplay.Summary
	if s.cluster.listen == "" {
		sum, err = selfplay.Play(cmd.Context(), p.Setup, p.Options, s.host)
	} else {
		h := &clusterHost{coordinatorFlags: &s.cluster, cmd: cmd, dir: s.host.Dir}
		sum, err = h.play(cmd.Context(), p, loader.Provider(), s.host)
		h.close()
	}
	_ = bar.Close()
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	r := report.NewSelfplay(v, p.Setup.Header.Model, s.host.Dir, sum)
	err = interrupted(err,
		"%d of %d games are in %s; games under way that are lost and will be played again: %d; %s",
		r.GamesOnDisk, r.GamesWanted, s.host.Dir, r.Lost, goOn(cmd))
	if r.GamesOnDisk == 0 {
		return nil, err
	}
	return r, err
}

// check makes the run of the flags, and refuses what cannot be played.
func (s *selfplayCommand) check(cmd *cobra.Command, v games.Variant) error {
	if s.follow != "" && s.net.model == s.follow {
		return usagef("--model %s: that is what --follow looks at: name what plays until it is there, or nothing", s.follow)
	}
	if err := s.readPlayer(cmd.Flags().Changed); err != nil {
		return err
	}
	s.host.Now = time.Now
	s.spec.Version, s.spec.Commit, s.spec.Follow = version, commit, s.follow != ""
	s.spec.SetVariant(v)
	if err := s.spec.Check(v, flagOf); err != nil {
		return asUsage(err)
	}
	return asUsage(s.spec.CheckMemory(v, s.host.Workers, s.host.AtOnce, s.cacheMiB, flagOf))
}

// readPlayer reads --player. The settings of mcts are flags.
func (s *selfplayCommand) readPlayer(changed func(flag string) bool) error {
	spec, err := players.ParseSpec(s.player)
	if err == nil && spec.Kind == players.MCTS && len(spec.Args) > 0 {
		err = errors.New("the settings of mcts are flags here, as in --playouts 400")
	}
	if err == nil {
		err = s.spec.SetPlayer(spec, s.tree)
	}
	if err != nil || s.spec.Player == "" {
		return asUsage(about("--player", err))
	}
	o := &s.spec.Options
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
	return nil
}

// newSamples returns the command "samples".
func newSamples() *cobra.Command {
	return group("samples", "Look into training samples, verify, export and pack them",
		newSamplesInspect(), newSamplesVerify(), newSamplesExport(), newSamplesPack(), newSamplesUnpack())
}

// samplesPath is what most of these commands read.
const samplesPath = "a run's directory or a shard's file"

func newSamplesInspect() *cobra.Command {
	return define(&cobra.Command{
		Use:     "inspect PATH...",
		Short:   "Show counts, schema and statistics of runs or shards",
		Example: "  carozero samples inspect runs/one\n  carozero samples inspect --json runs/one/shard-000000.msgpack.zst",
		Args:    takes(1, many, samplesPath),
	}, func(cmd *cobra.Command, args []string) (report.Report, error) {
		for _, path := range args {
			if who, held := disk.DirHolder(path); held {
				fmt.Fprintf(cmd.ErrOrStderr(), "under way: %s: %v\n", path, who)
			}
		}
		total, shards, err := samples.Inspect(args...)
		if err != nil {
			return nil, err
		}
		return report.Inspection{Total: total, Shards: shards}, nil
	})
}

func newSamplesVerify() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "verify PATH...",
		Short: "Replay every game through the rules and check every row",
		Long: `Replay every game through the rules, recompute planes, legal moves and outcomes,
and check every checksum. The exit status is 3 if anything differs; the rows
are listed. A run whose last shards are still to come is in order, and may be
verified while it is played; one that lacks a shard before others is not.`,
		Example: "  carozero samples verify runs/one",
		Args:    takes(1, many, samplesPath),
	}
	addNum(cmd, &limit, option.Count.With(100, "most problems to list"))
	return define(cmd, func(cmd *cobra.Command, args []string) (report.Report, error) {
		r, err := samples.Verify(cmd.Context(), selfplay.SampleCodec, limit, args...)
		if err != nil {
			return nil, interrupted(err, "nothing is said of what was not looked at; run it again")
		}
		for _, who := range r.UnderWay {
			fmt.Fprintf(cmd.ErrOrStderr(), "under way: %s\n", who)
		}
		return report.Verification{Report: r}, found(r.Bad > 0, "samples verify: %d problems", r.Bad)
	})
}

// write is what a command that writes samples anew does; it leaves nothing behind if it fails.
type write func(cmd *cobra.Command, out string, step func(done, all int), args []string) (report.Report, error)

// writing defines a command that writes to --out, which help describes.
func writing(cmd *cobra.Command, help string, do write) *cobra.Command {
	var out string
	cmd.Flags().StringVar(&out, "out", "", help)
	needs(cmd, "out", help)
	if cmd.Args == nil {
		cmd.Args = takes(1, many, samplesPath)
	}
	return define(cmd, func(cmd *cobra.Command, args []string) (report.Report, error) {
		bar := newProgress(1, cmd.Name())
		r, err := do(cmd, out, bar.at, args)
		_ = bar.Finish()
		if err != nil {
			return nil, interrupted(err, "nothing is kept; run it again")
		}
		return r, nil
	})
}

const newFolder = "new or empty directory, made if it does not exist (required)"

func newSamplesExport() *cobra.Command {
	return writing(&cobra.Command{
		Use:   "export PATH... --out DIR",
		Short: "Write samples as numpy's npz",
		Long: `Write samples as numpy's npz: for each shard a file of rows and one of games, and
last export.json, which lists them with their checksums and headers.
docs/samples.md has the columns, and how to write Parquet. Shards may have
different rules and networks, but not different boards or inputs.`,
		Example: "  carozero samples export runs/one --out arrays",
	}, newFolder,
		func(cmd *cobra.Command, out string, step func(done, all int), args []string) (report.Report, error) {
			total, err := samples.Export(cmd.Context(), selfplay.SampleCodec, out, step, args...)
			return report.Collected{Total: total, Out: out}, err
		})
}

func newSamplesPack() *cobra.Command {
	return writing(&cobra.Command{
		Use:   "pack PATH... --out FILE",
		Short: "Pack whole runs into one file, to keep or send",
		Long: `Pack whole runs into one file. It holds the moves and what only the search knew:
visits, values and targets. 'samples unpack' makes the rest from the rules, and the
shards come back byte for byte.

A PATH is a run's directory, or a directory of runs, all of which are packed.
Runs that are under way or not whole are refused.`,
		Example: "  carozero samples pack runs/one runs/two --out runs.czpack",
		Args:    takes(1, many, "a run's directory, or one of runs"),
	}, "new file (required)",
		func(cmd *cobra.Command, out string, step func(done, all int), args []string) (report.Report, error) {
			total, err := samples.Pack(cmd.Context(), selfplay.SampleCodec, out, step, args...)
			return report.Packed{Packed: total, Out: out}, err
		})
}

func newSamplesUnpack() *cobra.Command {
	return writing(&cobra.Command{
		Use:   "unpack FILE --out DIR",
		Short: "Unpack the runs of an archive, byte for byte",
		Long: `Unpack the runs of an archive, each into a directory of its name below DIR, with
the bytes that it had. After an error or an interruption nothing is kept.`,
		Example: "  carozero samples unpack runs.czpack --out runs",
		Args:    takes(1, 1, "an archive"),
	}, newFolder,
		func(cmd *cobra.Command, out string, step func(done, all int), args []string) (report.Report, error) {
			total, err := samples.Unpack(cmd.Context(), selfplay.SampleCodec, args[0], out, step)
			return report.Packed{Packed: total, Out: out, Unpacked: true}, err
		})
}
