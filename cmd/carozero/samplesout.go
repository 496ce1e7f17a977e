package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/record/dataset"
	"github.com/carozero/carozero/selfplay/samples"
)

// samplesWrite holds what the commands that write samples anew have in common.
type samplesWrite struct {
	output outputFlags
	out    string
}

func (f *samplesWrite) register(cmd *cobra.Command) {
	f.output.register(cmd)
	cmd.Flags().StringVar(&f.out, "out", "", "new or empty directory, made if it does not exist (required)")
}

// run checks the flags and has write do the work, which leaves nothing behind if it
// fails.
func (f *samplesWrite) run(cmd *cobra.Command, write func(ctx context.Context, step dataset.Progress) (report.Report, error)) error {
	if f.out == "" {
		return usagef("--out is missing: name a new or empty directory")
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
			return f.run(cmd, func(ctx context.Context, step dataset.Progress) (report.Report, error) {
				total, err := dataset.Merge(ctx, samples.Disk{}, f.out, o, step, args...)
				return report.Collected{Total: total, Out: f.out}, err
			})
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&o.Mixed, "mixed", false, "let search options and filters differ, but for what made the policy targets")
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
result, reason, outcome, proven. Keys that are true or false: full_search, audit,
fork (=no for the others). Shares that depend on seeds alone: share=0.1 of the
rows, games=0..0.9 of the games and games=0.9..1 of the others. unique keeps the
first row of each position, repeats<=N the first N, over all paths together.`,
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
			return f.run(cmd, func(ctx context.Context, step dataset.Progress) (report.Report, error) {
				kept, err := dataset.Filter(ctx, samples.Disk{}, generate.SampleCodec, f.out, where, step, args...)
				return report.Filtered{Kept: kept, Where: where.String(), Out: f.out}, err
			})
		},
	}
	f.register(cmd)
	cmd.Flags().StringArrayVar(&conditions, "where", nil, "conditions with commas between them; given again: more of them (required)")
	return cmd
}

func newSamplesExport() *cobra.Command {
	var f samplesWrite
	var o dataset.ExportOptions
	var kind string
	cmd := &cobra.Command{
		Use:   "export PATH... --out DIR",
		Short: "Write samples as numpy's npz or as Parquet",
		Long: `Write samples as numpy's npz or as Parquet: for each shard a file of rows and one
of games, and last export.json, which lists them with their columns, checksums
and headers. docs/samples.md has the columns. Shards may have different rules and
networks, but not different boards or inputs.`,
		Example: `  carozero samples export runs/one --out arrays
  carozero samples export --format parquet --unpacked runs/one --out tables`,
		Args: someArgs("a run's directory or a shard's file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Kind = dataset.Kind(kind)
			return f.run(cmd, func(ctx context.Context, step dataset.Progress) (report.Report, error) {
				total, err := dataset.Export(ctx, samples.Disk{}, generate.SampleCodec, f.out, o, step, args...)
				return report.Collected{Total: total, Out: f.out}, err
			})
		},
	}
	f.register(cmd)
	addWord(cmd, &kind, "format", string(dataset.NPZ), strings.Join(dataset.Kinds(), " or "), dataset.Kinds()...)
	cmd.Flags().BoolVar(&o.Unpacked, "unpacked", false, "planes [rows, planes, height, width] and legal actions with a byte for each, not a bit")
	return cmd
}
