package alphabeta

import (
	"sync/atomic"

	"github.com/carozero/carozero/game"
)

// node holds the parameters of a node's search. The search returns the node's score if it
// lies between alpha and beta, else a bound on the same side of the window.
type node struct {
	alpha, beta Score
	depth, ply  int
	pv          bool // on a principal variation: never pruned; see tableCutoff
	cut         bool // expected to score beta or more
}

// search returns the score of w.pos for its side to move. The score is invalid if
// w.stopped.
func (w *worker) search(nd node) Score {
	if score, ok := w.terminal(nd.ply); ok {
		return score
	}
	if score, ok := w.endgame(nd.ply); ok {
		return score
	}
	if nd.depth <= 0 || nd.ply >= maxPly {
		return w.quiesce(nd.alpha, nd.beta, nd.ply, 0)
	}
	hash := w.pos.Hash()
	known := w.table.probe(hash)
	w.stats.TableProbes++
	if known.bound != noBound {
		w.stats.TableHits++
		if score, ok := w.tableCutoff(&nd, &known); ok {
			w.setTableLine(nd.ply, known.move)
			return score
		}
	}
	f := &w.stack[nd.ply]
	f.eval = w.evaluate(known.eval)
	if score, ok := w.reverseFutility(&nd); ok {
		return score
	}
	if w.searching != nil {
		return w.expandShared(&nd, hash, &known)
	}
	return w.expand(&nd, hash, &known)
}

// endgame returns the score at ply of a position that is among the endgames.
func (w *worker) endgame(ply int) (Score, bool) {
	if w.heuristics.Endgames == nil {
		return 0, false
	}
	worth, ok := w.heuristics.Endgames.Probe()
	return worth.fromNode(ply), ok
}

// tableCutoff returns the score of nd by the table's entry, if that causes a cutoff. On a
// principal variation only solved entries do and, with several threads, exact ones.
func (w *worker) tableCutoff(nd *node, known *ttEntry) (Score, bool) {
	score, ok := known.cuts(nd)
	return score, ok && (!nd.pv || known.depth == solved || w.searching != nil && known.bound == exact)
}

// cuts reports whether e has the depth and bound for a cutoff at nd, and the score.
func (e *ttEntry) cuts(nd *node) (Score, bool) {
	if e.bound == noBound || e.depth < nd.depth {
		return 0, false
	}
	score := e.score.fromNode(nd.ply)
	switch {
	case e.bound == exact,
		e.bound == lower && score >= nd.beta,
		e.bound == upper && score <= nd.alpha:
		return score, true
	}
	return 0, false
}

// expand searches a node above the horizon that neither the table nor its evaluation has
// cut off, stores its score and returns it. The score is invalid if w.stopped.
func (w *worker) expand(nd *node, hash uint64, known *ttEntry) Score {
	f := &w.stack[nd.ply]
	if score, ok := w.solve(nd, hash, known); ok || w.stopped {
		return score
	}
	first := w.tableMove(known.move)
	if r := w.opts.InternalReduction; first == noMove && r > 0 && nd.depth >= r {
		nd.depth--
	}
	w.startPick(nd.ply, nd.depth, first)
	alpha := nd.alpha
	best, move := w.searchMoves(nd, f)
	if w.stopped {
		return 0
	}
	w.table.store(hash, ttEntry{
		move: move, score: best.toNode(nd.ply), eval: f.eval, depth: nd.depth, bound: boundOn(best, alpha, nd.beta),
	})
	return best
}

// boundOn returns the kind of bound of a score found with that window.
func boundOn(score, alpha, beta Score) bound {
	switch {
	case score >= beta:
		return lower
	case score <= alpha:
		return upper
	}
	return exact
}

// setTableLine makes the table's move the line at ply.
func (w *worker) setTableLine(ply int, m game.Move) {
	if m != noMove && w.pos.Legal(m) {
		w.lines[ply].only(m)
	}
}

// searchMoves searches the moves of a node whose picker is ready. It returns the best
// score and the move that raised alpha, noMove if none did, and raises nd.alpha.
func (w *worker) searchMoves(nd *node, f *frame) (best Score, move game.Move) {
	best, move = -infinity, noMove
	loop := w.newMoveLoop(nd)
	f.nTried = 0
	for {
		e, ok := w.nextMove(nd, f, &loop, best)
		if !ok {
			break
		}
		if !w.countNode() {
			return 0, noMove
		}
		w.play(nd.ply, &e.ScoredMove)
		score := w.child(nd, &e.ScoredMove, e.count, e.reduced)
		w.pos.Undo()
		loop.finishSearch()
		if w.stopped {
			return 0, noMove
		}
		if score > best {
			best = score
			if score > nd.alpha {
				move = e.Move
				if w.raiseAlpha(nd, &e.ScoredMove, e.count, score) {
					return best, move
				}
			}
		}
		f.addTried(&e.ScoredMove)
	}
	return best, move
}

