package pattern

import "github.com/carozero/carozero/game"

// Line returns what a stone of side on an empty cell makes in direction d: 0
// the row, 1 the column, 2 the diagonal on which both coordinates grow, 3 the
// one on which the row grows and the column shrinks. It is Dead for a cell that
// holds a stone.
func (b *Board) Line(c int, side game.Side, d int) Line {
	if b.cells[c].class[side] == Occupied {
		return Dead
	}
	return b.cells[c].lines[side].line(d)
}

// Class returns what a stone of side on a cell makes, with every restriction
// decided: Forbidden exactly if gomoku.Board.AllowedFor says no to an empty
// cell, else the class by strength; never Suspect.
func (b *Board) Class(c int, side game.Side) Class {
	class := b.cells[c].class[side]
	switch {
	case class == Suspect:
		if b.board.AllowedFor(side, c) {
			return b.strength(c, side)
		}
		return Forbidden
	case class == Occupied, !b.rules.DoubleThree && b.rules.OpenDistance == 0:
		return class
	case !b.board.AllowedFor(side, c):
		return Forbidden
	}
	return class
}

// strength returns the class of a cell whatever is forbidden.
func (b *Board) strength(c int, side game.Side) Class {
	return combine(b.cells[c].lines[side], false)
}

// Count returns the number of cells of a class, as Cells has them.
func (b *Board) Count(side game.Side, class Class) int { return b.counts[side][class] }

// Cells returns the cells where a stone of side makes the class. The classes
// are by the lines alone: for a side that renju restricts, Suspect holds the
// cells with two open threes, of which Class decides; the double-three rule of
// school42 and the opening distance are not looked at, so that there a cell of
// DoubleThree or better, or of any class on the third move, may be closed. The
// set belongs to b and changes with it.
func (b *Board) Cells(side game.Side, class Class) *Set { return &b.sets[side][class] }

// FourCells returns the cells where a stone of side makes a four and no five:
// those of Four, FourThree, DoubleFour and OpenFour. Suspects among them are
// not included.
func (b *Board) FourCells(side game.Side) Set {
	sets := &b.sets[side]
	return sets[Four].Or(&sets[FourThree]).Or(&sets[DoubleFour]).Or(&sets[OpenFour])
}

// Candidates returns the empty cells at most two columns and two rows away
// from a stone.
func (b *Board) Candidates() Set { return b.near.Without(&b.sets[game.First][Occupied]) }

// Stones returns the cells that hold a stone of either side. The set belongs
// to b and changes with it.
func (b *Board) Stones() *Set { return &b.sets[game.First][Occupied] }

// Second returns the second strongest of the four lines that a stone of side
// makes on the empty cell c.
func (b *Board) Second(c int, side game.Side) Line {
	q := b.cells[c].lines[side]
	var first, second Line
	for d := range directions {
		if l := q.line(d); l > first {
			first, second = l, first
		} else if l > second {
			second = l
		}
	}
	return second
}

// LineClass returns the class of a cell by the lines alone, as Cells has it.
func (b *Board) LineClass(c int, side game.Side) Class { return b.cells[c].class[side] }
