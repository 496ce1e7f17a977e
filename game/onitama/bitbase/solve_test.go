package bitbase

import (
	"testing"

	"github.com/carozero/carozero/game"
)

// Captures count when they should, whatever they lead to: draws, of which real tables
// of two men have none, and wins and losses that come long after all else is decided.
func TestCapturesOfAnyDistance(t *testing.T) {
	c := mustCards(t)
	for _, below := range []byte{0, 100, 101} {
		of := pair{{2, 1}, {1, 2}}
		halves := newHalves(of, newArena(of.size()), map[Class][]byte{{1, 1}: make([]byte, Class{1, 1}.Size())})
		for _, h := range halves {
			if h.taken == nil {
				continue
			}
			for i := range h.taken.values {
				h.taken.values[i] = below
			}
		}
		s := &solver{cards: c, threads: 2, longest: Longest, level: func(int) {}}
		if err := s.solve(t.Context(), halves); err != nil {
			t.Fatal(err)
		}
		far, checked := 0, 0
		for _, h := range halves {
			for i, v := range h.state {
				if v > 0 && v < 60 && i%50 > 0 {
					continue // there are many
				}
				if v >= 100 || v == 0 && below == 0 {
					far++
				}
				checked++
				if want := byMoves(t, c, h, i, below); v != want {
					t.Fatalf("below %d: class %v, position %d has the distance %d; its moves lead to %d", below, h.class, i, v, want)
				}
			}
		}
		if far == 0 {
			t.Errorf("below %d: nothing among %d positions depends on it", below, checked)
		}
	}
}

// byMoves returns what the moves of a position lead to by the rules, if every capture
// leads to a position of the distance below.
func byMoves(t *testing.T, c *cards, h *half, i int, below byte) byte {
	t.Helper()
	at := h.placement(uint32(i) % h.size)
	b, err := c.board(&at, i/int(h.size))
	if err != nil {
		t.Fatal(err)
	}
	win, loss, draw := byte(255), byte(0), false
	for _, m := range b.Moves(nil) {
		captures := b.Captures(m)
		b.Play(m)
		v := below
		switch {
		case b.Outcome() != game.Undecided:
			win = 1
		case !captures:
			deal, _ := c.number(b)
			after := placement{
				men:     [2]uint32{b.Pieces(game.First), b.Pieces(game.Second)},
				masters: [2]int{b.Master(game.First), b.Master(game.Second)},
			}
			after = after.turned()
			v = h.other.state[deal*int(h.other.size)+int(h.other.rank(&after))]
		}
		over := b.Outcome() != game.Undecided
		b.Undo()
		switch {
		case over:
		case v == 0:
			draw = true
		case v%2 == 0:
			win = min(win, v+1)
		default:
			loss = max(loss, v+1)
		}
	}
	switch {
	case win < 255:
		return win
	case draw:
		return 0
	}
	return loss
}