// raiseAlpha makes score, that of the count-th move e, the new alpha and reports whether
// it is a cutoff.
func (w *worker) raiseAlpha(nd *node, e *ScoredMove, count int, score Score) bool {
	if score >= nd.beta {
		w.lines[nd.ply].only(e.Move)
		w.noteCutoff(nd, e, count)
		return true
	}
	w.lines[nd.ply].set(e.Move, &w.lines[nd.ply+1])
	nd.alpha = score
	return false
}

// child returns the score, for the parent nd, of the move e that has just been
// played and was its count-th. It is searched reduced by that many plies, and
// again without the reduction if it turns out better than alpha; the first move
// is never reduced.
func (w *worker) child(nd *node, e *ScoredMove, count, reduced int) Score {
	depth := nd.depth - 1
	extended := w.stack[nd.ply].extended
	if e.Extend && extended < w.opts.Extensions {
		extended++
		depth++
	}
	w.stack[nd.ply+1].extended = extended
	next := node{alpha: -nd.beta, beta: -nd.alpha, depth: depth, ply: nd.ply + 1}
	if count > 1 {
		if w.opts.Scout.On() {
			next.alpha = -nd.alpha - 1
		}
		if reduced > 0 && depth > 1 {
			next.depth, next.cut = max(1, depth-reduced), true
			score := -w.search(next)
			if score <= nd.alpha || w.stopped {
				return score
			}
			next.depth = depth
		}
		next.cut = !nd.cut
		score := -w.search(next)
		if score <= nd.alpha || score >= nd.beta || next.alpha == -nd.beta || w.stopped {
			return score
		}
		next.alpha = -nd.beta
	}
	next.pv, next.cut = nd.pv, !nd.pv && !nd.cut
	return -w.search(next)
}

// noteCutoff counts the cutoff by the count-th move e, and updates the history if e is
// quiet.
func (w *worker) noteCutoff(nd *node, e *ScoredMove, count int) {
	w.stats.Cutoffs++
	if count == 1 {
		w.stats.FirstCutoffs++
	}
	if e.Kind == Quiet {
		w.updateHistory(nd.ply, nd.depth, e)
	}
}

// solved is the depth of a Solver's win in the table, greater than that of any search.
const solved = 255

// solverAsked reports whether the solver has been asked about the position of a table
// entry. It has unless the evaluation caused the cutoff.
func (e *ttEntry) solverAsked() bool { return e.bound == upper || e.bound != noBound && e.depth > 0 }

// withinShare reports whether the solver stays within its share if it plays up to most
// more nodes.
func (w *worker) withinShare(most int64) bool {
	share := int64(w.heuristics.SolverShare)
	if share <= 0 || !w.opts.SolverShare.On() {
		return true
	}
	return 100*(w.stats.SolverNodes+most-FreeSolverNodes) <= share*(w.stats.Nodes+most)
}

// solve asks the solver for a win at a node with that hash and table entry. If it has
// been asked before, it is asked again on a principal variation only. The score is
// invalid if w.stopped.
func (w *worker) solve(nd *node, hash uint64, known *ttEntry) (Score, bool) {
	if w.heuristics.Solver == nil || w.opts.SolverNodes <= 0 || known.solverAsked() && !nd.pv {
		return 0, false
	}
	most := int64(w.opts.SolverNodes)
	if !w.withinShare(most) {
		return 0, false
	}
	if w.left < most && !w.reserve(most-w.left) {
		return 0, false
	}
	found := w.heuristics.Solver.Solve(max(0, nd.depth), int(min(most, w.left)))
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
	w.table.store(hash, ttEntry{move: found.Move, score: score.toNode(nd.ply), eval: known.eval, depth: solved,
		bound: exact})
	return score, true
}

// quiesce returns the score of w.pos, in which nobody wins at once, after the noisy
// moves; depth counts the plies below the horizon. At the horizon it first asks the
// table, then the solver unless the evaluation causes a cutoff. The score is invalid if
// w.stopped.
func (w *worker) quiesce(alpha, beta Score, ply, depth int) Score {
	nd := node{alpha: alpha, beta: beta, ply: ply, pv: beta != alpha+1}
	if ply >= maxPly {
		return w.evaluate(noEval)
	}
	if depth > 0 {
		best, open := w.standPat(&nd, depth, w.evaluate(noEval))
		if open {
			best = w.searchNoisy(nd, depth, best)
		}
		return best
	}
	w.stats.Leaves++
	hash := w.pos.Hash()
	known := w.table.probe(hash)
	w.stats.TableProbes++
	if known.bound != noBound {
		w.stats.TableHits++
		if score, ok := w.tableCutoff(&nd, &known); ok {
			w.setTableLine(ply, known.move)
			return score
		}
	}
	eval := w.evaluate(known.eval)
	best, open := w.standPat(&nd, 0, eval)
	if best < beta {
		if score, ok := w.solve(&nd, hash, &known); ok || w.stopped {
			return score
		}
	}
	if open {
		best = w.searchNoisy(nd, 0, best)
	}
	if w.stopped {
		return 0
	}
	e := ttEntry{move: noMove, score: best.toNode(ply), eval: eval, bound: boundOn(best, alpha, beta)}
	if l := &w.lines[ply]; l.n > 0 {
		e.move = l.moves[0]
	}
	w.table.store(hash, e)
	return best
}

