package engine_test

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
)

// linesOf returns lines with scores, whose first moves are 0, 1 and so on.
func linesOf(scores ...alphabeta.Score) []alphabeta.Line {
	lines := make([]alphabeta.Line, len(scores))
	for i, s := range scores {
		lines[i] = alphabeta.Line{Moves: []game.Move{game.Move(i)}, Score: s}
	}
	return lines
}

// A level that slips plays any of its lines so often, whatever they are worth, else what
// is nearly best; the seed and the turn say which. It never misses a win in one move.
func TestSlips(t *testing.T) {
	const moves = 20_000
	l := engine.Level{Nodes: 1, Lines: 4, Margin: 10, Slips: 60}
	played := map[game.Move]int{}
	for seed := range uint64(moves) {
		lines := linesOf(100, 95, 50, -alphabeta.WinIn(2))
		m := l.Choose(lines, seed, 7)
		played[m]++
		if again := l.Choose(lines, seed, 7); again != m {
			t.Fatalf("seed %d: %v, then %v", seed, m, again)
		}
		if m := l.Choose(linesOf(alphabeta.WinIn(1), 95, 50), seed, 7); m != 0 {
			t.Fatalf("seed %d misses a win", seed)
		}
	}
	// Of 100 moves 60 are spread over four lines, the others over the first two.
	for m, want := range map[game.Move]float64{0: 0.35, 1: 0.35, 2: 0.15, 3: 0.15} {
		if got := float64(played[m]) / moves; got < want-0.02 || got > want+0.02 {
			t.Errorf("line %d is played in %.3f of the moves: want %.2f", m, got, want)
		}
	}
}

// The value is the logistic function of the score, rises with it, is odd, and is
// certain of claims alone.
func TestCurve(t *testing.T) {
	for _, rule := range games.RuleNames() {
		c := enginetest.Variant(t, games.VariantOptions{Rule: rule}).Curve()
		last := float32(-1)
		for s := -alphabeta.MaxEval; s <= alphabeta.MaxEval; s += 100 {
			got := c.Value(s)
			if want := math.Tanh(float64(s) / (2 * c.Scale)); math.Abs(float64(got)-want) > 2e-6 {
				t.Fatalf("%s: %v is worth %v, want %v", rule, s, got, want)
			}
			if got < last || got >= 1 || got <= -1 || got != -c.Value(-s) {
				t.Fatalf("%s: %v is worth %v after %v", rule, s, got, last)
			}
			last = got
		}
		if c.Value(alphabeta.WinIn(9)) != 1 || c.Value(alphabeta.LossIn(8)) != -1 {
			t.Errorf("%s: claims are not certain", rule)
		}
	}
}

// What the classical engine answers is what the search says, iteration by
// iteration.
func TestTheClassicalEngineSaysWhatTheSearchSays(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	pos := enginetest.Parse(t, v, "h8i9")
	want, _, err := classical(t, v).Search(t.Context(), pos, alphabeta.Limits{Depth: 5, Lines: 3})
	if err != nil {
		t.Fatal(err)
	}
	depth := 0
	a := enginetest.Answer(t, classical(t, v), t.Context(), pos,
		engine.Limits{Depth: 5, Lines: 3, Report: func(a *engine.Answer) {
			enginetest.Check(t, a, pos)
			if depth++; a.Stats.Depth != depth || len(a.Moves) != 3 || a.Moves[0].Score != int(want.Iterations[depth-1].Score) {
				t.Errorf("after depth %d: %+v", depth, a)
			}
		}})
	if depth != 5 || a.Move != want.Move || a.Value != v.Curve().Value(want.Score) || a.Stats.Nodes != want.Stats.Nodes ||
		len(a.Moves) != len(want.Lines) {
		t.Errorf("%+v, want %+v", a, want)
	}
	for i, l := range want.Lines {
		if o := a.Moves[i]; o.Move != l.Moves[0] || o.Score != int(l.Score) || o.Depth != l.Depth ||
			!slices.Equal(o.Line, l.Moves) || !o.Judged() {
			t.Errorf("line %d: %+v, want %+v", i, o, l)
		}
	}
}

