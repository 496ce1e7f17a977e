package engine

import (
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// gomokuDisplay implements Variant.Display.
func gomokuDisplay(v Variant, pos game.Position) Display {
	board := plain(pos)
	d := Display{Size: v.Size, Pieces: make([]Piece, v.Size*v.Size)}
	for c, stone := range gomokuStones(board) {
		d.Pieces[c].Stone = stone
	}
	if last := board.Last(); int(last) < len(d.Pieces) {
		d.Last = []int{int(last)}
	}
	if board.Rules().Captures {
		d.Captured = &[2]int{board.Captured(game.First), board.Captured(game.Second)}
	}
	if board.Reason() == game.Line {
		d.Win = winningLines(board)
	}
	return d
}

// gomokuStep implements Variant.Step.
func gomokuStep(m game.Move) Step { return Step{From: -1, To: int(m)} }

// winningLines returns the cells of all runs of the winner that win, ascending.
func winningLines(board *gomoku.Board) []int {
	size, side := board.Size(), game.First
	if board.Outcome() == game.SecondWins {
		side = game.Second
	}
	own := gomoku.FirstStone
	if side == game.Second {
		own = gomoku.SecondStone
	}
	at := func(x, y int) (gomoku.Stone, bool) {
		if x < 0 || y < 0 || x >= size || y >= size {
			return gomoku.Empty, false
		}
		return board.At(y*size + x), true
	}
	var cells []int
	for c := range size * size {
		for _, d := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
			x, y := c%size, c/size
			if before, _ := at(x-d[0], y-d[1]); board.At(c) != own || before == own {
				continue
			}
			length := 1
			for stone, _ := at(x+d[0], y+d[1]); stone == own; stone, _ = at(x+length*d[0], y+length*d[1]) {
				length++
			}
			blocked := func(x, y int) bool {
				stone, inside := at(x, y)
				return stone != gomoku.Empty || !inside && board.Rules().EdgeBlocks
			}
			held := blocked(x-d[0], y-d[1]) && blocked(x+length*d[0], y+length*d[1])
			if !runWins(board.Rules(), side, length, held) {
				continue
			}
			for i := range length {
				cells = append(cells, (y+i*d[1])*size+x+i*d[0])
			}
		}
	}
	slices.Sort(cells)
	return slices.Compact(cells)
}

// runWins reports whether a run of so many stones wins; held says that both of
// its ends are blocked.
func runWins(r gomoku.Rules, side game.Side, length int, held bool) bool {
	switch {
	case length < 5:
		return false
	case length == 5:
		return !r.OpponentBlocks || !held
	}
	return !r.Exact[side]
}
