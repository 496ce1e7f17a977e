// Package pattern computes, for every empty cell of a gomoku board and both sides, what
// a stone there would make: a five, an open four, a four and a three, a forbidden move.
// A [Board] is a gomoku position that updates this incrementally in Play and Undo.
//
// # Line patterns
//
// Let S be a side, c an empty cell and d a direction, and let S put a stone on c. The
// definitions consider moves on this line only: further stones of S, and stones of the
// opponent as replies.
//
//   - A completing cell of c is an empty cell of the line where one more stone
//     of S makes a winning run, by S's line rule, that c is part of. The line
//     rule is that of gomoku.Rules: five or more, exactly five, ends blocked by
//     stones or by the edge.
//   - FiveLine: the run through c wins.
//   - Foul, only for a side that renju restricts: the run through c is longer
//     than five, or c is part of two fours in this line that are no straight
//     four, such as XXX.X.XXX with c in the middle.
//   - StraightFour: completing cells of c are there, and at least one is left
//     after any one stone of the opponent on the line. For a restricted side
//     this is a straight four in the words of renju, because two fours are a
//     Foul.
//   - SimpleFour: completing cells are there, and some one reply takes them
//     all away.
//   - OpenThree, OpenTwo: one, two further stones of S on the line make it a
//     StraightFour of which c is part, and no fewer do. Stones that make it a
//     Foul on the way do not count.
//   - ClosedThree, ClosedTwo: the same with a SimpleFour.
//   - Dead: everything else, an overline that does not win included.
//
// If several apply, the one with the greatest number holds: OpenThree before
// ClosedThree, and that before OpenTwo and ClosedTwo. Consequences:
//
//   - freestyle, school42, white in renju: five or more, and only the
//     completing cell itself is a defence. X.XXX.X is a StraightFour.
//   - standard, and black in renju: exactly five. X.XXX.X is a StraightFour in
//     standard and a Foul for black.
//   - caro and its variants: a four next to a blocked end has a second defence,
//     the cell beyond the other end, and one stone may take two completing
//     cells at once; a four that would be blocked at both ends is Dead. Only in
//     the edge variants does the edge block. With -overline longer runs win.
//
// # Classes
//
// The [Class] of a cell combines its four lines regardless of their order. Two
// completing cells on different lines through c are different cells, and no one
// reply takes both away; so OpenFour and DoubleFour are exactly the cells that
// leave completing cells which no one reply takes away, as long as the side had
// none before. Where it had, a four need not be new, and an open four may be
// due to what was there: [Board.Threats] resolves that by geometry.
//
// Restrictions. An overline and two fours close a cell by its own lines, so
// renju's Forbidden is stored. Whether two open threes do depends on other
// cells, by a recursive definition; such a cell is stored as Suspect, and
// [Board.Class] asks gomoku.Board.AllowedFor, as it does for the double
// free-threes of school42.
//
// # Method
//
// A line of the board is one word of two bits a cell, with walls around. The
// pattern of a cell depends on the four (where five or more win) or five cells
// on either side, which a shift brings to the low bits of the word: its key.
// Each arm of the key has 364 possible contents, or 121; two small maps number
// them, and one table of 364*364 bytes holds the patterns of both sides. The
// table is generated from the definitions above, once for each pair of line
// rules, in less than a tenth of a second.
//
// The table's shapes are finer than Lines: they distinguish open twos and threes by the
// number of continuations, and single stones from dead lines. Fourteen shapes on four
// lines have 2,380 combinations regardless of order, the codes. [Values] give a value to
// each code, and to each pair of both sides' classes at a cell; the board keeps the sums
// of these values for an evaluation.
//
// A stone changes the patterns of some thirty cells, each in one direction. The
// new class follows from a table of all quadruples of lines. Every cell that
// changes is pushed with its old state, and Undo pops.
package pattern

