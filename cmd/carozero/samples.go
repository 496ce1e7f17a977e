package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/dataset"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

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
		Args:    someArgs(samplesPath),
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
		Args:    someArgs(samplesPath),
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
		cmd.Args = someArgs(samplesPath)
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
			total, err := dataset.Export(cmd.Context(), selfplay.SampleCodec, out, step, args...)
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
		Args:    someArgs("a run's directory, or one of runs"),
	}, "new file (required)",
		func(cmd *cobra.Command, out string, step func(done, all int), args []string) (report.Report, error) {
			total, err := dataset.Pack(cmd.Context(), selfplay.SampleCodec, out, step, args...)
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
		Args:    oneArg("an archive"),
	}, newFolder,
		func(cmd *cobra.Command, out string, step func(done, all int), args []string) (report.Report, error) {
			total, err := dataset.Unpack(cmd.Context(), selfplay.SampleCodec, args[0], out, step)
			return report.Unpacked{Packed: total, Out: out}, err
		})
}
