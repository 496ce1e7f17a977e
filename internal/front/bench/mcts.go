package bench

import (
	"context"
	"reflect"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// MCTS is the speed of the tree search beside that of the network alone.
type MCTS struct {
	Model        string  `json:"model"`
	Rule         string  `json:"rule"`
	Size         int     `json:"size"`
	Threads      int     `json:"threads"`
	InFlight     int     `json:"in_flight"`
	Playouts     int     `json:"playouts"` // of each search
	Searches     int     `json:"searches"`
	PlayoutsPerS float64 `json:"playouts_per_s"`
	EvalsPerS    float64 `json:"evals_per_s"`
	RawEvalsPerS float64 `json:"raw_evals_per_s"` // 0 for the net without knowledge
	RawRatio     float64 `json:"raw_ratio"`       // raw_evals_per_s / evals_per_s - 1
	Overhead     float64 `json:"overhead"`        // (wall - runtime - solver) / runtime
	SolverShare  float64 `json:"solver_share"`    // of the wall time
	BytesPerNode float64 `json:"bytes_per_node"`
	BytesPerEdge float64 `json:"bytes_per_edge"`
	SameTree     *bool   `json:"same_tree,omitempty"` // as with one thread, for two of the positions; with more threads
	Tree         *Tree   `json:"tree,omitempty"`      // for the net without knowledge
}

// MCTSOptions configure MeasureMCTS.
type MCTSOptions struct {
	Playouts, Threads int
	Search            mcts.Options
	Solver            mcts.Solver
	Form              func(game.Position) game.Position // of the positions, as the solver likes them
	Rounds            int                               // passes over the positions
}

// MeasureMCTS searches a fixed set of positions without a cache, one searcher
// at work, with a slice of raw network time after every search. It asks the tree
// search itself, not an engine: what the network's runtime and the solver took,
// and the memory of a node, no answer of an engine tells.
func MeasureMCTS(ctx context.Context, net *networks.Net, o MCTSOptions, progress func()) (*MCTS, error) {
	list, err := positions(net.Variant())
	if err != nil {
		return nil, err
	}
	o.Search.Clock = func() int64 { return time.Now().UnixNano() }
	eval, err := net.Evaluator(nn.EvaluatorOptions{Capacity: games.MaxInFlight, Threads: o.Threads, Seed: 1, Clock: time.Now})
	if err != nil {
		return nil, err
	}
	var raw *rawMeter
	if net.Batches() != nil {
		if raw, err = newRawMeter(ctx, net, rawBatch(o), o.Threads); err != nil {
			return nil, err
		}
	}
	run := mctsRun{searcher: mcts.New(o.Search, eval, o.Solver), eval: eval, raw: raw, playouts: o.Playouts}
	for round := range o.Rounds + 1 {
		if round == 1 {
			run.reset() // the first pass warms caches and slabs
		}
		for _, pos := range list {
			if err := run.search(ctx, o.Form(pos)); err != nil {
				return nil, err
			}
			progress()
		}
	}
	report := run.report(net, o)
	switch {
	case !net.Trained():
		report.Tree, err = measureTree(ctx, net.Variant())
	case o.Threads > 1:
		var same bool
		same, err = sameTree(ctx, net, o, list[0], list[len(list)-1])
		report.SameTree = &same
	}
	return report, err
}

// rawBatch returns the size of the batches that the search's evaluator makes:
// all that is in flight on one thread; one by one on more.
func rawBatch(o MCTSOptions) int {
	if o.Threads > 1 {
		return 1
	}
	return o.Search.InFlight
}

// sameTree reports whether searches of positions end the same on one thread.
func sameTree(ctx context.Context, net *networks.Net, o MCTSOptions, list ...game.Position) (bool, error) {
	for _, pos := range list {
		var results [2]mcts.Result
		for i, threads := range []int{1, o.Threads} {
			eval, err := net.Evaluator(nn.EvaluatorOptions{Capacity: games.MaxInFlight, Threads: threads, Seed: 1})
			if err != nil {
				return false, err
			}
			s := mcts.New(o.Search, eval, o.Solver)
			if err := s.SetPosition(o.Form(pos)); err != nil {
				return false, err
			}
			if err := s.Search(ctx, mcts.Limits{Playouts: o.Playouts}); err != nil {
				return false, err
			}
			s.Result(&results[i])
			results[i].SolverNanos = 0
		}
		if !reflect.DeepEqual(results[0], results[1]) {
			return false, nil
		}
	}
	return true, nil
}

// mctsRun is the state of one measurement.
type mctsRun struct {
	searcher *mcts.Searcher
	eval     nn.Evaluator
	raw      *rawMeter
	playouts int

	searches, done int
	wall, solver   time.Duration
	stats          nn.Stats
}

func (r *mctsRun) reset() {
	r.searches, r.done, r.wall, r.solver, r.stats = 0, 0, 0, 0, nn.Stats{}
	if r.raw != nil {
		r.raw.total = nn.RawResult{}
	}
}

func (r *mctsRun) search(ctx context.Context, pos game.Position) error {
	if err := r.searcher.SetPosition(pos); err != nil {
		return err
	}
	before := r.eval.Stats()
	start := time.Now()
	if err := r.searcher.Search(ctx, mcts.Limits{Playouts: r.playouts}); err != nil {
		return err
	}
	elapsed := time.Since(start)
	var result mcts.Result
	r.searcher.Result(&result)
	r.wall += elapsed
	r.solver += time.Duration(result.SolverNanos)
	r.done += result.Playouts
	r.searches++
	r.stats = r.stats.Plus(r.eval.Stats().Minus(before))
	return r.raw.run(ctx, elapsed/2)
}

func (r *mctsRun) report(net *networks.Net, o MCTSOptions) *MCTS {
	memory := r.searcher.Memory()
	m := &MCTS{
		Model: net.Name, Rule: net.Variant().Rule(), Size: net.Variant().Size,
		Threads: o.Threads, InFlight: o.Search.InFlight, Playouts: o.Playouts, Searches: r.searches,
		PlayoutsPerS: float64(r.done) / r.wall.Seconds(),
		EvalsPerS:    float64(r.stats.Evals) / r.wall.Seconds(),
		SolverShare:  r.solver.Seconds() / r.wall.Seconds(),
		BytesPerNode: memory.NodeBytes, BytesPerEdge: memory.EdgeBytes,
	}
	if r.raw == nil {
		return m
	}
	m.RawEvalsPerS = r.raw.total.PerSecond()
	m.RawRatio = m.RawEvalsPerS/m.EvalsPerS - 1
	// Time in the runtime is summed over threads.
	inRuntime := r.stats.Forward.Seconds() / float64(o.Threads)
	m.Overhead = (r.wall.Seconds() - inRuntime - r.solver.Seconds()) / inRuntime
	return m
}