import (
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// State is the state of one cell in one word, so that it is logged and restored at once:
// from the lowest bits the quads of First and Second, their classes, and the cell's number.
// While a stone stands on it both classes are Occupied and both quads are NoQuad.
type State uint64

const (
	classesAt = 32
	numberAt  = 48
)

// NoQuad is the quad of a cell with a stone.
const NoQuad = 1<<16 - 1

// emptyCell returns the state of a cell with quads and classes of 0.
func emptyCell(number int) State { return State(number) << numberAt }

func (s State) number() int                { return int(s >> numberAt) }
func (s State) quad(side game.Side) quad   { return quad(s >> (16 * side & 63)) }
func (s State) class(side game.Side) Class { return Class(s >> (classesAt + 8*side&63)) }

// occupied returns the state with a stone on the cell.
func (s State) occupied() State {
	return s>>numberAt<<numberAt | State(Occupied)<<classesAt | State(Occupied)<<(classesAt+8) | NoQuad<<16 | NoQuad
}

// Board is a gomoku position that keeps the patterns of every empty cell, for
// both sides, up to date. It implements [game.Position] with the rules of the
// gomoku.Board inside. A Board belongs to one goroutine.
type Board struct {
	board *gomoku.Board
	rules gomoku.Rules
	geo   *geometry
	table *table

	lines  [lineCount]uint64
	cells  [maxCellsRound]State
	*kept  // of the last frame
	values *Values
	paused *Values // what ResumeValues makes values again

	frames  []frame // the first one of the position that Undo cannot leave
	changes []State // states before they changed

	now, later targets // scratch of queries
}

var _ game.Position = (*Board)(nil)

// kept is what Play copies and Undo drops as a whole.
type kept struct {
	sets   [2][Classes]Set
	counts [2][Classes]int32
	near   Set       // cells near a stone, occupied ones included
	worth  Worth     // of values, zero without
	pairs  pairWorth // of values, zero without
}

// frame is a position, and what Undo needs of the move to it.
type frame struct {
	kept
	changes int // length of Board.changes before the move
	cell    int16
	taken   uint8 // captured pairs, see Board.flanked
}

// New returns the empty board. It fails where gomoku.New does.
func New(r gomoku.Rules, size int) (*Board, error) {
	b, err := gomoku.New(r, size)
	if err != nil {
		return nil, err
	}
	return wrap(b), nil
}

// FromBoard returns a board with the position and the history of b, which it
// copies.
func FromBoard(b *gomoku.Board) *Board { return wrap(b.Copy()) }

// wrap takes board over and builds the state from its stones.
func wrap(board *gomoku.Board) *Board {
	rules := board.Rules()
	b := &Board{
		board:   board,
		rules:   rules,
		geo:     geometryFor(board.Size()),
		table:   tables.tableFor(&rules),
		frames:  make([]frame, 1, framesRoom),
		changes: make([]State, 0, changesRoom),
	}
	b.rebuild()
	return b
}

// Room for the frames and changes of a search; a deeper one grows them.
const (
	framesRoom  = 32
	changesRoom = framesRoom * 40
)

// rebuild computes everything from the stones of the wrapped board.
func (b *Board) rebuild() {
	g := b.geo
	b.forget()
	b.lines, b.near, b.sets = g.lines, Set{}, [2][Classes]Set{}
	for c := range g.cells {
		if s := b.board.At(c); s != gomoku.Empty {
			b.toggle(s.Side(), c)
			b.addHalo(c)
		}
	}
	for c := range g.cells {
		b.cells[c] = emptyCell(c).occupied()
		if b.board.At(c) == gomoku.Empty {
			b.cells[c] = b.computed(c)
		}
		for side := range game.Side(2) {
			b.sets[side][b.cells[c].class(side)].Add(c)
		}
	}
	for s := range b.counts {
		for class := range b.counts[s] {
			b.counts[s][class] = int32(b.sets[s][class].Len())
		}
	}
	b.SetValues(b.values)
}

// forget makes Undo unable to leave the position.
func (b *Board) forget() {
	b.frames[0] = b.frames[len(b.frames)-1]
	b.frames, b.changes = b.frames[:1], b.changes[:0]
	b.kept = &b.frames[0].kept
}

// computed returns the state of an empty cell, from its lines alone.
func (b *Board) computed(c int) State {
	quads := uint32(0)
	for d := range directions {
		p := &b.geo.place[c][d]
		quads |= spreads[d][b.table.at(b.lines[p.line]>>(2*p.at&63))]
	}
	return emptyCell(c) | State(quads) | b.table.classes(quads)
}

// Board returns the wrapped board, which is in the same position. The caller
// must not play on it.
func (b *Board) Board() *gomoku.Board { return b.board }

// ToMove returns the side whose turn it is.
func (b *Board) ToMove() game.Side { return b.board.ToMove() }

// Ply returns the number of moves played, the stones of a setup included.
func (b *Board) Ply() int { return b.board.Ply() }

// Hash returns the hash of the wrapped board.
func (b *Board) Hash() uint64 { return b.board.Hash() }

// Outcome returns the result, Undecided while the game goes on.
func (b *Board) Outcome() game.Outcome { return b.board.Outcome() }

// Reason returns why the game is over.
func (b *Board) Reason() game.Reason { return b.board.Reason() }

// Moves appends the legal moves in ascending order.
func (b *Board) Moves(buf []game.Move) []game.Move { return b.board.Moves(buf) }

// Legal reports whether m is a legal move.
func (b *Board) Legal(m game.Move) bool { return b.board.Legal(m) }

// MaxMoves returns the number of cells.
func (b *Board) MaxMoves() int { return b.board.MaxMoves() }

// Wins appends, in ascending order, the legal moves that win at once.
func (b *Board) Wins(buf []game.Move) []game.Move {
	side := b.board.ToMove()
	switch {
	case b.rules.Captures:
		return b.board.Wins(buf)
	case b.board.Outcome() != game.Undecided || b.counts[side][Five] == 0:
		return buf
	}
	start := len(buf)
	buf = b.sets[side][Five].Append(buf)
	if !b.rules.DoubleThree && b.rules.OpenDistance == 0 {
		return buf
	}
	kept := start
	for _, m := range buf[start:] {
		if b.board.AllowedFor(side, int(m)) {
			buf[kept] = m
			kept++
		}
	}
	return buf[:kept]
}

// Pass gives the turn to the other side, as gomoku.Board does.
func (b *Board) Pass() { b.board.Pass() }

// Clone returns an independent copy, its history included.
func (b *Board) Clone() game.Position {
	c := *b
	c.board = b.board.Copy()
	c.frames = append(make([]frame, 0, cap(b.frames)), b.frames...)
	c.kept = &c.frames[len(c.frames)-1].kept
	c.changes = append(make([]State, 0, cap(b.changes)), b.changes...)
	c.now, c.later = nil, nil
	return &c
}

// Line returns what a stone of side on an empty cell makes in direction d: 0
// the row, 1 the column, 2 the diagonal on which both coordinates grow, 3 the
// one on which the row grows and the column shrinks. It is Dead for a cell that
// holds a stone.
func (b *Board) Line(c int, side game.Side, d int) Line {
	if b.cells[c].class(side) == Occupied {
		return Dead
	}
	return b.cells[c].quad(side).line(d)
}

// Class returns what a stone of side on a cell makes, with every restriction
// decided: Forbidden exactly if gomoku.Board.AllowedFor says no to an empty
// cell, else the class by strength; never Suspect.
func (b *Board) Class(c int, side game.Side) Class {
	class := b.cells[c].class(side)
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
	return combine(b.cells[c].quad(side), false)
}

// Count returns the number of cells of a class, as Cells has them.
func (b *Board) Count(side game.Side, class Class) int { return int(b.counts[side][class]) }

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
	q := b.cells[c].quad(side)
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
func (b *Board) LineClass(c int, side game.Side) Class { return b.cells[c].class(side) }

// rebuildShare decides when CopyFrom computes all patterns anew: if more than one in
// rebuildShare cells differ. Changing a cell costs about as much as looking up that
// many.
const rebuildShare = 12

// CopyFrom makes b a copy of from, its history included, and updates the patterns
// of the cells that differ: the next position of a game costs about one Play. The
// sums of SetValues are kept. It allocates nothing, and panics if from has another
// rule set or size.
func (b *Board) CopyFrom(from *gomoku.Board) {
	if from.Rules() != b.rules || from.Size() != b.geo.size {
		panic(fmt.Sprintf("pattern: a board of %s on %dx%d cannot copy one of %s on %dx%d",
			b.rules.Name, b.geo.size, b.geo.size, from.Rules().Name, from.Size(), from.Size()))
	}
	var changed Set
	count := 0
	for c := range b.geo.cells {
		if b.board.At(c) != from.At(c) {
			changed.Add(c)
			count++
		}
	}
	if count*rebuildShare > b.geo.cells {
		b.board.CopyFrom(from)
		b.rebuild()
		return
	}
	removed := false
	for c := changed.Next(0); c >= 0; c = changed.Next(c + 1) {
		b.change(c, b.board.At(c), from.At(c))
		removed = removed || from.At(c) == gomoku.Empty
	}
	b.board.CopyFrom(from)
	b.forget()
	if removed {
		b.gatherHalos()
	}
}

// change gives a cell another content and updates the patterns around it. The cell
// counts as near a stone, whatever it holds now.
func (b *Board) change(c int, was, now gomoku.Stone) {
	if was != gomoku.Empty {
		b.toggle(was.Side(), c)
	}
	if now != gomoku.Empty {
		b.toggle(now.Side(), c)
	}
	switch {
	case now == gomoku.Empty:
		b.set(c, b.computed(c))
	case was == gomoku.Empty:
		b.set(c, b.cells[c].occupied())
	}
	b.refresh(c)
	b.addHalo(c)
}
