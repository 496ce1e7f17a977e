package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/front/bench"
)

// BenchRules is what "bench rules" prints.
type BenchRules struct{ *bench.Rules }

// Text implements [Report].
func (r BenchRules) Text(w io.Writer) {
	fmt.Fprintf(w, "%s %dx%d: %.2f M play+undo/s, %.2f M move lists/s, %.2f M win lists/s (%d random games, %.1f moves each)\n",
		r.Rule, r.Size, r.Size, r.PlayUndoPerS/1e6, r.MovesPerS/1e6, r.WinsPerS/1e6, r.MeasuredGames, r.MovesPerGame)
	if r.PatternPlayUndoPerS > 0 {
		fmt.Fprintf(w, "with patterns: %.2f M play+undo/s, %.2f us to encode a position (games of the tactical suite)\n",
			r.PatternPlayUndoPerS/1e6, r.EncodeNanos/1e3)
	}
}

// BenchNN is what "bench nn" prints.
type BenchNN struct {
	*bench.NN
	Size int `json:"-"` // side length of the boards
}

// Text implements [Report].
func (r BenchNN) Text(w io.Writer) {
	fmt.Fprintf(w, "%s on %dx%d: %.0f evals/s (batch %d, %d threads, %d session)\n",
		r.Model, r.Size, r.Size, r.EvalsPerS, r.Batch, r.Threads, r.Sessions)
}

// BenchMCTS is what "bench mcts" prints.
type BenchMCTS struct{ *bench.MCTS }

// Text implements [Report].
func (r BenchMCTS) Text(w io.Writer) {
	fmt.Fprintf(w, "%s %dx%d with %s, %d searches of %d playouts, %d threads, %d in flight:\n",
		r.Rule, r.Size, r.Size, r.Model, r.Searches, r.Playouts, r.Threads, r.InFlight)
	fmt.Fprintf(w, "%.0f playouts/s, %.0f evals/s", r.PlayoutsPerS, r.EvalsPerS)
	if r.RawEvalsPerS > 0 {
		fmt.Fprintf(w, " (raw %.0f: %+.1f%%), overhead %.1f%%, solver %.1f%%",
			r.RawEvalsPerS, 100*r.RawRatio, 100*r.Overhead, 100*r.SolverShare)
	}
	fmt.Fprintf(w, "; %.1f bytes a node, %.1f an edge\n", r.BytesPerNode, r.BytesPerEdge)
}

// BenchSelfplay is what "bench selfplay" prints.
type BenchSelfplay struct{ *bench.Selfplay }

// Text implements [Report].
func (r BenchSelfplay) Text(w io.Writer) {
	of, used := "", ""
	if r.RawEvalsPerS > 0 {
		of, used = fmt.Sprintf(" of %.0f raw", r.RawEvalsPerS), fmt.Sprintf("%.1f%% used, ", 100*r.Utilisation)
	}
	fmt.Fprintf(w, "%s %dx%d with %s: %.1f positions/s, %.0f evals/s%s on %d threads: %s%.1f%% idle at the end (%d games of %d playouts a move)\n",
		r.Rule, r.Size, r.Size, r.Model, r.PositionsPS, r.EvalsPerS, of, r.Workers, used, 100*r.Idle, r.Games, r.Playouts)
}

// BenchAlphaBeta is what "bench alphabeta" prints.
type BenchAlphaBeta struct{ *bench.AlphaBeta }

// Text implements [Report].
func (r BenchAlphaBeta) Text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "no\tbest\tscore\tdepth\tnodes\tquiescence\tsolver\tms\t")
	for i, p := range r.Positions {
		fmt.Fprintf(t, "%d.\t%s\t%s\t%d\t%d\t%d\t%d\t%.0f\t\n", i+1, p.Move,
			alphabeta.Score(p.Score), p.Depth, p.Nodes, p.QuiescenceNodes, p.SolverNodes, p.TimeMS)
	}
	t.Flush()
	fmt.Fprintf(w, "\n%s %dx%d, depth %d, %d threads, table %d MiB: %.0f nodes/s, %.2f M move+undo/s\n",
		r.Rule, r.Size, r.Size, r.Depth, r.Threads, r.TableMiB, r.NodesPerS, r.MoveUndoPerS/1e6)
	fmt.Fprintf(w, "nodes %d (quiescence %d, solver %d), %.0f ms; table hit rate %.1f%%, first-move cutoffs %.1f%%\n",
		r.Nodes, r.QuiescenceNodes, r.SolverNodes, r.TimeMS, 100*r.HitRate, 100*r.FirstCutoffRate)
	if r.Threads == 1 {
		fmt.Fprintf(w, "signature %d\n", r.Signature)
	}
	if s := r.SMP; s != nil {
		fmt.Fprintf(w, "%d threads, %d positions to depth %d: %.2f times the nodes/s of %d independent searches, %.2f times as fast to the depth as one thread, with %.2f times its nodes\n",
			s.Threads, s.Positions, s.Depth, s.Speed, s.Threads, s.Time, s.Nodes)
	}
	if s := r.Tactics; s != nil {
		suiteText(w, s)
	}
	if s := r.Settled; s != nil {
		fmt.Fprintf(w, "%d quiet positions for %.0f ms each: move and score found for good after %.0f ms in the median, %.0f ms in the mean; mean depth %.1f\n",
			s.Positions, s.TimeMS, s.MedianMS, s.MeanMS, s.Depth)
	}
}

// suiteText shows how the tactical suite was solved.
func suiteText(w io.Writer, s *bench.Tactics) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "tactical suite\tsolved\tof\tnodes\tms\t")
	for _, r := range s.Rules {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.0f\t\n", r.Rule, r.Solved, r.Problems, r.Nodes, r.TimeMS)
	}
	fmt.Fprintf(t, "all\t%d\t%d\t%d\t%.0f\t\n", s.Solved, s.Problems, s.Nodes, s.TimeMS)
	t.Flush()
	fmt.Fprintf(w, "median nodes to a solution %d\n", s.Median)
}
