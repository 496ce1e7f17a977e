package mcts

import "context"

// run is what a Searcher keeps of one search: its limits and what it has done
// so far. Begin replaces it as a whole; afterwards it stays for Result.
type run struct {
	ctx    context.Context // the solver's
	limits Limits
	open   bool // it has begun and was neither abandoned nor left by Advance
	quota  int  // playouts it may start; negative without a bound

	steered bool // Limits say more of the root's playouts than that they follow PUCT

	launched int // playouts in flight included
	playouts int // backed up
	plies    int // sum of their lengths
	selDepth int
	evals    int

	full    bool // the memory bound stopped the tree's growth
	stopped bool // by Options.EarlyStop

	solver   usage
	nodesYet int // of the solver, before the run
}

// bounded reports whether there is a bound on the playouts.
func (r *run) bounded() bool { return r.quota >= 0 }

// left returns how many more playouts a bounded run may start.
func (r *run) left() int { return r.quota - r.launched }

// count takes note of a playout of the given length that is backed up.
func (r *run) count(plies int) {
	r.playouts++
	r.plies += plies
	r.selDepth = max(r.selDepth, plies)
}

// report tells res what the run has done.
func (r *run) report(res *Result) {
	res.Playouts, res.Evals, res.SelDepth = r.playouts, r.evals, r.selDepth
	if r.playouts > 0 {
		res.Depth = r.plies / r.playouts
	}
	res.Full, res.Stopped = r.full, r.stopped
	res.SolverCalls, res.SolverNanos = r.solver.calls, r.solver.nanos
}
