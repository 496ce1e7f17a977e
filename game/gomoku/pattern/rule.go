package pattern

import (
	"math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// lineRule says which runs win for one side, and whether renju restricts it.
type lineRule struct {
	exact      bool // only runs of exactly five
	oppBlocks  bool // the opponent's stones block the ends of a five
	edgeBlocks bool // so do edges; not without oppBlocks
	restricted bool // overlines and two fours are forbidden
}

func newLineRule(r *gomoku.Rules, s game.Side) lineRule {
	return lineRule{exact: r.Exact[s], oppBlocks: r.OpponentBlocks, edgeBlocks: r.EdgeBlocks, restricted: r.Renju[s]}
}

// half returns how many cells to either side of a cell decide its pattern.
func (r lineRule) half() int {
	if r.exact || r.oppBlocks {
		return reach
	}
	return reach - 1
}

// segment is a piece of a line around one cell, the centre, as masks. Bit
// centre+k is the cell k steps from it; what is in no mask is not known.
type segment struct{ own, opp, edge, empty uint32 }

const centre = 8

func (s segment) put(bit int) segment {
	s.own |= 1 << bit
	s.empty &^= 1 << bit
	return s
}

func (s segment) block(bit int) segment {
	s.opp |= 1 << bit
	s.empty &^= 1 << bit
	return s
}

// run returns the first bits below and above the run of own stones through bit,
// which holds one, that are not part of it.
func (s segment) run(bit int) (lo, hi int) {
	lo = 31 - bits.LeadingZeros32(^s.own&(1<<bit-1))
	hi = bits.TrailingZeros32(^s.own &^ (1<<bit - 1))
	return lo, hi
}

// wins reports whether the run between lo and hi wins.
func (r lineRule) wins(s segment, lo, hi int) bool {
	switch length := hi - lo - 1; {
	case length < 5:
		return false
	case length > 5:
		return !r.exact
	}
	return !(r.blocks(s, lo) && r.blocks(s, hi))
}

func (r lineRule) blocks(s segment, bit int) bool {
	return r.oppBlocks && s.opp>>bit&1 != 0 || r.edgeBlocks && s.edge>>bit&1 != 0
}

// won reports whether the run through the centre wins.
func (r lineRule) won(s segment) bool {
	lo, hi := s.run(centre)
	return r.wins(s, lo, hi)
}

// completing returns the empty cells where one more stone makes a winning run
// that the centre is part of.
func (r lineRule) completing(s segment) (cells uint32) {
	for e := s.empty; e != 0; e &= e - 1 {
		bit := bits.TrailingZeros32(e)
		after := s.put(bit)
		lo, hi := after.run(bit)
		if lo < centre && centre < hi && r.wins(after, lo, hi) {
			cells |= 1 << bit
		}
	}
	return cells
}

// secondEnd returns the bit where one stone of the opponent blocks the second end
// of the winning run between lo and hi, -1 if there is none.
func (r lineRule) secondEnd(s segment, lo, hi int) int {
	switch {
	case hi-lo-1 != 5:
	case r.blocks(s, lo) && s.empty>>hi&1 != 0:
		return hi
	case r.blocks(s, hi) && s.empty>>lo&1 != 0:
		return lo
	}
	return -1
}

// lasting reports whether some completing cell is left after any one stone of
// the opponent.
func (r lineRule) lasting(s segment) bool {
	if cells := r.completing(s); cells&(cells-1) == 0 {
		return false // none, or the one that a reply on it takes away
	}
	for e := s.empty; e != 0; e &= e - 1 {
		if r.completing(s.block(bits.TrailingZeros32(e))) == 0 {
			return false
		}
	}
	return true
}

// foul reports whether the stone on the centre is forbidden by this line alone:
// the centre is part of a run longer than five or of two fours. Completing cells
// at both ends of a run shorter than four are two fours.
func (r lineRule) foul(s segment) bool {
	if !r.restricted {
		return false
	}
	lo, hi := s.run(centre)
	return hi-lo-1 > 5 || hi-lo-1 < 4 && bits.OnesCount32(r.completing(s)) > 1
}