// standPat returns the score without a noisy move, and whether there are noisy moves to
// search, which are then in the node's move picker.
func (w *worker) standPat(nd *node, depth int, eval Score) (best Score, open bool) {
	if w.heuristics.Quiescence == nil || !w.opts.Quiescence.On() {
		return eval, false
	}
	base := 0
	if nd.ply > 0 {
		base = w.stack[nd.ply-1].pick.end
	}
	noisy, forced := w.heuristics.Quiescence.Noisy(depth, w.arena[base:base])
	if len(noisy) == 0 {
		return eval, false
	}
	if forced {
		eval = -infinity
	}
	w.stack[nd.ply].pick = movePicker{base: base, at: base, end: base + len(noisy), tableMove: noMove}
	return eval, eval < nd.beta
}

// searchNoisy searches the noisy moves in the move picker of nd; best is the score
// without them. The node is passed by value: once a profile inlines quiesce here, its
// address would escape.
func (w *worker) searchNoisy(nd node, depth int, best Score) Score {
	alpha, beta, ply := max(nd.alpha, best), nd.beta, nd.ply
	for {
		e, ok := w.next(ply)
		if !ok {
			return best
		}
		if !w.countNode() {
			return 0
		}
		w.stats.QuiescenceNodes++
		w.play(ply, &e)
		score, ok := w.terminal(ply + 1)
		if !ok {
			score, ok = w.endgame(ply + 1)
		}
		if !ok {
			score = w.quiesce(-beta, -alpha, ply+1, depth+1)
		}
		score = -score
		w.pos.Undo()
		if w.stopped {
			return 0
		}
		if score > best {
			best = score
			if score >= beta {
				w.lines[ply].only(e.Move)
				return best
			}
			if score > alpha {
				alpha = score
				w.lines[ply].set(e.Move, &w.lines[ply+1])
			}
		}
	}
}

// currentlySearching holds the hashes of the moves that the threads of a search are
// searching, so that other threads defer them: when they come back to a deferred move,
// the table has most of its result. Without it threads repeat each other's work. This
// is Kerrigan's simplified ABDADA (tckerrigan.com/Chess, "Simplified ABDADA"), after
// Weill, The ABDADA Distributed Minimax Search Algorithm, 1996.
//
// A lost or stale hash only costs time: deferred moves are still searched.
type currentlySearching [searchingSets][searchingWays]atomic.Uint64

const (
	searchingSets = 1 << 10
	searchingWays = 4

	// leastDeferDepth is the least depth of a node whose moves are deferred.
	leastDeferDepth = 1
)

// contains reports whether a move is being searched.
func (s *currentlySearching) contains(moveHash uint64) bool {
	set := s.set(moveHash)
	for i := range set {
		if set[i].Load() == moveHash {
			return true
		}
	}
	return false
}

// add marks a move as being searched.
func (s *currentlySearching) add(moveHash uint64) {
	set := s.set(moveHash)
	for i := range set {
		if set[i].CompareAndSwap(0, moveHash) {
			return
		}
	}
	set[0].Store(moveHash)
}

// remove removes a move, one occurrence if it was added several times.
func (s *currentlySearching) remove(moveHash uint64) {
	set := s.set(moveHash)
	for i := range set {
		if set[i].CompareAndSwap(moveHash, 0) {
			return
		}
	}
}

// clear removes all moves.
func (s *currentlySearching) clear() {
	for i := range s {
		for j := range s[i] {
			s[i][j].Store(0)
		}
	}
}

// set returns the set that may hold the hash of a move.
func (s *currentlySearching) set(moveHash uint64) *[searchingWays]atomic.Uint64 {
	return &s[moveHash>>32%searchingSets]
}

// deferral marks which move of a node this thread searches, and tells which moves other
// threads search. With one thread it does nothing.
type deferral struct {
	searching *currentlySearching // nil for one thread
	hash      uint64              // of the node
	moveHash  uint64              // of the move being searched; 0 if there is none
}

// newDeferral returns the deferral of the node that w is at.
func (w *worker) newDeferral() deferral {
	if w.searching == nil {
		return deferral{}
	}
	return deferral{searching: w.searching, hash: w.pos.Hash()}
}

// hashOf returns the hash of a move of the node, which is not 0.
func (d *deferral) hashOf(move game.Move) uint64 {
	return (d.hash ^ uint64(move)*0x9e3779b97f4a7c15) | 1
}

// deferMove reports whether another thread is searching the move.
func (d *deferral) deferMove(move game.Move) bool {
	return d.searching != nil && d.searching.contains(d.hashOf(move))
}

// startSearch marks the move as being searched.
func (d *deferral) startSearch(move game.Move) {
	if d.searching != nil {
		d.moveHash = d.hashOf(move)
		d.searching.add(d.moveHash)
	}
}

// finishSearch removes the mark of the last startSearch.
func (d *deferral) finishSearch() {
	if d.moveHash != 0 {
		d.searching.remove(d.moveHash)
		d.moveHash = 0
	}
}
