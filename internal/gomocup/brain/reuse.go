package brain

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
)

// advance sets the searcher to board. It keeps the tree if board follows from
// the last root by one or two moves, or is that root.
func (b *Brain) advance(board *gomoku.Board) error {
	last := b.root
	b.root = board
	moves, ok := path(last, board)
	for i := 0; ok && i < len(moves); i++ {
		ok = b.searcher.Advance(moves[i]) == nil
	}
	if ok {
		return nil
	}
	return b.searcher.SetPosition(b.form(board))
}

// form returns the form of a position that suits the search.
func (b *Brain) form(board *gomoku.Board) game.Position {
	if b.opts.Solver == (engine.SolverNodes{}) {
		return board
	}
	return b.net.Variant().Searchable(board)
}

// path returns the moves, two at most, that lead from one position to another,
// and false if there is no such path or from is nil.
func path(from, to *gomoku.Board) ([]game.Move, bool) {
	if from == nil || from.Size() != to.Size() {
		return nil, false
	}
	var added [2][]game.Move // by side
	for cell := range from.Size() * from.Size() {
		was, is := from.At(cell), to.At(cell)
		switch {
		case was == is:
		case was == gomoku.Empty:
			side := is.Side()
			added[side] = append(added[side], game.Move(cell))
		default:
			return nil, false
		}
	}
	mover := from.ToMove()
	if len(added[mover]) > 1 || len(added[mover.Other()]) > len(added[mover]) {
		return nil, false
	}
	moves := append(added[mover], added[mover.Other()]...)
	end := from.Clone().(*gomoku.Board)
	for _, m := range moves {
		if !end.Legal(m) {
			return nil, false
		}
		end.Play(m)
	}
	return moves, end.Key() == to.Key()
}