// The expected reply is pondered on until the context ends, and an
// unexpected position not at all.
func TestClassicalPondering(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	c, pos := classical(t, v), enginetest.Parse(t, v, "h8i9")
	first := enginetest.Answer(t, c, t.Context(), pos, engine.Limits{Depth: 4})
	c.Ponder(t.Context(), enginetest.Parse(t, v, "a1")) // returns at once
	pos.Play(first.Move)
	ctx, cancel := context.WithCancel(t.Context())
	var pondering sync.WaitGroup
	pondering.Go(func() { c.Ponder(ctx, pos) })
	cancel()
	pondering.Wait()
	c.Forget()
	c.Ponder(t.Context(), pos) // nothing is expected any more
	pos.Play(first.Line[1])
	enginetest.Answer(t, c, t.Context(), pos, engine.Limits{Nodes: 100})
}

// A level chooses among the moves that are nearly as good, and takes a claimed
// win.
func TestLevels(t *testing.T) {
	line := func(m game.Move, s alphabeta.Score) alphabeta.Line {
		return alphabeta.Line{Moves: []game.Move{m}, Score: s}
	}
	weak := engine.Level{Name: "x", Nodes: 1, Lines: 3, Margin: 50}
	for _, c := range []struct {
		level engine.Level
		lines []alphabeta.Line
		want  []game.Move
	}{
		{weak, []alphabeta.Line{line(1, 100), line(2, 60), line(3, 49)}, []game.Move{1, 2}},
		{weak, []alphabeta.Line{line(1, alphabeta.WinIn(3)), line(2, alphabeta.WinIn(5))}, []game.Move{1}},
		{weak, []alphabeta.Line{line(1, 10), line(2, alphabeta.LossIn(4))}, []game.Move{1}},
		{engine.Level{Nodes: 1, Lines: 1}, []alphabeta.Line{line(4, 0)}, []game.Move{4}},
		{engine.Level{}, []alphabeta.Line{line(4, 0), line(5, 0)}, []game.Move{4}},
	} {
		var got []game.Move
		for seed := range uint64(64) {
			if m := c.level.Choose(c.lines, seed, 9); !slices.Contains(got, m) {
				got = append(got, m)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: chose %v, want %v", c.lines, got, c.want)
		}
	}
	last := int64(0)
	for _, name := range engine.LevelNames() {
		level, err := engine.ParseLevel(name)
		if err != nil || level.Nodes <= last || level.Lines < 1 {
			t.Errorf("%s: %+v, %v", name, level, err)
		}
		last = level.Nodes
	}
	if _, err := engine.ParseLevel("clever"); err == nil {
		t.Error("clever is a level")
	}
}

// Certificates are of wins by fours only, and their lines win.
func TestCertify(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	for text, plies := range map[string]int{
		"h8h9i8i9j8j9k8k9":   1,
		"h8a1i8a2j8a3":       3,
		"h8i9":               0, // nothing
		"h8a1i8a3j8a15k8g10": 1, // completes
	} {
		pos := enginetest.Parse(t, v, text)
		before := pos.Hash()
		c, ok := v.Certify(t.Context(), pos, 10_000)
		if ok != (plies > 0) || c.Plies != plies || pos.Hash() != before {
			t.Errorf("%s: %+v, %t; want %d plies", text, c, ok, plies)
			continue
		}
		side := pos.ToMove()
		for _, m := range c.Line {
			pos.Play(m)
		}
		if ok && pos.Outcome() != game.WinFor(side) {
			t.Errorf("%s: the line %v does not win", text, c.Line)
		}
	}
	other := enginetest.Variant(t, games.VariantOptions{Game: games.Onitama})
	if _, ok := other.Certify(t.Context(), enginetest.Parse(t, other, ""), 100); ok {
		t.Error("a certificate in onitama")
	}
}
