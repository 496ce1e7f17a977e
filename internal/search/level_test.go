package search

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/carozero/carozero/alphabeta"
	gomokusearch "github.com/carozero/carozero/alphabeta/gomoku"
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
	l := Level{Nodes: 1, Lines: 4, Margin: 10, Slips: 60}
	played := map[game.Move]int{}
	for seed := range uint64(moves) {
		lines := linesOf(100, 95, 50, -alphabeta.WinIn(2))
		m := l.choose(lines, seed, 7)
		played[m]++
		if again := l.choose(lines, seed, 7); again != m {
			t.Fatalf("seed %d: %v, then %v", seed, m, again)
		}
		if m := l.choose(linesOf(alphabeta.WinIn(1), 95, 50), seed, 7); m != 0 {
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

// A level that slips has no solver, whatever is asked for; the others have one.
func TestLevelsThatSlipHaveNoSolver(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range levels {
		c, err := NewClassical(v, ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}, Proof: ProofNodes{Root: 100}, Level: l})
		if err != nil {
			t.Fatal(err)
		}
		if off := c.proof == (ProofNodes{Root: alphabeta.Off, Claim: alphabeta.Off}); off != (l.Slips > 0) {
			t.Errorf("%s: the solver has %+v", l.Name, c.proof)
		}
	}
}

// Where a level of a game was measured the weaker ones were, and it is stronger than they
// are.
func TestElo(t *testing.T) {
	for name, of := range elo {
		before, count := -1, 0
		for i, l := range levels {
			rating, measured := l.Elo(name)
			if !measured {
				continue
			}
			if count++; rating <= before || count != i+1 {
				t.Errorf("%s in %s has %d after %d; %d levels below it were measured", l.Name, name, rating, before, count-1)
			}
			before = rating
		}
		if count != len(of) || count < 2 || of[levels[0].Name] != 0 {
			t.Errorf("%s: %v", name, of)
		}
	}
	if _, measured := levels[0].Elo("none"); measured {
		t.Error("a game that there is not was measured")
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

// What an answer says a position is worth is what samples say, and what a fit to
// games found, under every rule set.
func TestOneScoreHasOneValue(t *testing.T) {
	for _, rule := range games.RuleNames() {
		v := enginetest.Variant(t, games.VariantOptions{Rule: rule})
		a := enginetest.Answer(t, classical(t, v), t.Context(), enginetest.Parse(t, v, "h8i9h9"), engine.Limits{Depth: 2, Lines: 3})
		for _, o := range a.Moves {
			if want := 2/(1+math.Exp(-float64(o.Score)/gomokusearch.Scale(rulesOf(v)))) - 1; math.Abs(float64(o.Value)-want) > 1e-6 {
				t.Errorf("%s: a score of %d is worth %v, want %v", rule, o.Score, o.Value, want)
			}
		}
	}
}

// Every variant has a classical search that finds a legal move.
func TestEveryVariantIsSearchedClassically(t *testing.T) {
	for _, o := range append(enginetest.AllRules(), games.VariantOptions{Game: games.Onitama}) {
		v := enginetest.Variant(t, o)
		for _, w := range []games.Weights{games.FittedWeights, games.HandWeights} {
			c, err := NewClassical(v, ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}, Weights: w})
			if err != nil {
				t.Fatal(err)
			}
			pos := enginetest.Parse(t, v, "")
			r, err := c.Search(t.Context(), pos, alphabeta.Limits{Nodes: 300})
			if err != nil || !pos.Legal(r.Move) {
				t.Errorf("%s: %+v, %v", v.Rule(), r, err)
			}
		}
	}
	if _, err := NewClassical(enginetest.Variant(t, games.VariantOptions{}), ClassicalOptions{Search: alphabeta.Options{TableMiB: 1 << 30}}); !errors.Is(err, alphabeta.ErrMemory) {
		t.Errorf("a table of a pebibyte: %v", err)
	}
}

