package alphabeta

import "github.com/carozero/carozero/game"

// Line is a sequence of best moves by both sides and what it is worth.
type Line struct {
	Moves []game.Move // at least one; the last ones may be what the table remembers
	Score Score       // for the side to move at the root
	Depth int         // of the iteration that found it; 0 if none got so far
}

// Result is what a search found.
type Result struct {
	Move  game.Move // the first of the best line, always legal
	Score Score     // of the best line
	Depth int       // iterations completed
	Lines []Line    // the best first, as many as were asked for if there are so many moves
	Stats Stats

	// Iterations are those completed, in order. They are the caller's to keep.
	Iterations []Iteration
}

// Reply returns the expected answer to Move, the second move of the best line,
// or NoMove if that has none: the move to ponder on.
func (r *Result) Reply() game.Move {
	if len(r.Lines) == 0 || len(r.Lines[0].Moves) < 2 {
		return noMove
	}
	return r.Lines[0].Moves[1]
}

// result returns what w has found so far.
func (w *worker) result() Result {
	r := Result{Depth: w.root.completed}
	for i := range min(w.root.width, len(w.root.moves)) {
		m := &w.root.moves[i]
		r.Lines = append(r.Lines, Line{Moves: w.prolong(m), Score: m.score, Depth: m.depth})
	}
	r.Move, r.Score = r.Lines[0].Moves[0], r.Lines[0].Score
	return r
}

// prolong returns the line of m, followed by the table's moves if the search
// cut it short: up to the depth of the iteration, or to the end that the score
// claims. All its moves are legal. The moves played to find out are not nodes.
func (w *worker) prolong(m *rootMove) []game.Move {
	most := m.depth
	if plies, ok := m.score.Claim(); ok {
		most = plies
	}
	moves := make([]game.Move, m.line.n, max(most, m.line.n))
	copy(moves, m.line.moves[:m.line.n])
	played := 0
	for _, next := range moves {
		w.pos.Play(next)
		played++
	}
	for len(moves) < most && w.pos.Outcome() == game.Undecided {
		next := w.likely()
		if next == noMove {
			break
		}
		moves = append(moves, next)
		w.pos.Play(next)
		played++
	}
	for range played {
		w.pos.Undo()
	}
	return moves
}

// likely returns a move that wins at once, or the table's, or noMove.
func (w *worker) likely() game.Move {
	if w.wins = w.pos.Wins(w.wins[:0]); len(w.wins) > 0 {
		return w.wins[0]
	}
	if m := w.table.probe(w.pos.Hash()).move; m != noMove && w.pos.Legal(m) {
		return m
	}
	return noMove
}
