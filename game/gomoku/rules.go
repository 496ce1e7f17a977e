// Package gomoku holds the rules of the gomoku family: five in a row on a
// square board, free or exact, with blocked ends, renju's forbidden points, or
// captures. A rule set is a value of type Rules; there is one Board.
//
// Cells are numbered from the bottom left: cell = y*size + x, where x is the
// column (a is 0) and y the row number less one. A cell's number is also the
// game.Move that puts a stone there.
//
// # Representation
//
// A Board keeps the stones of either side as lines, one word for each row,
// column and diagonal (see words). A move changes four words of one side. The
// run of stones around a cell is then two bit scans, and a question about all
// cells of the board is answered two lines at a time: fives, for example,
// computes in some twenty instructions every cell of two lines that completes
// a winning run. Nothing else is kept up to date but the Zobrist key, so Play
// and Undo stay cheap and Wins reads the lines afresh.
//
// Letters used throughout: own and opp are the stones of the side in question
// and of its opponent in one line, empty the empty cells of that line, block
// the cells that block the end of a run, bit a cell's bit in a line, and lo
// and hi the two bits just outside a run.
//
// # Restrictions
//
// Cells that are empty but closed to the side to move (renju's forbidden
// points, double free-threes, the opening distance) are computed on the first
// question about the position, and only for the cells that have enough own
// stones around them. Legal asks about one cell only.
package gomoku

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
)

// Rules is one rule set of the gomoku family. The board reads these parameters
// and never the name, so a rule set that is not in the table works as well,
// provided that Validate accepts it. Pairs are indexed by [game.Side].
//
// Except under Captures, a move is judged by the maximal runs of own stones
// through it, one in each of the four directions; one winning run is enough.
type Rules struct {
	Name string

	// Exact says that only a run of exactly five wins for the side.
	Exact [2]bool

	// OpponentBlocks says that a run of exactly five does not win if both of
	// its ends are blocked. An opponent's stone blocks; with EdgeBlocks the
	// edge does too. OverlineFree says that longer runs win whatever their ends.
	OpponentBlocks, EdgeBlocks, OverlineFree bool

	// Renju forbids the side overlines, double-fours and double-threes, except
	// by a move that makes exactly five.
	Renju [2]bool

	// DoubleThree forbids both sides a move that makes two free-threes, unless
	// it captures.
	DoubleThree bool

	// Captures takes flanked pairs off the board: ten stones win, and a five
	// that a capture can break does not win yet.
	Captures bool

	// OpenDistance restricts the third stone of a game: it must be at least so
	// many columns or rows away from the first. 0 is no restriction; the usual
	// opening rule is 3.
	OpenDistance int
}

// Limits of the board.
const (
	MinSize  = 5
	MaxSize  = 22
	maxCells = MaxSize * MaxSize
)

// DefaultRule is the name of the rule set used where none is asked for.
const DefaultRule = "caro"

var both = [2]bool{true, true}

// table holds the named rule sets in the order of Names.
var table = [...]Rules{
	{Name: "freestyle"},
	{Name: "standard", Exact: both},
	{Name: "renju", Exact: [2]bool{game.First: true}, Renju: [2]bool{game.First: true}},
	{Name: "caro", Exact: both, OpponentBlocks: true},
	{Name: "caro-overline", OpponentBlocks: true, OverlineFree: true},
	{Name: "caro-edge", Exact: both, OpponentBlocks: true, EdgeBlocks: true},
	{Name: "caro-edge-overline", OpponentBlocks: true, EdgeBlocks: true, OverlineFree: true},
	{Name: "school42", DoubleThree: true, Captures: true},
}

// Names returns the names of the rule sets.
func Names() []string {
	names := make([]string, len(table))
	for i, r := range table {
		names[i] = r.Name
	}
	return names
}

