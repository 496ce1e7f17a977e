package alphabeta

import "github.com/carozero/carozero/game"

// Line is a sequence of best moves by both sides and what it is worth.
type Line struct {
	Moves []game.Move // at least one
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
}

// result returns what w has found so far.
func (w *worker) result() Result {
	r := Result{Depth: w.root.completed}
	for i := range min(w.root.width, len(w.root.moves)) {
		m := &w.root.moves[i]
		l := Line{Moves: make([]game.Move, m.line.n), Score: m.score, Depth: m.depth}
		copy(l.Moves, m.line.moves[:m.line.n])
		r.Lines = append(r.Lines, l)
	}
	r.Move, r.Score = r.Lines[0].Moves[0], r.Lines[0].Score
	return r
}
