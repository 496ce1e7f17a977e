package alphabeta

import "github.com/carozero/carozero/game"

// worker is one thread's search: its position, what it has learnt and its
// path. Only the table and the control are shared.
type worker struct {
	opts   *Options
	shared *control
	table  *table
	late   *reductions

	parts  Parts
	pos    game.Position // parts.Position
	passer Passer        // the same, or nil

	hist  history
	stack [maxPly + 2]frame
	lines [maxPly + 2]line
	arena []Entry     // of all nodes on the path, one after the other
	wins  []game.Move // scratch
	root  root

	left    int64 // nodes claimed and not yet used
	stopped bool  // everything returned from now on is void
	stats   Stats
}

// bind prepares w for a search from pos, which it takes over.
func (w *worker) bind(g Game, pos game.Position) error {
	parts, err := g.Bind(pos)
	if err != nil {
		return err
	}
	w.parts, w.pos = parts, parts.Position
	w.passer, _ = parts.Position.(Passer)
	w.hist.reset(parts.Slots)
	most := w.pos.MaxMoves()
	if n := most * (maxPly + 2); len(w.arena) < n {
		w.arena = make([]Entry, n)
	}
	if cap(w.wins) < most {
		w.wins = make([]game.Move, 0, most)
	}
	for i := range w.stack {
		w.stack[i].killers = [2]game.Move{noMove, noMove}
	}
	w.left, w.stopped = 0, false
	w.stats = Stats{}
	return nil
}

// spend counts a node before it is played. It reports false, and from then on
// always, if the search has to end instead.
func (w *worker) spend() bool {
	if w.left == 0 && !w.claim(poll) {
		return false
	}
	w.left--
	w.stats.Nodes++
	return true
}

// claim asks for n more nodes.
func (w *worker) claim(n int64) bool {
	if w.stopped {
		return false
	}
	w.left += w.shared.claim(n)
	w.stopped = w.left == 0
	return !w.stopped
}

// play makes the move e from the node at ply.
func (w *worker) play(ply int, e *Entry) {
	f := &w.stack[ply]
	f.move, f.slot = e.Move, e.Slot
	w.pos.Play(e.Move)
}

// over returns the score at ply of a position that is decided: the game is
// over, or the side to move can win at once. The latter's line is that move.
func (w *worker) over(ply int) (Score, bool) {
	w.lines[ply].n = 0
	if o := w.pos.Outcome(); o != game.Undecided {
		switch o.Value(w.pos.ToMove()) {
		case 1:
			return WinIn(ply), true
		case -1:
			return LossIn(ply), true
		}
		return 0, true
	}
	w.wins = w.pos.Wins(w.wins[:0])
	if len(w.wins) == 0 {
		return 0, false
	}
	w.lines[ply].only(w.wins[0])
	return WinIn(ply + 1), true
}

// solve asks the solver for a win at a node of that depth.
func (w *worker) solve(depth, ply int) (Score, bool) {
	if w.parts.Solver == nil {
		return 0, false
	}
	most := int64(w.opts.SolverNodes)
	if w.left < most && !w.claim(most-w.left) {
		return 0, false
	}
	found := w.parts.Solver.Solve(depth, int(min(most, w.left)))
	w.left -= int64(found.Nodes)
	w.stats.Nodes += int64(found.Nodes)
	w.stats.SolverNodes += int64(found.Nodes)
	if !found.Won || ply+found.Plies > MaxClaim {
		return 0, false
	}
	w.lines[ply].only(found.Move)
	return WinIn(ply + found.Plies), true
}

// evaluate returns the static evaluation, which known may have.
func (w *worker) evaluate(known Score) Score {
	if known != noEval {
		return known
	}
	return max(-MaxEval, min(MaxEval, w.parts.Evaluation.Evaluate()))
}

// hashMove returns the move of a table entry if it is one here.
func (w *worker) hashMove(m game.Move) game.Move {
	if m != noMove && !w.pos.Legal(m) {
		w.stats.TableAliens++
		return noMove
	}
	return m
}
