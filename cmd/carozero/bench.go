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
	"github.com/carozero/carozero/internal/report"
)

// benchCommand holds the flags of the command "bench".
type benchCommand struct {
	variant variantFlags
	net     netFlags
	opts    bench.Options
}

// newBench returns the command "bench".
func newBench() *cobra.Command {
	var b benchCommand
	return define(&cobra.Command{
		Use:   "bench [PART...]",
		Short: "Measure speed against the raw limit of the same run",
		Long: `Measure the speed of the engine's parts: rules, nn (the network alone), alphabeta,
mcts and selfplay; all of them if none is named. The searches and self-play have no
cache, and raw_evals_per_s is the network alone, timed in turn with them. On a device nn
tries sizes of batches and names the one to take for --batch, and the others also tell
how full its batches are. --model simulated is a device that is not there,
simulated:10 one ten times slower; for it they also tell how idle it is, how much of its
limit is reached, and the processor time of an evaluation. The signature of alphabeta is
the number of nodes to --depth on one thread, the same on every run and every machine; it
changes only with the search itself.`,
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
	}, b.run, b.variant.register, b.net.register, b.register)
}

func (b *benchCommand) register(cmd *cobra.Command) {
	addNum(cmd, &b.opts.Duration, option.Time.Named("duration").With(3*time.Second,
		"rules, nn, selfplay on a device: how long to measure"))
	addNum(cmd, &b.opts.Playouts, option.Playouts.With(400, "mcts, selfplay: playouts of a search").Above(2))
	addNum(cmd, &b.opts.Depth, option.Depth.With(12, "alphabeta: depth of the searches, in plies"))
	among := func(parts ...string) func() bool {
		return func() bool {
			asked := cmd.Flags().Args()
			return len(asked) == 0 || slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(asked, part) })
		}
	}
	goesWith(cmd, "alphabeta", among("alphabeta"), "depth")
	goesWith(cmd, "mcts or selfplay", among("mcts", "selfplay"), "playouts")
	goesWith(cmd, "rules, nn or selfplay", among("rules", "nn", "selfplay"), "duration")
	goesWith(cmd, "nn, mcts or selfplay", among("nn", "mcts", "selfplay"), "model", "onnxruntime", "provider", "threads")
}

func (b *benchCommand) run(cmd *cobra.Command, parts []string) (report.Report, error) {
	v := b.variant.v
	loader := b.net.loader()
	b.opts.Threads, b.opts.ProcessorTime = loader.Threads(), processorTime
	perThread := bench.LargestBatch*v.RowBytes() + v.TreeBytes(b.opts.Playouts, bench.TreeMiB) +
		games.MaxInFlight*v.RowBytes()
	if err := checkMemory(need{fmt.Sprintf("--threads %d", b.opts.Threads), perThread, b.opts.Threads}); err != nil {
		return nil, err
	}
	var n *networks.Net
	b.opts.Open = func() (_ *networks.Net, err error) {
		n, err = loader.Open(v, b.net.model)
		return n, err
	}
	r, err := bench.Run(cmd.Context(), v, b.opts, parts...)
	if n != nil {
		defer n.Close()
	}
	if err != nil {
		return nil, interrupted(err, "a measurement that is cut short is none; nothing is kept")
	}
	return r, nil
}
