package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/selfplay/samples"
)

// newSamples returns the command "samples".
func newSamples() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "samples",
		Short: "Look into training samples and verify them",
		Args:  cobra.ArbitraryArgs,
		RunE:  groupRun,
	}
	cmd.AddCommand(newSamplesInspect(), newSamplesVerify())
	return cmd
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
			report := inspectReport{Total: total, Shards: shards}
			return output.print(cmd.OutOrStdout(), report, report.text)
		},
	}
	output.register(cmd)
	return cmd
}

type inspectReport struct {
	Total  samples.Statistics  `json:"total"`
	Shards []samples.ShardInfo `json:"shards"`
}

func (r inspectReport) text(w io.Writer) {
	if len(r.Shards) > 0 {
		s := &r.Shards[0]
		name, _ := s.Header.Rule.Get("name")
		fmt.Fprintf(w, "%s %s %dx%d, planes %s, model %s, seed %d\n\n",
			single(s.Header.Game), single(fmt.Sprint(name)), s.Header.Size, s.Header.Size,
			single(fmt.Sprint(s.Header.Planes.Version)), single(s.Header.Model), s.Header.Seed)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "column\tdtype\tshape in %s\n", s.File)
		for _, c := range s.Columns {
			fmt.Fprintf(t, "%s\t%s\t%v\n", single(c.Name), single(c.DType), c.Shape)
		}
		t.Flush()
		fmt.Fprintln(w)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "shard\tbytes\tgames\trows\tfirst\tsecond\tdraws\tplies\t|q|\tentropy\tvisits\tproven\t")
	for i := range r.Shards {
		statisticsRow(t, single(r.Shards[i].File), &r.Shards[i].Statistics)
	}
	statisticsRow(t, "all", &r.Total)
	t.Flush()
	fmt.Fprintf(w, "different positions: %d of %d\n", r.Total.DistinctRows, r.Total.Rows)
}

func statisticsRow(w io.Writer, name string, s *samples.Statistics) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t%.3f\t%.2f\t%.1f\t%d\t\n",
		name, s.Bytes, s.Games, s.Rows, s.First, s.Second, s.Draws, s.MeanPlies, s.MeanAbsQ, s.MeanEntropy, s.MeanVisits, s.ProvenRows)
}

func newSamplesVerify() *cobra.Command {
	var (
		output outputFlags
		limit  int
	)
	cmd := &cobra.Command{
		Use:   "verify PATH...",
		Short: "Replay every game through the rules and check every row",
		Long: `Replay every game through the rules, recompute planes, legal moves and outcomes,
and check every checksum. The exit status is 3 if anything differs; the rows
are listed. A run whose last shards are still to come is in order, and may be
verified while it is played; one that lacks a shard before others is not.`,
		Example: "  carozero samples verify runs/one",
		Args:    someArgs("a run's directory or a shard's file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := samples.Verify(cmd.Context(), samples.Disk{}, engine.SampleKit, limit, args...)
			if err != nil {
				return interrupted(err, "nothing is said of what was not looked at; run it again")
			}
			for _, who := range report.UnderWay {
				fmt.Fprintf(cmd.ErrOrStderr(), "under way: %s\n", who)
			}
			err = output.print(cmd.OutOrStdout(), report, func(w io.Writer) { verifyText(w, &report) })
			if err == nil && report.Bad > 0 {
				err = fmt.Errorf("samples verify: %d problems%w", report.Bad, errFound)
			}
			return err
		},
	}
	output.register(cmd)
	addInt(cmd, &limit, option.Count.With(100, "most problems to list"))
	return cmd
}

// verifyText shows what was found.
func verifyText(w io.Writer, r *samples.Report) {
	for _, p := range r.Problems {
		fmt.Fprintln(w, single(fmt.Sprint(p)))
	}
	if r.Bad > len(r.Problems) {
		fmt.Fprintf(w, "... and %d more (--limit)\n", r.Bad-len(r.Problems))
	}
	if r.Bad > 0 {
		return
	}
	fmt.Fprintf(w, "verified: %d shards, %d games, %d rows, all as the rules have them\n", r.Shards, r.Games, r.Rows)
	if r.Games < r.Planned {
		fmt.Fprintf(w, "not finished: %d of %d games are in shards, %d wait for theirs\n", r.Games, r.Planned, r.Waiting)
	}
}
