package main

import (
	"fmt"
	"strings"

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
	return group("samples", "Look into training samples, verify, merge, filter, export and pack them",
		newSamplesInspect(), newSamplesVerify(), newSamplesMerge(), newSamplesFilter(), newSamplesExport(), newSamplesPack(),
		newSamplesUnpack())
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
	var (
		limit  int
		proofs bool
	)
	cmd := &cobra.Command{
		Use:   "verify PATH...",
		Short: "Replay every game through the rules and check every row",
		Long: `Replay every game through the rules, recompute planes, legal moves and outcomes,
and check every checksum. The exit status is 3 if anything differs; the rows
are listed. A run whose last shards are still to come is in order, and may be
verified while it is played; one that lacks a shard before others is not.

--proofs also looks for a certificate of each row that says it is won or lost, in a run
that is in order: a row whose other side is certified to win is false, and the exit
status is 3. In Onitama all moves are searched in place of that. What is not found
within some 200,000 moves a row stays open.`,
		Example: "  carozero samples verify runs/one\n  carozero samples verify --proofs runs/one",
		Args:    someArgs(samplesPath),
	}
	addNum(cmd, &limit, option.Count.With(100, "most problems to list"))
	cmd.Flags().BoolVar(&proofs, "proofs", false, "look for a certificate of each row that says it is won or lost")
	return define(cmd, func(cmd *cobra.Command, args []string) (report.Report, error) {
		seen, err := samples.Verify(cmd.Context(), selfplay.SampleCodec, limit, args...)
		if err != nil {
			return nil, interrupted(err, "nothing is said of what was not looked at; run it again")
		}
		for _, who := range seen.UnderWay {
			fmt.Fprintf(cmd.ErrOrStderr(), "under way: %s\n", who)
		}
		r := report.Verification{Report: seen}
		bad := r.Bad
		if proofs && bad == 0 {
			p, err := selfplay.CheckProofs(cmd.Context(), rowProofNodes, args...)
			if err != nil {
				return nil, interrupted(err, "%d rows that say won or lost were looked at; run it again", p.Rows)
			}
			r.Proofs, bad = &p, len(p.False)
		}
		return r, found(bad > 0, "samples verify: %d problems", bad)
	})
}

// rowProofNodes is how many moves the solvers play at most for the proof of a row.
const rowProofNodes = 200_000

// write is what a command that writes samples anew does; it leaves nothing behind if it fails.
type write func(cmd *cobra.Command, out string, step func(done, all int), args []string) (report.Report, error)

