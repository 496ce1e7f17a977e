package certificate

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
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

// Each refusal of a certificate that a side does not lose says what is wrong.
func TestHoldRefused(t *testing.T) {
	start, err := gomoku.NewSetup(mustRules(t, "freestyle"), 5, gomoku.Setup{Stones: make([]gomoku.Stone, 25)})
	if err != nil {
		t.Fatal(err)
	}
	_, data := golden(t)
	whole, err := Decode(data["draw-freestyle.cert"])
	if err != nil || whole.Size != 5 || !slices.Equal(whole.Start.Stones, setup(start).Stones) {
		t.Fatalf("%+v, %v", whole, err)
	}
	pairing := slices.Index(whole.Moves, whole.pairing())
	for name, tt := range map[string]struct {
		change func(c *Certificate)
		want   string
	}{
		"a pair too few":    {func(c *Certificate) { c.Moves[pairing+2]-- }, "no pair"},
		"pairs backwards":   {func(c *Certificate) { slices.Reverse(c.Moves[pairing+3 : pairing+5]) }, "out of order"},
		"a cell twice":      {func(c *Certificate) { c.Moves[pairing+4] = c.Moves[pairing+6] }, "two of them"},
		"a taken cell":      {func(c *Certificate) { c.Moves[pairing+3] = c.Moves[pairing+1] }, ""},
		"two marks":         {func(c *Certificate) { c.Moves[pairing+1] = c.pairing() }, "not legal"},
		"cut":               {func(c *Certificate) { c.Moves = c.Moves[:len(c.Moves)-1] }, "have ended"},
		"a word too many":   {func(c *Certificate) { c.Moves = append(c.Moves, 3) }, "left over"},
		"one side alone":    {func(c *Certificate) { c.Holds[1] = false }, "left over"},
		"a restricted side": {func(c *Certificate) { c.Rules = mustRules(t, "renju") }, "may not play everywhere"},
		"with captures":     {func(c *Certificate) { c.Rules = mustRules(t, "school42") }, "a pairing under rules with captures"},
		"near the opening":  {func(c *Certificate) { c.Rules.OpenDistance = 3 }, "may not play everywhere"},
		"off the board":     {func(c *Certificate) { c.Moves[pairing+3] = 25 }, "25 cells"},
	} {
		c := *whole
		c.Moves = slices.Clone(whole.Moves)
		tt.change(&c)
		if _, err := verdict(c.Encode()); !errors.Is(err, ErrRefuted) && !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	lost := func(*gomoku.Board) (game.Move, []game.Move, bool) { return game.NoMove, nil, false }
	if _, err := NewHold(t.Context(), start, 100, [2]Keeper{lost, nil}); !errors.Is(err, ErrRefuted) {
		t.Errorf("without a move: %v", err)
	}
}

func mustRules(t *testing.T, name string) gomoku.Rules {
	t.Helper()
	r, err := gomoku.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
