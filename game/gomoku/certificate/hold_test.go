package certificate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// The lines of five that a side may yet win by are those that the rules say it wins by if
// it gets the cells, in positions of all rule sets without captures.
func TestOpenLines(t *testing.T) {
	for _, name := range gomoku.Names() {
		if name == "school42" {
			continue
		}
		opened, closed := 0, 0
		for i := 0; opened < 2_000; i++ {
			b := scatter(t, name, rand.New(rand.NewPCG(62, uint64(i))))
			if b == nil {
				continue
			}
			w := newWalk(t.Context(), b, b.ToMove().Other(), nil)
			var want []string
			for _, line := range openLines(b, b.ToMove()) {
				slices.Sort(line)
				want = append(want, string(appendCells(nil, line)))
			}
			for c := range b.MaxMoves() {
				for d := range 4 {
					_, open := w.open(c, d)
					var cells []int
					for k := range 5 {
						cell, _ := w.at(c, d, k)
						cells = append(cells, cell)
					}
					slices.Sort(cells)
					if open != slices.Contains(want, string(appendCells(nil, cells))) {
						t.Fatalf("%s: from %d in direction %d: open %v\n%v", name, c, d, open, b)
					}
					if open {
						opened++
					} else {
						closed++
					}
				}
			}
		}
		t.Logf("%s: %d open, %d closed", name, opened, closed)
	}
}

func appendCells(text []byte, cells []int) []byte {
	for _, c := range cells {
		text = append(text, byte(c), byte(c>>8))
	}
	return text
}

// Nobody beats the pairings of the golden certificates: whoever plays at random, now and
// then where it has most stones, does not win against a side that answers by the pairs.
func TestPairingsHold(t *testing.T) {
	names, data := golden(t)
	pairings := 0
	for _, name := range names {
		c, err := Decode(data[name])
		if err != nil {
			t.Fatal(err)
		}
		if c.Win() {
			continue
		}
		b, err := c.Board()
		if err != nil {
			t.Fatal(err)
		}
		keep := [2]Keeper{}
		r := &reader{words: c.Moves, pairing: c.pairing()}
		for _, side := range c.sides() {
			keep[side] = func(b *gomoku.Board) (game.Move, []game.Move, bool) {
				s, err := r.next(b)
				if s.pairs != nil && pairings < 3_000 {
					pairings++
					b.Play(s.move)
					playPairs(t, b, side, s.pairs, rand.New(rand.NewPCG(63, uint64(pairings))))
					b.Undo()
				}
				return s.move, s.pairs, err == nil
			}
		}
		again, err := NewHold(t.Context(), b, MaxNodes, keep)
		if err != nil || string(again.Encode()) != string(data[name]) {
			t.Errorf("%s: written anew it is another: %v", name, err)
		}
		if _, err := NewHold(t.Context(), b, len(c.Moves)-1, keep); len(c.Moves) > 0 && err == nil {
			t.Errorf("%s: written with too few words", name)
		}
	}
	if pairings < 20 {
		t.Errorf("only %d pairings", pairings)
	}
}

// playPairs plays some games in which a side answers by the pairs.
func playPairs(t *testing.T, b *gomoku.Board, side game.Side, pairs []game.Move, rng *rand.Rand) {
	t.Helper()
	mate := map[game.Move]game.Move{}
	for i := 0; i < len(pairs); i += 2 {
		mate[pairs[i]], mate[pairs[i+1]] = pairs[i+1], pairs[i]
	}
	for range 20 {
		at := b.Copy()
		for at.Outcome() == game.Undecided {
			moves := at.Moves(nil)
			m := moves[rng.IntN(len(moves))]
			if at.ToMove() == side {
				if answer, ok := mate[at.Last()]; ok && at.Legal(answer) {
					m = answer
				}
			} else if wins := at.Wins(nil); len(wins) > 0 {
				m = wins[0]
			}
			at.Play(m)
		}
		if at.Outcome() == game.WinFor(side.Other()) {
			t.Fatalf("the pairs %v do not hold\n%v", pairs, b)
		}
	}
}
