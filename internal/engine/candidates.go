package engine

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Candidates returns the moves that random openings are made of: in gomoku the
// legal moves within two columns and rows of a stone, or of the centre of an
// empty board; elsewhere all.
func (v Variant) Candidates() func(pos game.Position, buf []game.Move) []game.Move {
	if v.Game != Gomoku {
		return nil
	}
	return func(pos game.Position, buf []game.Move) []game.Move {
		board := pos.(*gomoku.Board)
		start := len(buf)
		for _, m := range board.Moves(nil) {
			if nearStone(board, int(m)) {
				buf = append(buf, m)
			}
		}
		if len(buf) == start {
			return board.Moves(buf)
		}
		return buf
	}
}

// nearStone reports whether a stone, or the centre of an empty board, is
// within two columns and rows of a cell.
func nearStone(b *gomoku.Board, cell int) bool {
	const distance = 2
	size := b.Size()
	x, y := cell%size, cell/size
	if b.Ply() == 0 {
		return abs(x-size/2) <= distance && abs(y-size/2) <= distance
	}
	for j := max(y-distance, 0); j <= min(y+distance, size-1); j++ {
		for i := max(x-distance, 0); i <= min(x+distance, size-1); i++ {
			if b.At(j*size+i) != gomoku.Empty {
				return true
			}
		}
	}
	return false
}

func abs(x int) int { return max(x, -x) }
