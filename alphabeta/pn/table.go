package pn

import (
	"cmp"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
)

// position is what is known of one position.
type position struct {
	alphabeta.ProofNumbers        // for the attacker
	work                   uint64 // moves that the solver played on it and below

	// moves are those that are left to search: the attacker's threats, or the replies
	// that the solver does not refute. Nil before the position is expanded, and once it
	// is decided.
	moves []edge

	// win is the move of the side to move that decides the position for it; NoMove if the
	// solver finds the win, or the position is decided against it.
	win game.Move

	// idle: it is called disproven only because the attacker's move before it is no threat,
	// which the adviser may have another opinion of.
	idle bool

	advice  uint64 // moves that the last advice might take; 0: none was asked for
	claimed bool   // it said that the attacker, who is to move, wins
}

// edge is a move of a position, with the key of the position after it.
type edge struct {
	key     [2]uint64
	move    game.Move
	promise alphabeta.ProofNumbers // of the position while it is not in the table
}

// The bytes that are reckoned for a position and for each of its moves, with what the
// map takes.
const (
	positionBytes = 128
	edgeBytes     = 32
)

// table holds positions by their full 128-bit keys.
type table struct {
	positions map[[2]uint64]*position
	bytes     int64
	bound     int64

	dropProven bool // proven positions may be dropped too
}

func newTable(bound int64) table {
	return table{positions: map[[2]uint64]*position{}, bound: bound}
}

// find returns the position of a key, nil if it is not known.
func (t *table) find(key [2]uint64) *position { return t.positions[key] }

// claim returns the position of a key, a new one with the numbers n if it is not known.
func (t *table) claim(key [2]uint64, n alphabeta.ProofNumbers) *position {
	p := t.positions[key]
	if p == nil {
		p = &position{ProofNumbers: n, win: game.NoMove}
		t.positions[key] = p
		t.bytes += positionBytes
	}
	return p
}

// setMoves gives a position its moves, in a list of their own.
func (t *table) setMoves(p *position, moves []edge) {
	t.bytes -= int64(cap(p.moves)) * edgeBytes
	if p.moves = nil; len(moves) > 0 {
		p.moves = make([]edge, len(moves))
		copy(p.moves, moves)
	}
	t.bytes += int64(cap(p.moves)) * edgeBytes
}

// keepMoves leaves a position its first n moves, and gives the room of the others back
// where it is worth it.
func (t *table) keepMoves(p *position, n int) {
	if p.moves = p.moves[:n]; n > 0 && n <= cap(p.moves)/2 {
		t.setMoves(p, p.moves)
	}
}

// decide gives a position its final numbers; its moves are no longer needed.
func (t *table) decide(p *position, n alphabeta.ProofNumbers) {
	p.ProofNumbers = n
	t.setMoves(p, nil)
}

// full reports whether the table has outgrown its bound.
func (t *table) full() bool { return t.bytes > t.bound }

// keepProven drops all positions that are not proven.
func (t *table) keepProven() {
	for key, p := range t.positions {
		if p.PN != 0 {
			t.drop(key)
		}
	}
}

// drop forgets a position.
func (t *table) drop(key [2]uint64) {
	t.bytes -= positionBytes + int64(cap(t.positions[key].moves))*edgeBytes
	delete(t.positions, key)
}

// shrink drops positions, those with the least work first, until half of the bound is
// free; on holds the keys of the path that is being searched, which stay. Without
// dropProven proven positions stay too, since proofs are played from them.
func (t *table) shrink(on func(key [2]uint64) bool) {
	type candidate struct {
		key  [2]uint64
		work uint64
	}
	var list []candidate
	for key, p := range t.positions {
		if (p.PN != 0 || t.dropProven) && !on(key) {
			list = append(list, candidate{key, p.work})
		}
	}
	// By the key as well, so that what is dropped does not depend on the map's order.
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.work, b.work), cmp.Compare(a.key[0], b.key[0]), cmp.Compare(a.key[1], b.key[1]))
	})
	for _, c := range list {
		if t.bytes <= t.bound/2 {
			return
		}
		t.drop(c.key)
	}
}