// Lookup returns the rule set of a name. The error wraps ErrRule.
func Lookup(name string) (Rules, error) {
	for _, r := range table {
		if r.Name == name {
			return r, nil
		}
	}
	return Rules{}, fmt.Errorf("%w %q: the rules are %s", ErrRule, name, strings.Join(Names(), ", "))
}

// Validate reports parameters that contradict each other. The error wraps
// ErrRule.
func (r Rules) Validate() error {
	fault := ""
	switch {
	case r.EdgeBlocks && !r.OpponentBlocks:
		fault = "the edge blocks ends only where an opponent's stone does"
	case r.OverlineFree && !r.OpponentBlocks:
		fault = "overlines are freed only from a rule of blocked ends"
	case r.OverlineFree && r.Exact != [2]bool{}:
		fault = "overlines cannot win where only exactly five does"
	case r.OpponentBlocks && !r.OverlineFree && r.Exact != both:
		fault = "with blocked ends a five must be exact, or overlines free"
	case r.Renju[game.First] && !r.Exact[game.First], r.Renju[game.Second] && !r.Exact[game.Second]:
		fault = "the renju restrictions go with exactly five"
	case r.Renju != [2]bool{} && (r.OpponentBlocks || r.DoubleThree):
		fault = "the renju restrictions go with neither blocked ends nor the double-three rule"
	case r.Captures && (r.OpponentBlocks || r.Exact != [2]bool{}):
		fault = "captures go with five or more and ignored ends"
	case r.OpenDistance < 0 || r.OpenDistance > MaxSize:
		fault = fmt.Sprintf("an opening distance is in 0..%d", MaxSize)
	default:
		return nil
	}
	return fmt.Errorf("%w %q: %s", ErrRule, r.Name, fault)
}

// restricts reports whether some empty cell may be closed to side.
func (r Rules) restricts(side game.Side) bool {
	return r.Renju[side] || r.DoubleThree || r.OpenDistance > 0
}

// Sentinel errors. Returned errors wrap one of them in a line that says what is wrong and
// what would be right.
var (
	// ErrRule: an unknown rule set, or parameters that do not go together.
	ErrRule = errors.New("bad rule")
	// ErrSize: a board size outside MinSize..MaxSize, or a diagram or setup
	// that does not fit its size.
	ErrSize = errors.New("bad board size")
	// ErrNotation: text that is no move, no sequence of moves or no diagram.
	ErrNotation = errors.New("bad notation")
	// ErrIllegal: a move or a setup that the rules do not allow.
	ErrIllegal = errors.New("illegal")
	// ErrOver: a move after the end of the game.
	ErrOver = errors.New("game over")
)

// below returns the highest clear bit under bit, and above the lowest clear
// bit over it: the cells next to the ends of the run of stones around bit.
// The pad bits make sure that both exist for any bit from 2 to 30.
func below(own uint32, bit uint) uint { return uint(31 - bits.LeadingZeros32(^own&(1<<bit-1))) }
func above(own uint32, bit uint) uint { return uint(bits.TrailingZeros32(^own &^ (2<<bit - 1))) }

func has(word uint32, bit uint) bool { return word>>(bit&31)&1 != 0 }

// runWins reports whether the maximal run between the clear bits lo and hi
// wins. block holds the cells that block an end; 0 where ends are ignored.
func runWins(lo, hi uint, block uint32, exact bool) bool {
	switch length := hi - lo - 1; {
	case length < 5:
		return false
	case length == 5:
		return !(has(block, lo) && has(block, hi))
	default:
		return !exact
	}
}

