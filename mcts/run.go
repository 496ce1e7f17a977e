package mcts

import "context"

// run is what a Searcher keeps of one search: its limits and what it has done
// so far. Begin replaces it as a whole; afterwards it stays for Result.
type run struct {
	ctx    context.Context // the solver's
	limits Limits
	open   bool // begun, not abandoned, and Advance not called since
	quota  int  // playouts it may start; negative without a bound
	hold   int  // playouts after which Continue pauses; 0: none

	steered bool // the root does not simply follow PUCT, because of Limits

	launched int // playouts in flight included
	playouts int // backed up
	plies    int // sum of their lengths
	selDepth int
	evals    int

	full    bool // the memory bound stopped the tree's growth
	stopped bool // by Options.EarlyStop

	solver   usage
	nodesYet int // the solver's nodes before the run
}

// bounded reports whether there is a bound on the playouts.
func (r *run) bounded() bool { return r.quota >= 0 }

// left returns how many more playouts a bounded run may start.
func (r *run) left() int { return r.quota - r.launched }

// count counts a playout of the given length that was backed up.
func (r *run) count(plies int) {
	r.playouts++
	r.plies += plies
	r.selDepth = max(r.selDepth, plies)
}

// report fills in the counts of res.
func (r *run) report(res *Result) {
	res.Playouts, res.Evals, res.SelDepth = r.playouts, r.evals, r.selDepth
	if r.playouts > 0 {
		res.Depth = r.plies / r.playouts
	}
	res.Full, res.Stopped = r.full, r.stopped
	res.SolverCalls, res.SolverNanos = r.solver.calls, r.solver.nanos
}
