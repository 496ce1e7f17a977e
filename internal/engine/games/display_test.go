package games

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
)

// A winning line is shown exactly when one has won, holds only the winner's
// stones, and is five long at least: in random games of every rule set, which
// end by lines of all kinds.
func TestDisplayShowsTheLineThatWon(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rule := range RuleNames() {
		v, err := NewVariant(VariantOptions{Rule: rule, Size: 8})
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for range 60 {
			pos, err := v.Start()
			if err != nil {
				t.Fatal(err)
			}
			for pos.Outcome() == game.Undecided {
				moves := pos.Moves(nil)
				if wins := pos.Wins(nil); len(wins) > 0 {
					moves = wins
				}
				m := moves[rng.IntN(len(moves))]
				pos.Play(m)
				if d := v.Display(pos); !slices.Equal(d.Last, []int{int(m)}) || d.Pieces[m].Stone == NoStone {
					t.Fatalf("%s: last %v after %d", rule, d.Last, m)
				}
			}
			d := v.Display(pos)
			if byLine := pos.Reason() == game.Line; byLine != (len(d.Win) >= 5) {
				t.Fatalf("%s: %v by %q, shows %v\n%v", rule, pos.Outcome(), pos.Reason(), d.Win, pos)
			} else if byLine {
				lines++
			}
			for _, c := range d.Win {
				if want := FirstStone + Stone(pos.Outcome()-game.FirstWins); d.Pieces[c].Stone != want {
					t.Fatalf("%s: %d is no stone of the winner\n%v", rule, c, pos)
				}
			}
		}
		if lines == 0 {
			t.Errorf("%s: no game ended by a line", rule)
		}
	}
}

// Every move of Onitama is a step of one's own piece by a card in hand.
func TestDisplayOfOnitama(t *testing.T) {
	v, err := NewVariant(VariantOptions{Game: Onitama})
	if err != nil {
		t.Fatal(err)
	}
	pos, err := v.Start()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		if pos.Outcome() != game.Undecided {
			break
		}
		d, side := v.Display(pos), pos.ToMove()
		moves := pos.Moves(nil)
		for _, m := range moves {
			s := v.Step(m)
			held := slices.IndexFunc(d.Hands[side], func(c Card) bool { return c.Name == s.Card })
			if held < 0 || s.From < 0 || d.Pieces[s.From].Stone != FirstStone+Stone(side) {
				t.Fatalf("%+v with %+v", s, d.Hands)
			}
			ahead := 1 - 2*int(side)
			step := [2]int{ahead * (s.To%d.Size - s.From%d.Size), ahead * (s.To/d.Size - s.From/d.Size)}
			if !slices.Contains(d.Hands[side][held].Steps, step) {
				t.Fatalf("%+v is no step of %+v", s, d.Hands[side][held])
			}
		}
		m := moves[rng.IntN(len(moves))]
		pos.Play(m)
		if s := v.Step(m); !slices.Equal(v.Display(pos).Last, []int{s.To, s.From}) {
			t.Fatalf("last %v after %+v", v.Display(pos).Last, s)
		}
	}
}
