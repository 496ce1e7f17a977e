package games

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// A winning line is shown exactly when one has won, holds only the winner's
// stones, and is five long at least: in random games of every rule set, which
// end by lines of all kinds.
func TestDisplayShowsTheLineThatWon(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rule := range RuleNames() {
		v := variant(t, VariantOptions{Rule: rule, Size: 8})
		lines := 0
		for range 60 {
			pos := parse(t, v, "")
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
	v := variant(t, VariantOptions{Game: Onitama})
	pos := parse(t, v, "")
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

// Stones shows what the moves have put on the board, in either form of a position,
// and no stone that was taken. Boards of other kinds have none.
func TestStones(t *testing.T) {
	v := variant(t, VariantOptions{Rule: "school42", Size: 9})
	pos := parse(t, v, "c3d3a9e3f3") // takes d3 and e3
	want := make([]Stone, 81)
	for text, s := range map[string]Stone{"c3": FirstStone, "a9": FirstStone, "f3": FirstStone} {
		moves, err := v.Notation().ParseMoves(text)
		if err != nil {
			t.Fatal(err)
		}
		want[moves[0]] = s
	}
	for _, p := range []game.Position{pos, v.Searchable(pos)} {
		if got := v.Stones(p); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	pos.Play(0)
	if got := v.Stones(pos); got[0] != SecondStone {
		t.Errorf("a stone of the second player shows as %d", got[0])
	}
	other := variant(t, VariantOptions{Game: Onitama})
	if got := other.Stones(parse(t, other, "")); got != nil {
		t.Errorf("onitama has stones: %v", got)
	}
}

// A prover takes positions in either form, and leaves them as they are.
func TestProverTakesBothForms(t *testing.T) {
	v := variant(t, VariantOptions{Rule: "freestyle"})
	pos := parse(t, v, "h8a1i8a3j8a15") // an open three to move: a win in 3
	for _, p := range []game.Position{pos, v.Searchable(pos)} {
		before := p.Hash()
		prover := v.Prover(0)
		if r := prover.Solve(t.Context(), p, vcf.VCF, 1000); r.Outcome != vcf.Win || r.Plies != 3 {
			t.Errorf("%T: %+v, want a win in 3", p, r)
		}
		w, ok := prover.Find(t.Context(), p, vcf.ProofLimits{Nodes: 1000}, vcf.VCF, vcf.VCT)
		if !ok || w.Kind != vcf.VCF || w.Plies != 3 {
			t.Errorf("%T: %+v, %t, want a win in 3", p, w, ok)
		}
		for plies, holds := range map[int]bool{3: true, 1: false} {
			asked, err := prover.Replay(p, plies, func(_ game.Position, left int) (game.Move, bool) {
				if left != plies {
					t.Errorf("%d plies left of %d", left, plies)
				}
				return w.Line[0], true
			})
			if holds != (err == nil) || asked != 1 {
				t.Errorf("%T in %d plies: asked %d times, %v", p, plies, asked, err)
			}
		}
		if p.Hash() != before {
			t.Errorf("%T has changed", p)
		}
	}
	other := variant(t, VariantOptions{Game: Onitama})
	if other.Prover(0) != nil || other.Lines() != nil || other.Of().Sizes {
		t.Error("onitama has a prover, forbidden points or sizes")
	}
}

// Stones that are set up make the same board as their drawing.
func TestASetupIsItsDrawing(t *testing.T) {
	v := variant(t, VariantOptions{Rule: "school42", Size: 5})
	for _, side := range []*game.Side{nil, new(game.First), new(game.Second)} {
		drawn, err := v.ParseDiagram(Diagram{Text: ".....\n.XX..\n.O...\n.....\nX...O\n", ToMove: side,
			Captured: [2]int{2, 2}})
		if err != nil {
			t.Fatal(err)
		}
		s := Setup{Stones: make([]Stone, 25), ToMove: side, Captured: [2]int{2, 2}}
		s.Stones[0], s.Stones[4], s.Stones[11], s.Stones[16], s.Stones[17] = FirstStone, SecondStone, SecondStone,
			FirstStone, FirstStone
		pos, err := v.SetUp(s)
		if err != nil {
			t.Fatal(err)
		}
		a, b := drawn.(*gomoku.Board), pos.(*gomoku.Board)
		if a.Key() != b.Key() || a.ToMove() != b.ToMove() || a.String() != b.String() || side != nil && b.ToMove() != *side {
			t.Errorf("drawn\n%vset up\n%v", a, b)
		}
	}
}

// A setup and a drawing name the part that is wrong, with the game's error and text.
func TestTheWrongPartOfASetup(t *testing.T) {
	v := variant(t, VariantOptions{Rule: "caro", Size: 5})
	stones := func(of ...Stone) []Stone { return append(of, make([]Stone, 25-len(of))...) }
	x, o := FirstStone, SecondStone
	for _, test := range []struct {
		setup Setup
		part  gomoku.SetupPart
		want  string
	}{
		{Setup{Stones: stones(x, x, x, x, x, o, o, o, o, o)}, StonesPart,
			"illegal setup: both sides have a winning line; one at most can have"},
		{Setup{Stones: stones(x, x)}, ToMovePart,
			"illegal setup: 2 stones of first and 0 of second do not tell whose turn it is"},
		{Setup{Stones: stones(), Captured: [2]int{2, 2}}, CapturedPart,
			"illegal setup: first has captured 2; nothing is captured under caro"},
	} {
		text := ""
		for y := 4; y >= 0; y-- {
			for x := range 5 {
				text += ".XO"[test.setup.Stones[5*y+x]:][:1]
			}
			text += "\n"
		}
		_, drawn := v.ParseDiagram(Diagram{Text: text, Captured: test.setup.Captured})
		pos, set := v.SetUp(test.setup)
		for _, err := range []error{drawn, set} {
			wrong, ok := errors.AsType[*SetupError](err)
			if pos != nil || !ok || wrong.Part != test.part || err.Error() != test.want || !errors.Is(err, gomoku.ErrIllegal) {
				t.Errorf("%v, want part %d: %s", err, test.part, test.want)
			}
		}
	}
	if _, err := v.SetUp(Setup{Stones: stones()[:24]}); !errors.Is(err, gomoku.ErrSize) {
		t.Errorf("a cell too few: %v", err)
	}
}