// fives returns the bits where one more stone completes a winning run, in the
// two lines that the words hold; the caller masks out the cells that are not
// empty. A winning run is one of exactly five that block does not hold at both
// ends, and without exact also any longer one.
func fives(own, block uint64, exact bool) uint64 {
	l1, r1 := own<<1, own>>1
	l2, r2 := l1&(own<<2), r1&(own>>2)
	l3, r3 := l2&(own<<3), r2&(own>>3)
	l4, r4 := l3&(own<<4), r3&(own>>4)
	if !exact && block == 0 {
		return l4 | l3&r1 | l2&r2 | l1&r3 | r4
	}
	stop := func(left, right uint) uint64 {
		return own<<left | own>>right | (block<<left)&(block>>right)
	}
	won := r4&^stop(1, 5) | l1&r3&^stop(2, 4) | l2&r2&^stop(3, 3) | l3&r1&^stop(4, 2) | l4&^stop(5, 1)
	if !exact {
		won |= l4&(own<<5) | l4&r1 | l3&r2 | l2&r3 | l1&r4 | r4&(own>>5)
	}
	return won
}

// fourCount returns how many fours the stone at bit is part of, in a line
// where only exactly five counts and bit is set in own: rows of four that one
// stone on an empty cell makes five. A straight four is one; two can share a
// line.
func fourCount(own, empty uint32, bit uint) int {
	lo, hi := below(own, bit), above(own, bit)
	left := has(empty, lo) && hi-below(own, lo)-1 == 5
	right := has(empty, hi) && above(own, hi)-lo-1 == 5
	switch {
	case left && right && hi-lo-1 < 4:
		return 2
	case left || right:
		return 1
	}
	return 0
}

// threePoints returns the bits where one more stone turns the three that the
// stone at bit is part of into an open four: four unbroken stones with an
// empty cell at both ends. With exact, both ends must make exactly five; then
// the points belong to one three. Without it each of the two points can have a
// three of its own, as in _XX_N_XX_; callers count them as one a line.
func threePoints(own, empty uint32, bit uint, exact bool) uint32 {
	lo, hi := below(own, bit), above(own, bit)
	points := uint32(0)
	if has(empty, lo) && openFour(own, empty, below(own, lo), hi, exact) {
		points |= 1 << lo
	}
	if has(empty, hi) && openFour(own, empty, lo, above(own, hi), exact) {
		points |= 1 << hi
	}
	return points
}

// openFour reports whether a run of own stones between lo and hi, not
// included, would be an open four.
func openFour(own, empty uint32, lo, hi uint, exact bool) bool {
	if hi-lo-1 != 4 || !has(empty, lo) || !has(empty, hi) {
		return false
	}
	return !exact || !has(own, lo-1) && !has(own, hi+1)
}

// RunThrough returns the length of the longest run of side's stones through a
// cell that holds one.
func (b *Board) RunThrough(side game.Side, cell int) (longest int) {
	w, p := &b.lines[side], &b.geo.place[cell]
	for d := range directions {
		own, bit := w[p.line[d]], uint(p.bit[d])
		longest = max(longest, int(above(own, bit)-below(own, bit))-1)
	}
	return longest
}

// WinningCaptures is the number of captured stones that wins.
const WinningCaptures = 10

// AppendWinningRuns appends, in ascending order, the cells of all runs of side that win.
func (b *Board) AppendWinningRuns(side game.Side, cells []game.Move) []game.Move {
	start := len(cells)
	b.winningRuns(side, func(d, line int, lo, hi uint) bool {
		for bit := lo + 1; bit < hi; bit++ {
			cells = append(cells, game.Move(b.geo.cell(d, line, int(bit))))
		}
		return true
	})
	slices.Sort(cells[start:])
	return cells[:start+len(slices.Compact(cells[start:]))]
}

// winningRuns calls yield for the runs of side that win, each with its direction, its
// line and the clear bits around it, until yield returns false.
func (b *Board) winningRuns(side game.Side, yield func(d, line int, lo, hi uint) bool) {
	for d, s := range b.geo.span {
		for line := s.lo; line < s.hi; line++ {
			own := b.lines[side][line]
			twos := own & (own >> 1)
			starts := twos & (twos >> 2) & (own >> 4)
			for starts != 0 {
				bit := uint(bits.TrailingZeros32(starts))
				lo, hi := below(own, bit), above(own, bit)
				if runWins(lo, hi, b.blockIn(side, line), b.rules.Exact[side]) && !yield(d, line, lo, hi) {
					return
				}
				starts &^= 1<<hi - 1
			}
		}
	}
}

