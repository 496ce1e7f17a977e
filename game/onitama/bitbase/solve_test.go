package bitbase

import (
	"testing"

	"github.com/carozero/carozero/game"
)

// Captures count when they should, whatever they lead to: draws, of which real tables
// of two men have none, and wins and losses that come long after all else is decided.
func TestCapturesOfAnyDistance(t *testing.T) {
	for _, below := range []byte{0, 100, 101} {
		p := newTestPart(t)
		halves, err := p.halves(pair{{2, 1}, {1, 2}}, newArena(pair{{2, 1}, {1, 2}}.size()))
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range halves {
			if h.taken == nil {
				continue
			}
			for i := range h.taken.values {
				h.taken.values[i] = below
			}
		}
		s := &solver{cards: p.cards, threads: 2, longest: Longest, level: func(int, int) {}}
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
				if want := p.byMoves(t, h, i, below); v != want {
					t.Fatalf("below %d: class %v, position %d has the distance %d; its moves lead to %d", below, h.class, i, v, want)
				}
			}
		}
		if far == 0 {
			t.Errorf("below %d: nothing among %d positions depends on it", below, checked)
		}
	}
}

// newTestPart returns a part with the class of two men.
func newTestPart(t *testing.T) *part {
	t.Helper()
	path := t.TempDir() + "/two"
	if err := Build(t.Context(), path, theCards, 2, Options{}); err != nil {
		t.Fatal(err)
	}
	p, err := openPart(t.Context(), path, header{mustCards(t), 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.file.Close() })
	return p
}

// byMoves returns what the moves of a position lead to by the rules, if every capture
// leads to a position of the distance below.
func (p *part) byMoves(t *testing.T, h *half, i int, below byte) byte {
	t.Helper()
	at := h.placement(uint32(i) % h.size)
	b, err := p.cards.board(&at, i/int(h.size))
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
			deal, _ := p.cards.number(b)
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
