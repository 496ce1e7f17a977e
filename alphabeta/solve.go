package alphabeta

// solved is the depth of what the table keeps of a Solver's win: more than that
// of any search.
const solved = 255

// asked reports whether the solver has been asked about the position of a table
// entry, as it has for all but those that evaluation was good enough for.
func (e *entry) asked() bool { return e.bound == upper || e.bound != noBound && e.depth > 0 }

// solve asks the solver for a win at a node whose position has that hash and is
// known to the table as that. What has been asked before is asked again on a
// principal variation only. It is void if w.stopped.
func (w *worker) solve(nd *node, hash uint64, known *entry) (Score, bool) {
	if w.parts.Solver == nil || w.opts.SolverNodes <= 0 || known.asked() && !nd.pv {
		return 0, false
	}
	most := int64(w.opts.SolverNodes)
	if w.left < most && !w.claim(most-w.left) {
		return 0, false
	}
	found := w.parts.Solver.Solve(max(0, nd.depth), int(min(most, w.left)))
	w.left -= int64(found.Nodes)
	w.stats.Nodes += int64(found.Nodes)
	w.stats.SolverNodes += int64(found.Nodes)
	if !found.Won || nd.ply+found.Plies > MaxClaim {
		return 0, false
	}
	l := &w.lines[nd.ply]
	l.only(found.Move)
	l.n += copy(l.moves[1:], found.Line)
	score := WinIn(nd.ply + found.Plies)
	w.table.store(hash, entry{move: found.Move, score: score.toNode(nd.ply), eval: known.eval, depth: solved, bound: exact})
	return score, true
}