// What the classical engine answers is what the search says, iteration by
// iteration.
func TestTheClassicalEngineSaysWhatTheSearchSays(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	pos := enginetest.Parse(t, v, "h8i9")
	want, err := classical(t, v).Search(t.Context(), pos, alphabeta.Limits{Depth: 5, Lines: 3})
	if err != nil {
		t.Fatal(err)
	}
	depth := 0
	a := enginetest.Answer(t, classical(t, v), t.Context(), pos, engine.Limits{Depth: 5, Lines: 3, Report: func(a *engine.Answer) {
		enginetest.Check(t, a, pos)
		if depth++; a.Stats.Depth != depth || len(a.Moves) != 3 || a.Moves[0].Score != int(want.Iterations[depth-1].Score) {
			t.Errorf("after depth %d: %+v", depth, a)
		}
	}})
	if depth != 5 || a.Move != want.Move || a.Value != v.Curve().Value(want.Score) || a.Stats.Nodes != want.Stats.Nodes || len(a.Moves) != len(want.Lines) {
		t.Errorf("%+v, want %+v", a, want)
	}
	for i, l := range want.Lines {
		if o := a.Moves[i]; o.Move != l.Moves[0] || o.Score != int(l.Score) || o.Depth != l.Depth || !slices.Equal(o.Line, l.Moves) || !o.Judged() {
			t.Errorf("line %d: %+v, want %+v", i, o, l)
		}
	}
}

// Whatever the clock says, there is a legal move, soon.
func TestClassicalClocks(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	c, pos := classical(t, v), enginetest.Parse(t, v, "h8i9")
	for _, clock := range []engine.Clock{{Turn: 1}, {Left: 1}, {Turn: 20 * time.Millisecond}, {Left: 1, Increment: time.Nanosecond, Moves: 90}} {
		for _, keeper := range []engine.Timekeeper{engine.Unmeasured, engine.Referee, engine.Manager} {
			clock.Timekeeper = keeper
			enginetest.Answer(t, c, t.Context(), pos, engine.Limits{Clock: clock})
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

// A level's budget takes the place of others.
func TestLevelsBoundNodes(t *testing.T) {
	level, err := ParseLevel("easy")
	if err != nil {
		t.Fatal(err)
	}
	v := enginetest.Variant(t, games.VariantOptions{})
	c, err := NewClassical(v, ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}, Level: level})
	if err != nil {
		t.Fatal(err)
	}
	if a := enginetest.Answer(t, c, t.Context(), enginetest.Parse(t, v, "h8i9"), engine.Limits{Nodes: 1 << 30}); a.Stats.Nodes > level.Nodes || len(a.Moves) != level.Lines {
		t.Errorf("%+v", a)
	}
}

func TestClaims(t *testing.T) {
	for score, want := range map[alphabeta.Score]int{alphabeta.WinIn(5): 5, alphabeta.LossIn(4): -4, 0: 0, -300: 0} {
		if got := claim(score); got.Signed() != want || got.Claimed != (want != 0) {
			t.Errorf("%v claims %v, want %d", score, got, want)
		}
	}
}

// A level chooses among the moves that are nearly as good, and takes a claimed
// win.
func TestLevels(t *testing.T) {
	line := func(m game.Move, s alphabeta.Score) alphabeta.Line {
		return alphabeta.Line{Moves: []game.Move{m}, Score: s}
	}
	weak := Level{Name: "x", Nodes: 1, Lines: 3, Margin: 50}
	for _, c := range []struct {
		level Level
		lines []alphabeta.Line
		want  []game.Move
	}{
		{weak, []alphabeta.Line{line(1, 100), line(2, 60), line(3, 49)}, []game.Move{1, 2}},
		{weak, []alphabeta.Line{line(1, alphabeta.WinIn(3)), line(2, alphabeta.WinIn(5))}, []game.Move{1}},
		{weak, []alphabeta.Line{line(1, 10), line(2, alphabeta.LossIn(4))}, []game.Move{1}},
		{Level{Nodes: 1, Lines: 1}, []alphabeta.Line{line(4, 0)}, []game.Move{4}},
		{Level{}, []alphabeta.Line{line(4, 0), line(5, 0)}, []game.Move{4}},
	} {
		var got []game.Move
		for seed := range uint64(64) {
			if m := c.level.choose(c.lines, seed, 9); !slices.Contains(got, m) {
				got = append(got, m)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: chose %v, want %v", c.lines, got, c.want)
		}
	}
	last := int64(0)
	for _, name := range LevelNames() {
		level, err := ParseLevel(name)
		if err != nil || level.Nodes <= last || level.Lines < 1 {
			t.Errorf("%s: %+v, %v", name, level, err)
		}
		last = level.Nodes
	}
	if _, err := ParseLevel("clever"); err == nil {
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
