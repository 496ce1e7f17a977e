package main

import (
	"context"
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

func newSamplesInspect() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:     "inspect PATH...",
		Short:   "Show counts, schema and statistics of runs or shards",
		Example: "  carozero samples inspect runs/one\n  carozero samples inspect --json runs/one/shard-000000.msgpack.zst",
		Args:    someArgs("a run's directory or a shard's file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, path := range args {
				if who, held := disk.DirHolder(path); held {
					fmt.Fprintf(cmd.ErrOrStderr(), "under way: %s: %v\n", path, who)
				}
			}
			total, shards, err := samples.Inspect(args...)
			if err != nil {
				return err
			}
			return output.print(cmd, report.Inspection{Total: total, Shards: shards})
		},
	}
	output.register(cmd)
	return cmd
}

func newSamplesVerify() *cobra.Command {
	var (
		output outputFlags
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
		Args:    someArgs("a run's directory or a shard's file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			seen, err := samples.Verify(cmd.Context(), selfplay.SampleCodec, limit, args...)
			if err != nil {
				return interrupted(err, "nothing is said of what was not looked at; run it again")
			}
			for _, who := range seen.UnderWay {
				fmt.Fprintf(cmd.ErrOrStderr(), "under way: %s\n", who)
			}
			r := report.Verification{Report: seen}
			bad := r.Bad
			if proofs && bad == 0 {
				p, err := selfplay.CheckProofs(cmd.Context(), rowProofNodes, args...)
				if err != nil {
					return interrupted(err, "%d rows that say won or lost were looked at; run it again", p.Rows)
				}
				r.Proofs, bad = &p, len(p.False)
			}
			return found(output.print(cmd, r), bad > 0, "samples verify: %d problems", bad)
		},
	}
	output.register(cmd)
	addNum(cmd, &limit, option.Count.With(100, "most problems to list"))
	cmd.Flags().BoolVar(&proofs, "proofs", false, "look for a certificate of each row that says it is won or lost")
	return cmd
}

// rowProofNodes is how many moves the solvers play at most for the proof of a row.
const rowProofNodes = 200_000

// samplesWrite holds what the commands that write samples anew have in common.
type samplesWrite struct {
	output outputFlags
	out    string
	want   string // what --out names, for errors
}

const newFolder = "a new or empty directory"

func (f *samplesWrite) register(cmd *cobra.Command, want, help string) {
	f.want = want
	f.output.register(cmd)
	cmd.Flags().StringVar(&f.out, "out", "", help)
}

// folder registers the flags of a command that writes to a folder.
func (f *samplesWrite) folder(cmd *cobra.Command) {
	f.register(cmd, newFolder, "new or empty directory, made if it does not exist (required)")
}

// run checks the flags and has write do the work, which leaves nothing behind if it
// fails.
func (f *samplesWrite) run(cmd *cobra.Command, write func(ctx context.Context, step func(done,
	all int)) (report.Report, error)) error {
	if f.out == "" {
		return usagef("--out is missing: name %s", f.want)
	}
	bar := newProgress(1, cmd.Name())
	r, err := write(cmd.Context(), bar.at)
	_ = bar.Finish()
	if err != nil {
		return interrupted(err, "nothing is kept; run it again")
	}
	return f.output.print(cmd, r)
}

func newSamplesMerge() *cobra.Command {
	var f samplesWrite
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
		Args:    someArgs("a run's directory or a shard's file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, func(ctx context.Context, step func(done, all int)) (report.Report, error) {
				total, err := dataset.Merge(ctx, f.out, o, step, args...)
				return report.Collected{Total: total, Out: f.out}, err
			})
		},
	}
	f.folder(cmd)
	cmd.Flags().BoolVar(&o.Mixed, "mixed", false,
		"let search options and filters differ, but for what made the policy targets")
	return cmd
}

func newSamplesFilter() *cobra.Command {
	var f samplesWrite
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
		Args: someArgs("a run's directory or a shard's file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(conditions) == 0 {
				return usagef("--where is missing: name conditions, such as ply>=10")
			}
			where, err := samples.ParseWhere(strings.Join(conditions, ","))
			if err != nil {
				return usagef("--where: %w", err)
			}
			return f.run(cmd, func(ctx context.Context, step func(done, all int)) (report.Report, error) {
				kept, err := dataset.Filter(ctx, selfplay.SampleCodec, f.out, where, step, args...)
				return report.Filtered{Kept: kept, Where: where.String(), Out: f.out}, err
			})
		},
	}
	f.folder(cmd)
	cmd.Flags().StringArrayVar(&conditions, "where", nil,
		"conditions with commas between them; given again: more of them (required)")
	return cmd
}

func newSamplesExport() *cobra.Command {
	var f samplesWrite
	var unpacked bool
	cmd := &cobra.Command{
		Use:   "export PATH... --out DIR",
		Short: "Write samples as numpy's npz",
		Long: `Write samples as numpy's npz: for each shard a file of rows and one of games, and
last export.json, which lists them with their columns, checksums and headers.
docs/samples.md has the columns, and how to write Parquet. Shards may have
different rules and networks, but not different boards or inputs.`,
		Example: "  carozero samples export runs/one --out arrays",
		Args:    someArgs("a run's directory or a shard's file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, func(ctx context.Context, step func(done, all int)) (report.Report, error) {
				total, err := dataset.Export(ctx, selfplay.SampleCodec, f.out, unpacked, step, args...)
				return report.Collected{Total: total, Out: f.out}, err
			})
		},
	}
	f.folder(cmd)
	cmd.Flags().BoolVar(&unpacked, "unpacked", false,
		"planes [rows, planes, height, width] and legal actions with a byte for each, not a bit")
	return cmd
}

func newSamplesPack() *cobra.Command {
	var f samplesWrite
	cmd := &cobra.Command{
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
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, func(ctx context.Context, step func(done, all int)) (report.Report, error) {
				total, err := dataset.Pack(ctx, selfplay.SampleCodec, f.out, step, args...)
				return report.Packed{Packed: total, Out: f.out}, err
			})
		},
	}
	f.register(cmd, "a new file", "new file (required)")
	return cmd
}

func newSamplesUnpack() *cobra.Command {
	var f samplesWrite
	var list bool
	cmd := &cobra.Command{
		Use:   "unpack FILE --out DIR",
		Short: "Unpack the runs of an archive, byte for byte",
		Long: `Unpack the runs of an archive, each into a directory of its name below DIR, with
the bytes that it had. After an error or an interruption nothing is kept.`,
		Example: `  carozero samples unpack runs.czpack --list
  carozero samples unpack runs.czpack --out runs`,
		Args: someArgs("an archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := noArgs(cmd, args[1:]); err != nil {
				return err
			}
			if list {
				l, err := dataset.List(cmd.Context(), args[0])
				if err != nil {
					return interrupted(err, "nothing is said of what was not looked at; run it again")
				}
				return f.output.print(cmd, report.Archive{Listing: l, File: args[0]})
			}
			return f.run(cmd, func(ctx context.Context, step func(done, all int)) (report.Report, error) {
				total, err := dataset.Unpack(ctx, selfplay.SampleCodec, args[0], f.out, step)
				return report.Unpacked{Packed: total, Out: f.out}, err
			})
		},
	}
	f.register(cmd, newFolder+", or --list to see what is inside",
		"new or empty directory, made if it does not exist (required without --list)")
	cmd.Flags().BoolVar(&list, "list", false, "say what is inside, and unpack nothing")
	return cmd
}
