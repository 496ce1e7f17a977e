package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/selfplay/samples"
)

// newSamples returns the command "samples".
func newSamples() *cobra.Command {
	return group("samples", "Look into training samples, verify, merge, filter, export and pack them",
		newSamplesInspect(), newSamplesVerify(), newSamplesMerge(), newSamplesFilter(), newSamplesExport(), newSamplesPack(), newSamplesUnpack())
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
				if who := (samples.Disk{}).Holder(path); who != "" {
					fmt.Fprintf(cmd.ErrOrStderr(), "under way: %s: %s\n", path, who)
				}
			}
			total, shards, err := samples.Inspect(samples.Disk{}, args...)
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
			seen, err := samples.Verify(cmd.Context(), samples.Disk{}, generate.SampleCodec, limit, args...)
			if err != nil {
				return interrupted(err, "nothing is said of what was not looked at; run it again")
			}
			for _, who := range seen.UnderWay {
				fmt.Fprintf(cmd.ErrOrStderr(), "under way: %s\n", who)
			}
			r := report.Verification{Report: seen}
			bad := r.Bad
			if proofs && bad == 0 {
				p, err := generate.CheckProofs(cmd.Context(), samples.Disk{}, rowProofNodes, args...)
				if err != nil {
					return interrupted(err, "%d rows that say won or lost were looked at; run it again", p.Rows)
				}
				r.Proofs, bad = &p, len(p.False)
			}
			return found(output.print(cmd, r), bad > 0, "samples verify: %d problems", bad)
		},
	}
	output.register(cmd)
	addInt(cmd, &limit, option.Count.With(100, "most problems to list"))
	cmd.Flags().BoolVar(&proofs, "proofs", false, "look for a certificate of each row that says it is won or lost")
	return cmd
}

// rowProofNodes is how many moves the solvers play at most for the proof of a row.
const rowProofNodes = 200_000
