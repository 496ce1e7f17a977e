package pattern_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// The lines of every empty cell are what play on the whole line of the board
// finds, and the class follows from them and the restrictions.
func TestClassesByPlay(t *testing.T) {
	for _, rule := range gomoku.Names() {
		t.Run(rule, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				size := rapid.IntRange(5, 13).Draw(t, "size")
				b := clutter(rng, rulesOf(t, rule), size)
				if b == nil {
					return
				}
				p := pattern.FromBoard(b)
				for range 8 {
					sameCell(t, p, rng.IntN(size*size))
				}
				sameForbidden(t, p)
			})
		})
	}
}

func sameCell(t *rapid.T, p *pattern.Board, c int) {
	b := p.Board()
	for _, side := range sides {
		j := judge{b.Rules(), side}
		var n [pattern.Lines]int
		for d := range slopes {
			want := pattern.Dead
			if b.At(c) == gomoku.Empty {
				r, at := rowThrough(b, side, c, d)
				want = j.line(r, at)
			}
			n[want]++
			if got := p.Line(c, side, d); got != want {
				t.Fatalf("cell %d, %v, direction %d: %v, want %v\n%v", c, side, d, got, want, b)
			}
		}
		want := classOf(n)
		switch {
		case b.At(c) != gomoku.Empty:
			want = pattern.Occupied
		case !b.AllowedFor(side, c):
			want = pattern.Forbidden
		}
		if got := p.Class(c, side); got != want {
			t.Fatalf("cell %d, %v: class %v, want %v\n%v", c, side, got, want, b)
		}
	}
}

// classOf returns the class by the number of lines of each pattern.
func classOf(n [pattern.Lines]int) pattern.Class {
	for _, c := range []struct {
		holds bool
		class pattern.Class
	}{
		{n[pattern.FiveLine] >= 1, pattern.Five},
		{n[pattern.StraightFour] >= 1, pattern.OpenFour},
		{n[pattern.SimpleFour] >= 2, pattern.DoubleFour},
		{n[pattern.SimpleFour] == 1 && n[pattern.OpenThree] >= 1, pattern.FourThree},
		{n[pattern.SimpleFour] == 1, pattern.Four},
		{n[pattern.OpenThree] >= 2, pattern.DoubleThree},
		{n[pattern.OpenThree] == 1, pattern.Three},
		{n[pattern.ClosedThree] >= 2 || n[pattern.ClosedThree] == 1 && n[pattern.OpenTwo] >= 1, pattern.StrongThree},
		{n[pattern.ClosedThree] == 1, pattern.HalfThree},
		{n[pattern.OpenTwo] >= 2, pattern.DoubleTwo},
		{n[pattern.OpenTwo] == 1, pattern.Two},
		{n[pattern.ClosedTwo] >= 1, pattern.HalfTwo},
	} {
		if c.holds {
			return c.class
		}
	}
	return pattern.Nothing
}

// sameForbidden compares the cells closed to either side, all of them, with the
// recursive definition of the rules, and the classes with their sets.
func sameForbidden(t *rapid.T, p *pattern.Board) {
	b := p.Board()
	for _, side := range sides {
		var n [pattern.Classes]int
		closed := p.Closed(side)
		for c := range b.MaxMoves() {
			class := p.Class(c, side)
			if closed.Has(c) != (class == pattern.Forbidden) || p.Stones().Has(c) != (b.At(c) != gomoku.Empty) {
				t.Fatalf("cell %d, %v to %v: closed %v, stone %v\n%v", c, class, side, closed.Has(c), p.Stones().Has(c), b)
			}
			if (class == pattern.Forbidden) != (b.At(c) == gomoku.Empty && !b.AllowedFor(side, c)) {
				t.Fatalf("cell %d is %v to %v, allowed %v\n%v", c, class, side, b.AllowedFor(side, c), b)
			}
			for stored := range pattern.Classes {
				if p.Cells(side, stored).Has(c) {
					n[stored]++
				}
			}
			if p.Cells(side, pattern.Forbidden).Has(c) && class != pattern.Forbidden {
				t.Fatalf("cell %d of the forbidden cells of %v is %v\n%v", c, side, class, b)
			}
		}
		total := 0
		for class, count := range n {
			if got := p.Count(side, pattern.Class(class)); got != count {
				t.Fatalf("%v cells of %v to %v, the set has %d", got, pattern.Class(class), side, count)
			}
			total += count
		}
		if total != b.MaxMoves() {
			t.Fatalf("%d cells are in the sets of %v, want each of %d once", total, side, b.MaxMoves())
		}
	}
}