// WinsFor reports whether side, were it to move, could win on the spot by a
// stone on cell: an allowed move that completes a winning line or takes the
// tenth stone. Where a capture can break a five, or the opponent has a five
// that must be broken first, such a move need not end the game; Wins answers
// that question.
func (b *Board) WinsFor(side game.Side, cell int) bool {
	if !b.AllowedFor(side, cell) {
		return false
	}
	if b.completes(side, cell) {
		return true
	}
	return b.rules.Captures && b.captured[side]+b.takes(side, cell) >= WinningCaptures
}

// completes reports whether the run around a stone of side on cell wins in some
// direction; the stone may be there already or not.
func (b *Board) completes(side game.Side, cell int) bool {
	w, p := &b.lines[side], &b.geo.place[cell]
	for d := range directions {
		line, bit := int(p.line[d]), uint(p.bit[d])
		own := w[line]
		lo, hi := below(own, bit), above(own, bit)
		if hi-lo > 5 && runWins(lo, hi, b.blockIn(side, line), b.rules.Exact[side]) {
			return true
		}
	}
	return false
}

// AppendWinsFor appends, in ascending order, the cells for which WinsFor holds.
func (b *Board) AppendWinsFor(side game.Side, buf []game.Move) []game.Move {
	var hits rows
	any := b.markFives(side, &hits)
	if b.rules.Captures {
		any = b.markCaptureWins(side, &hits) || any
	}
	if !any {
		return buf
	}
	start := len(buf)
	buf = b.appendMarked(buf, &hits)
	if !b.rules.DoubleThree {
		return buf
	}
	kept := start
	for _, m := range buf[start:] {
		if b.AllowedFor(side, int(m)) {
			buf[kept] = m
			kept++
		}
	}
	return buf[:kept]
}

// Wins appends, in ascending order, the legal moves that win at once.
func (b *Board) Wins(buf []game.Move) []game.Move {
	if b.outcome != game.Undecided {
		return buf
	}
	start := len(buf)
	buf = b.AppendWinsFor(b.toMove, buf)
	if !b.rules.Captures {
		return buf
	}
	kept, won := start, game.WinFor(b.toMove)
	for _, m := range buf[start:] {
		b.Play(m)
		wins := b.outcome == won
		b.Undo()
		if wins {
			buf[kept] = m
			kept++
		}
	}
	return buf[:kept]
}

// markFives adds the empty cells where side completes a winning run to hits
// and reports whether there are any. Restrictions are not looked at.
func (b *Board) markFives(side game.Side, hits *rows) bool {
	own, opp, g := &b.lines[side], &b.lines[side.Other()], b.geo
	exact, found := b.rules.Exact[side], false
	for d, s := range g.span {
		for i := s.lo; i < s.hi; i += 2 {
			o := own.pair(i)
			// Four stones of any five adjacent cells hold two adjacent pairs.
			adjacent := o & (o >> 1)
			if adjacent&(adjacent-1) == 0 {
				continue
			}
			p, valid := opp.pair(i), g.valid.pair(i)
			block := uint64(0)
			if b.rules.OpponentBlocks {
				block = p
				if b.rules.EdgeBlocks {
					block |= ^valid
				}
			}
			points := fives(o, block, exact) & valid &^ (o | p)
			for ; points != 0; points &= points - 1 {
				at := bits.TrailingZeros64(points)
				hits.add(g, g.cell(d, i+at>>5, at&31))
				found = true
			}
		}
	}
	return found
}

// appendMarked appends the cells of a set.
func (b *Board) appendMarked(buf []game.Move, set *rows) []game.Move {
	for y, row := range set[:b.geo.size] {
		for ; row != 0; row &= row - 1 {
			buf = append(buf, game.Move(y*b.geo.size+bits.TrailingZeros32(row)-pad))
		}
	}
	return buf
}
