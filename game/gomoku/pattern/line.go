package pattern

import (
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// directions is the number of directions, in the order rows (x grows), columns
// (y grows), diagonals (both grow) and antidiagonals (x shrinks, y grows).
const directions = 4

// near is how far from a stone, in columns and rows, candidates are.
const near = 2

// lineCount is the number of lines of the largest board.
const lineCount = 6*gomoku.MaxSize - 2

// place is where a cell stands in its line of one direction.
type place struct {
	line uint8
	at   uint8 // its position in the line, from 0
	last uint8 // the position of the line's last cell
}

// halo holds the cells near one cell as words first, first+1, ... of a Set.
type halo struct {
	first uint8
	words [(2*near*(gomoku.MaxSize+1)+63)/64 + 1]uint64
}

// run says which cells a line has: first, first+step, ...
type run struct{ first, step int16 }

// geometry is what depends on the size of the board alone. It never changes.
type geometry struct {
	size, cells int
	place       [maxCells][directions]place
	step        [directions]int // from a cell to the next one of its line
	halo        [maxCells]halo
	lines       [lineCount]uint64 // the lines of the empty board
	runs        [lineCount]run
	board       Set // all cells
}

func newGeometry(size int) *geometry {
	g := &geometry{size: size, cells: size * size, step: [directions]int{1, size, size + 1, size - 1}}
	for i := range g.lines {
		g.lines[i] = ^uint64(0)
	}
	diagonal, anti := 2*size, 4*size-1
	for c := range g.cells {
		x, y := c%size, c/size
		short, far := min(x, y), min(size-1-x, size-1-y)
		left, right := min(y, size-1-x), min(x, size-1-y)
		g.place[c] = [directions]place{
			newPlace(y, x, size-1),
			newPlace(size+x, y, size-1),
			newPlace(diagonal+x-y+size-1, short, short+far),
			newPlace(anti+x+y, left, left+right),
		}
		for d, p := range g.place[c] {
			g.lines[p.line] &^= wall << shift(p.at)
			g.runs[p.line] = run{first: int16(c - int(p.at)*g.step[d]), step: int16(g.step[d])}
		}
		g.board.Add(c)
		g.halo[c] = newHalo(size, x, y)
	}
	return g
}

// geometries holds the geometry of every size; see geometryFor.
var geometries = func() (all [gomoku.MaxSize + 1]func() *geometry) {
	for size := gomoku.MinSize; size <= gomoku.MaxSize; size++ {
		all[size] = sync.OnceValue(func() *geometry { return newGeometry(size) })
	}
	return all
}()

// geometryFor returns the geometry of a size, computed at the first call. It
// is safe for concurrent use.
func geometryFor(size int) *geometry { return geometries[size]() }

func newPlace(line, at, last int) place {
	return place{line: uint8(line), at: uint8(at), last: uint8(last)}
}

func newHalo(size, x, y int) halo {
	var s Set
	for v := max(0, y-near); v <= min(size-1, y+near); v++ {
		for u := max(0, x-near); u <= min(size-1, x+near); u++ {
			s.Add(v*size + u)
		}
	}
	h := halo{}
	first := min(s.Next(0)>>6, setWords-len(h.words))
	h.first = uint8(first)
	copy(h.words[:], s[first:])
	return h
}

// Line is what a stone of one side on an empty cell makes in one direction. The
// package comment defines the values; a stronger one has a greater number, and
// a cell that holds a stone has none.
type Line uint8

// The line patterns. "Missing" counts further stones of the same side.
const (
	Dead         Line = iota // nothing below, or more than two stones are missing
	ClosedTwo                // two stones are missing to a four
	OpenTwo                  // two stones are missing to an open four
	ClosedThree              // one stone is missing to a four
	OpenThree                // one stone is missing to an open four
	SimpleFour               // completing cells, all of which one reply takes away
	StraightFour             // completing cells that no one reply takes away: an open four
	FiveLine                 // the stone completes a winning run
	Foul                     // renju: an overline or two fours in this line

	Lines // their number
)

var lineNames = [Lines]string{
	"dead", "closed two", "open two", "closed three", "open three",
	"simple four", "straight four", "five", "foul",
}

// String returns the name in words.
func (l Line) String() string { return lineNames[l] }

// Fours reports whether the stone leaves cells that complete a winning run.
func (l Line) Fours() bool { return l == SimpleFour || l == StraightFour }

// Closed returns the empty cells that side may not play, were it to move: those
// for which gomoku.Board.AllowedFor says no.
func (b *Board) Closed(side game.Side) Set {
	sets := &b.sets[side]
	switch {
	case b.rules.OpenDistance > 0 && b.counts[side][Occupied] == openStones:
		return b.closedAmong(side, b.geo.board.Without(&sets[Occupied]))
	case b.rules.DoubleThree:
		// Two free-threes are two lines of OpenThree or better.
		strong := sets[DoubleThree].Or(&sets[FourThree]).Or(&sets[DoubleFour])
		return b.closedAmong(side, strong.Or(&sets[OpenFour]).Or(&sets[Five]))
	case b.counts[side][Suspect] > 0:
		closed := b.closedAmong(side, sets[Suspect])
		return closed.Or(&sets[Forbidden])
	}
	return sets[Forbidden]
}

// openStones is the number of stones on the board when the opening distance
// restricts a move.
const openStones = 2

// closedAmong returns those of the empty cells in s that side may not play.
func (b *Board) closedAmong(side game.Side, s Set) Set {
	for c := s.Next(0); c >= 0; c = s.Next(c + 1) {
		if b.board.AllowedFor(side, c) {
			s.Remove(c)
		}
	}
	return s
}
