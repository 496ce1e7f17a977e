package bitbase

import (
	"math/bits"
	"sync"
)

const (
	squares = 25

	// MaxMen is the largest number of men that a table can have, masters included.
	MaxMen = 6

	// maxSide is the most men that one side can have.
	maxSide = 5

	// masterPairs is the number of ways in which two masters stand on different
	// squares, neither on the other's temple.
	masterPairs = 24*24 - 23

	// free is the number of squares that two masters leave.
	free = squares - 2
)

// The temples, as the mover sees them.
const (
	ownTemple = 2
	oppTemple = 22
)

// Class says how many men each side has, its master included; the side to move
// comes first.
type Class struct{ Own, Opp int }

// turned returns the class after a move that takes nothing.
func (c Class) turned() Class { return Class{c.Opp, c.Own} }

// Size returns the number of positions of the class: of its placements with each
// of the deals.
func (c Class) Size() int64 { return int64(Deals) * int64(newNumbering(c).size) }

// classes lists the classes of up to men men in the order in which they are
// solved: by men, then by the difference between the sides, the side with more
// men first. A class and the one it turns into are neighbours.
func classes(men int) []Class {
	var list []Class
	for n := 2; n <= men; n++ {
		for own := min(n-1, maxSide); 2*own >= n; own-- {
			c := Class{own, n - own}
			list = append(list, c)
			if c.Own != c.Opp {
				list = append(list, c.turned())
			}
		}
	}
	return list
}

// placement is where the men stand, seen by the side to move: its men come first,
// and the board is turned by half a turn for the second player.
type placement struct {
	men     [2]uint32 // masters included
	masters [2]int
}

// turned returns what the other side sees.
func (p *placement) turned() placement {
	return placement{
		men:     [2]uint32{turnSet(p.men[1]), turnSet(p.men[0])},
		masters: [2]int{squares - 1 - p.masters[1], squares - 1 - p.masters[0]},
	}
}

// turnSet turns a set of squares by half a turn.
func turnSet(set uint32) uint32 { return bits.Reverse32(set) >> (32 - squares) }

// numbering numbers the placements of a class from 0 to size-1 without a gap. The
// masters count most, then the own students, then the opponent's:
//
//	number = (pair*own + rank(own students))*opp + rank(opponent's students)
//
// where own and opp say how many ranks there are; see the package's documentation.
type numbering struct {
	t        *ranks
	class    Class
	own, opp uint32 // ranks of the students of each side
	size     uint32
}

func newNumbering(c Class) numbering {
	n := numbering{t: sharedRanks(), class: c}
	n.own = n.t.choose[c.Own-1][free]
	n.opp = n.t.choose[c.Opp-1][free-(c.Own-1)]
	n.size = masterPairs * n.own * n.opp
	return n
}

// rank returns the number of p, which is of the numbering's class.
func (n *numbering) rank(p *placement) uint32 {
	masters := uint32(1)<<p.masters[0] | uint32(1)<<p.masters[1]
	own := p.men[0] &^ masters
	r := uint32(n.t.pairs[p.masters[0]][p.masters[1]])
	r = r*n.own + n.t.rank(own, masters)
	return r*n.opp + n.t.rank(p.men[1]&^masters, masters|own)
}

// placement returns the placement with the number r.
func (n *numbering) placement(r uint32) placement {
	opp := r % n.opp
	r /= n.opp
	own := r % n.own
	pair := n.t.masters[r/n.own]
	masters := uint32(1)<<pair[0] | uint32(1)<<pair[1]
	students := spread(n.t.sets[n.class.Own-1][own], masters)
	return placement{
		men: [2]uint32{
			students | 1<<pair[0],
			spread(n.t.sets[n.class.Opp-1][opp], masters|students) | 1<<pair[1],
		},
		masters: [2]int{int(pair[0]), int(pair[1])},
	}
}

// spread moves a set from the squares counted outside taken to the board's.
func spread(set, taken uint32) uint32 {
	for ; taken != 0; taken &= taken - 1 {
		below := taken&-taken - 1
		set = set&below | set&^below<<1
	}
	return set
}

// ranks has both directions of the numbering. It is shared and never written once
// built.
type ranks struct {
	choose  [maxSide][squares + 1]uint32 // choose[k][n] is C(n, k)
	masters [masterPairs][2]uint8        // the squares of both masters, by their number
	pairs   [squares][squares]uint16     // the number of two masters, by their squares
	sets    [maxSide][]uint32            // sets of squares out of 23, by size and rank
}

// sharedRanks builds the tables when they are first needed.
var sharedRanks = sync.OnceValue(newRanks)

func newRanks() *ranks {
	t := new(ranks)
	for n := range t.choose[0] {
		t.choose[0][n] = 1
		for k := 1; k < maxSide && n > 0; k++ {
			t.choose[k][n] = t.choose[k][n-1] + t.choose[k-1][n-1]
		}
	}
	n := 0
	for own := range squares {
		for opp := range squares {
			if own == opp || own == oppTemple || opp == ownTemple {
				continue
			}
			t.masters[n] = [2]uint8{uint8(own), uint8(opp)}
			t.pairs[own][opp] = uint16(n)
			n++
		}
	}
	t.sets[0] = []uint32{0}
	for k := 1; k < maxSide; k++ {
		// The next larger number with as many bits is the set of the next rank.
		for set := uint32(1)<<k - 1; set < 1<<free; {
			t.sets[k] = append(t.sets[k], set)
			low := set & -set
			carried := set + low
			set = carried | (set^carried)>>2/low
		}
	}
	return t
}

// rank returns the rank of a set of squares in the combinatorial number system,
// counting only squares outside taken: C(s1,1) + C(s2,2) + ... for the squares
// s1 < s2 < ...
func (t *ranks) rank(set, taken uint32) uint32 {
	r := uint32(0)
	for k := 1; set != 0; k++ {
		below := set&-set - 1
		set &= set - 1
		r += t.choose[k][bits.OnesCount32(below&^taken)]
	}
	return r
}