// writing defines a command that writes to --out, which help describes.
func writing(cmd *cobra.Command, help string, do write) *cobra.Command {
	var out string
	cmd.Flags().StringVar(&out, "out", "", help)
	if cmd.Args == nil {
		cmd.Args = someArgs(samplesPath)
	}
	return define(cmd, func(cmd *cobra.Command, args []string) (report.Report, error) {
		if out == "" && !cmd.Flags().Changed("list") { // which writes nothing
			return nil, usagef("--out is missing: %s", help)
		}
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

func newSamplesMerge() *cobra.Command {
	var o dataset.MergeOptions
	cmd := &cobra.Command{
		Use:   "merge PATH... --out DIR",
		Short: "Collect the shards of several runs in one directory",
		Long: `Collect the shards of several runs in one directory, byte for byte, with a
manifest of their own. The runs must agree in game, rule, size, inputs, search
options and filter; seed, network and build may differ. Every shard keeps its
header and the ids of its games, so "samples verify" replays the whole. A game
that comes twice is refused.`,
		Example: "  carozero samples merge runs/one runs/two --out runs/both",
	}
	cmd.Flags().BoolVar(&o.Mixed, "mixed", false,
		"let search options and filters differ, but for what made the policy targets")
	return writing(cmd, newFolder,
		func(cmd *cobra.Command, out string, step func(done, all int), args []string) (report.Report, error) {
			total, err := dataset.Merge(cmd.Context(), out, o, step, args...)
			return report.Collected{Total: total, Out: out}, err
		})
}

func newSamplesFilter() *cobra.Command {
	var conditions []string
	cmd := &cobra.Command{
		Use:   "filter PATH... --out DIR --where CONDITIONS",
		Short: "Keep the rows that fit conditions",
		Long: `Keep the rows that fit all conditions, and the games that have some left. The
conditions stand in the headers, and "samples verify" holds the rows to them.

Keys that are compared with numbers (<, <=, >, >=, =, !=): ply, plies_left,
length (plies of the game), id, weight, root_q, net_q, visits, moves (that the
target is over), entropy (of the target, in nats), surprise (|root_q - net_q|),
error (|root_q - outcome|), regret (largest share of the target less that of the
move played). Keys of words (=, !=; several with | between them): rule, model,
result, reason, outcome, proven. Keys that are true or false: full_search, audit
(=no for the others). Shares that depend on seeds alone: share=0.1 of the rows,
games=0..0.9 of the games and games=0.9..1 of the others. unique keeps the first
row of each position, repeats<=N the first N, over all paths together.`,
		Example: `  carozero samples filter runs/one --out runs/late --where 'ply>=30, full_search'
  carozero samples filter runs/one --out runs/train --where games=0..0.9 --where unique
  carozero samples filter runs/one --out runs/hard --where 'surprise>=0.5, proven=unknown'`,
	}
	cmd.Flags().StringArrayVar(&conditions, "where", nil,
		"conditions with commas between them; given again: more of them (required)")
	return writing(cmd, newFolder,
		func(cmd *cobra.Command, out string, step func(done, all int), args []string) (report.Report, error) {
			if len(conditions) == 0 {
				return nil, usagef("--where is missing: name conditions, such as ply>=10")
			}
			where, err := samples.ParseWhere(strings.Join(conditions, ","))
			if err != nil {
				return nil, usagef("--where: %w", err)
			}
			kept, err := dataset.Filter(cmd.Context(), selfplay.SampleCodec, out, where, step, args...)
			return report.Filtered{Kept: kept, Where: where.String(), Out: out}, err
		})
}

func newSamplesExport() *cobra.Command {
	var unpacked bool
	cmd := &cobra.Command{
		Use:   "export PATH... --out DIR",
		Short: "Write samples as numpy's npz",
		Long: `Write samples as numpy's npz: for each shard a file of rows and one of games, and
last export.json, which lists them with their columns, checksums and headers.
docs/samples.md has the columns, and how to write Parquet. Shards may have
different rules and networks, but not different boards or inputs.`,
		Example: "  carozero samples export runs/one --out arrays",
	}
	cmd.Flags().BoolVar(&unpacked, "unpacked", false,
		"planes [rows, planes, height, width] and legal actions with a byte for each, not a bit")
	return writing(cmd, newFolder,
		func(cmd *cobra.Command, out string, step func(done, all int), args []string) (report.Report, error) {
			total, err := dataset.Export(cmd.Context(), selfplay.SampleCodec, out, unpacked, step, args...)
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
Runs that are under way or not whole are refused, and so is what was merged or
filtered of runs.`,
		Example: "  carozero samples pack runs/one runs/two --out runs.czpack",
		Args:    someArgs("a run's directory, or one of runs"),
	}, "new file (required)",
		func(cmd *cobra.Command, out string, step func(done, all int), args []string) (report.Report, error) {
			total, err := dataset.Pack(cmd.Context(), selfplay.SampleCodec, out, step, args...)
			return report.Packed{Packed: total, Out: out}, err
		})
}

func newSamplesUnpack() *cobra.Command {
	var list bool
	cmd := writing(&cobra.Command{
		Use:   "unpack FILE --out DIR",
		Short: "Unpack the runs of an archive, byte for byte",
		Long: `Unpack the runs of an archive, each into a directory of its name below DIR, with
the bytes that it had. After an error or an interruption nothing is kept.`,
		Example: `  carozero samples unpack runs.czpack --list
  carozero samples unpack runs.czpack --out runs`,
		Args: oneArg("an archive"),
	}, "new or empty directory, made if it does not exist (required without --list)",
		func(cmd *cobra.Command, out string, step func(done, all int), args []string) (report.Report, error) {
			if list {
				l, err := dataset.List(cmd.Context(), args[0])
				return report.Archive{Listing: l, File: args[0]}, err
			}
			total, err := dataset.Unpack(cmd.Context(), selfplay.SampleCodec, args[0], out, step)
			return report.Unpacked{Packed: total, Out: out}, err
		})
	cmd.Flags().BoolVar(&list, "list", false, "say what is inside, and unpack nothing")
	return cmd
}
