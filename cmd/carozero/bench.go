package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/bench"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
)

// newBench returns the command "bench".
func newBench() *cobra.Command {
	var (
		variant variantFlags
		net     netFlags
		output  outputFlags
		opts    bench.Options
	)
	cmd := &cobra.Command{
		Use:   "bench [PART...]",
		Short: "Measure speed against the raw limit of the same run",
		Long: `Measure the speed of the engine's parts: rules, nn (the network alone), alphabeta,
mcts and selfplay; all of them if none is named. The searches and self-play have no
cache, and raw_evals_per_s is the network alone, timed in turn with them. On a device they
also tell how full its batches are. --model simulated is a device that is not there,
simulated:10 one ten times slower; for it they also tell how idle it is, how much of its
limit is reached, and the processor time of an evaluation. The signature of alphabeta is
the number of nodes to --depth on one thread, the same on every run and every machine; it changes only with the search itself.`,
		Example: `  carozero bench
  carozero bench alphabeta --rule freestyle
  carozero bench nn mcts --model net.onnx --size 19 --threads 2`,
		Args: func(_ *cobra.Command, args []string) error {
			for _, part := range args {
				if !slices.Contains(bench.Parts, part) {
					return usagef("bench: unknown part %s; one of: %s", shownValue(part), strings.Join(bench.Parts, ", "))
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			v, err := variant.variant()
			if err != nil {
				return err
			}
			loader := net.loader()
			opts.Threads, opts.ProcessorTime = loader.Threads(), processorTime
			var m option.Memory
			m.Add(fmt.Sprintf("--threads %d", opts.Threads),
				bench.LargestBatch*v.RowBytes()+
					bench.AtOnce*(v.TreeBytes(opts.Playouts, bench.TreeMiB)+games.MaxInFlight*v.RowBytes()), opts.Threads)
			if err := checkMemory(&m); err != nil {
				return err
			}
			var n *networks.Net
			opts.Open = func() (*networks.Net, error) {
				n, err = loader.Open(v, net.model)
				return n, err
			}
			r, err := bench.Run(cmd.Context(), v, opts, args...)
			if n != nil {
				defer n.Close()
			}
			if err != nil {
				return interrupted(err, "a measurement that is cut short is none; nothing is kept")
			}
			return output.print(cmd, r)
		},
	}
	variant.register(cmd)
	net.register(cmd)
	output.register(cmd)
	addNum(cmd, &opts.Duration, option.Time.Named("duration").With(3*time.Second, "rules, nn: how long to measure"))
	addNum(cmd, &opts.Playouts, option.Playouts.With(400, "mcts, selfplay: playouts of a search").Above(2))
	addNum(cmd, &opts.Depth, option.Depth.With(12, "alphabeta: depth of the searches, in plies"))
	return cmd
}
