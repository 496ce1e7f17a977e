package openings

import "github.com/carozero/carozero/game"

// Near tells the moves near the stones, on a board whose moves are its cells,
// numbered row by row.
type Near struct {
	Columns  int // of the board
	Distance int // in columns and in rows

	// Centre is where the first stone goes, as twice the column and twice the row, so that
	// the middle of a board of even width can be given.
	Centre [2]int
}

// Square returns a Near for a square board, whose centre is the cell in the middle
// or, where the size is even, the one after it.
func Square(size, distance int) Near {
	return Near{Columns: size, Distance: distance, Centre: [2]int{size &^ 1, size &^ 1}}
}

// Moves appends to buf the legal moves near one of the stones or, if there is
// none, near the centre; all legal moves if none of them is near.
func (n Near) Moves(pos game.Position, stones, buf []game.Move) []game.Move {
	start := len(buf)
	all := pos.Moves(buf)
	kept := all[:start]
	for _, m := range all[start:] {
		if n.has(int(m), stones) {
			kept = append(kept, m)
		}
	}
	if len(kept) == start {
		return all
	}
	return kept
}

// has reports whether a cell is near one of the stones or, if there is none, near
// the centre.
func (n Near) has(cell int, stones []game.Move) bool {
	x, y := 2*(cell%n.Columns), 2*(cell/n.Columns)
	if len(stones) == 0 {
		return n.within(x-n.Centre[0], y-n.Centre[1])
	}
	for _, m := range stones {
		if n.within(x-2*(int(m)%n.Columns), y-2*(int(m)/n.Columns)) {
			return true
		}
	}
	return false
}

// within takes twice the differences of column and row.
func (n Near) within(dx, dy int) bool { return max(dx, -dx, dy, -dy) <= 2*n.Distance }
