package gomoku

import (
	"math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// lineRule is the line rule of a rule set for one side.
type lineRule struct {
	exact      bool // own stones beside a five spoil it
	oppBlocks  bool // opponent's stones block ends
	edgeBlocks bool // edges block ends; not without oppBlocks
}

func newLineRule(r *gomoku.Rules, side game.Side) lineRule {
	return lineRule{exact: r.Exact[side], oppBlocks: r.OpponentBlocks, edgeBlocks: r.EdgeBlocks}
}

// noCell stands for a cell that is not there.
const noCell = -1

// win is a window with four own stones: a stone on cell completes a five.
type win struct {
	cell    int16
	defence int16    // where one stone of the opponent would block the second end of it, or noCell
	ends    [2]int16 // the cells beyond the window, or noCell
}

// link says that with a stone on the cell whose list it is in, a stone on cell
// completes a five: half of a window with three own stones.
type link struct {
	cell    int16
	defence int16
	next    int16 // index of the next link of the same list, noCell at its end
}

// windows holds the windows of one side.
type windows struct {
	wins  []win
	links []link
	heads []int16 // by cell: the first link of its list, or noCell
}

// newWindows returns room for every window of a board, so that appending never
// allocates.
func newWindows(g *geometry) windows {
	n := 0
	for i := range g.lines {
		n += max(bits.OnesCount32(g.lines[i].cells)-4, 0)
	}
	return windows{
		wins:  make([]win, 0, n),
		links: make([]link, 0, 2*n),
		heads: make([]int16, g.size*g.size),
	}
}

// find fills w with the windows of the side whose line masks are own.
func (w *windows) find(g *geometry, rule lineRule, own, opp []uint32) {
	w.wins, w.links = w.wins[:0], w.links[:0]
	for i := range w.heads {
		w.heads[i] = noCell
	}
	for i := range g.lines {
		if bits.OnesCount32(own[i]) >= 3 {
			w.scan(&g.lines[i], rule, own[i], opp[i])
		}
	}
}

// scan adds the windows of one line. Bit i of its words stands for the window
// that starts at bit i.
func (w *windows) scan(l *line, rule lineRule, own, opp uint32) {
	open := l.cells &^ opp
	open &= open >> 1
	open &= open >> 2 & (l.cells &^ opp >> 4)
	var blocks uint32
	if rule.oppBlocks {
		blocks = opp
	}
	if rule.edgeBlocks {
		blocks |= l.edges
	}
	if rule.exact {
		open &^= own<<1 | own>>5
	}
	open &^= blocks << 1 & (blocks >> 5)
	if open == 0 {
		return
	}

	ones, twos, fours := countFive(own)
	empty := l.cells &^ (own | opp)
	for m := open & fours &^ ones; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		w.addWin(l, i, empty, secondEnd(l, i, blocks, empty))
	}
	for m := open & ones & twos; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		gaps := empty >> i & 31
		a := l.at(i + bits.TrailingZeros32(gaps))
		b := l.at(i + bits.TrailingZeros32(gaps&(gaps-1)))
		s := secondEnd(l, i, blocks, empty)
		w.addLink(a, b, s)
		w.addLink(b, a, s)
	}
}

// countFive counts the stones in the window that starts at each bit, as the
// three binary digits of the count.
func countFive(own uint32) (ones, twos, fours uint32) {
	a, b, c, d, e := own, own>>1, own>>2, own>>3, own>>4
	half := a ^ b ^ c
	carry := a&b | (a|b)&c
	ones = half ^ d ^ e
	carry2 := half&d | (half|d)&e
	return ones, carry ^ carry2, carry & carry2
}

// secondEnd returns where one stone of the opponent blocks the second end of the
// five in the window that starts at bit i, noCell if none can.
func secondEnd(l *line, i int, blocks, empty uint32) int16 {
	low, high := uint32(1)<<(i-1), uint32(1)<<(i+5)
	switch {
	case blocks&low != 0 && empty&high != 0:
		return l.at(i + 5)
	case blocks&high != 0 && empty&low != 0:
		return l.at(i - 1)
	}
	return noCell
}

func (w *windows) addWin(l *line, i int, empty uint32, defence int16) {
	v := win{
		cell:    l.at(i + bits.TrailingZeros32(empty>>i)),
		defence: defence,
		ends:    [2]int16{noCell, noCell},
	}
	if l.cells>>(i-1)&1 != 0 {
		v.ends[0] = l.at(i - 1)
	}
	if l.cells>>(i+5)&1 != 0 {
		v.ends[1] = l.at(i + 5)
	}
	w.wins = append(w.wins, v)
}

func (w *windows) addLink(from, to, defence int16) {
	w.links = append(w.links, link{cell: to, defence: defence, next: w.heads[from]})
	w.heads[from] = int16(len(w.links) - 1)
}
