package pattern_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	gomokunet "github.com/carozero/carozero/nn/gomoku"
)

// The points of both sides are the planes that the encoder computes directly
// from the stones.
func TestThreatsAreThePlanes(t *testing.T) {
	for _, rule := range gomoku.Names() {
		t.Run(rule, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				size := rapid.IntRange(5, 15).Draw(t, "size")
				b := clutter(rng, rulesOf(t, rule), size)
				if b == nil {
					return
				}
				samePlanes(t, b, pattern.FromBoard(b))
			})
		})
	}
}

// samePlanes compares what p says with the planes of b.
func samePlanes(t tester, b *gomoku.Board, p *pattern.Board) {
	t.Helper()
	e, err := gomokunet.New(b.Rules(), b.Size())
	if err != nil {
		t.Fatal(err)
	}
	n := b.Size() * b.Size()
	planes, globals := make([]float32, gomokunet.Planes*n), make([]float32, gomokunet.Globals)
	e.Encode(b, 0, planes, globals)
	own := b.ToMove()
	closed := p.Closed(own)
	for cell, v := range planes[gomokunet.PlaneForbidden*n : (gomokunet.PlaneForbidden+1)*n] {
		if (v == 1) != closed.Has(cell) {
			t.Fatalf("%d is forbidden %v, closed %v\n%v", cell, v, closed.Has(cell), b)
		}
	}
	for view, s := range [2]game.Side{own, own.Other()} {
		th, capturable := p.Threats(s), p.Capturable(s)
		for _, c := range []struct {
			plane int
			set   *pattern.Set
		}{
			{gomokunet.PlaneFiveOwn, &th.Five}, {gomokunet.PlaneFourOwn, &th.Four},
			{gomokunet.PlaneOpenFourOwn, &th.OpenFour}, {gomokunet.PlaneCapturableOwn, &capturable},
		} {
			plane := planes[(c.plane+view)*n : (c.plane+view+1)*n]
			for cell, v := range plane {
				if (v == 1) != c.set.Has(cell) {
					t.Fatalf("%s of %v at %d: plane %v, set %v; class %v\n%v", gomokunet.PlaneNames()[c.plane+view],
						s, cell, v, c.set.Has(cell), p.Class(cell, s), b)
				}
			}
		}
	}
}

// FiveDefences are the cells after which, by play on the board, no completing cell
// is left.
func TestFiveDefencesByPlay(t *testing.T) {
	for _, rule := range gomoku.Names() {
		t.Run(rule, func(t *testing.T) {
			found := 0
			for seed := range uint64(120) {
				rng := rand.New(rand.NewPCG(seed, 1))
				b := clutter(rng, rulesOf(t, rule), 5+rng.IntN(8))
				if b == nil {
					continue
				}
				p := pattern.FromBoard(b)
				for _, side := range sides {
					got, want := p.FiveDefences(side), defences(b, side)
					if got != want {
						t.Fatalf("defences of %v's four: %v, want %v\n%v", side, got.Append(nil), want.Append(nil), b)
					}
					found += got.Len()
				}
			}
			if found == 0 {
				t.Error("no four was to be defended against")
			}
		})
	}
}

func defences(b *gomoku.Board, side game.Side) (set pattern.Set) {
	j, s := judge{b.Rules(), side}, stonesOf(b)
	if !j.anyCompletes(s) {
		return set
	}
	for c, stone := range s.cells {
		if stone != gomoku.Empty {
			continue
		}
		s.cells[c] = gomoku.StoneOf(side.Other())
		if !j.anyCompletes(s) {
			set.Add(c)
		}
		s.cells[c] = gomoku.Empty
	}
	return set
}

// A four under the caro rules can have two defences on its own line.
func TestTwoDefences(t *testing.T) {
	tests := []struct{ rule, moves, want string }{
		{"freestyle", "h8g8i8a3j8a5k8", "l8"},
		{"caro", "h8g8i8a3j8a5k8", "l8m8"},
		{"caro", "h8g8i8m8j8a5k8", ""}, // blocked at both ends: no four
		{"caro", "h8a1i8a3j8a5k8", ""}, // open
		{"caro-edge", "a8a1b8a3c8a5d8", "e8f8"},
		{"caro", "a8a1b8a3c8a5d8", "e8"},
		{"standard", "h8g8i8a3j8a5k8", "l8"},
	}
	for _, tt := range tests {
		b, err := gomoku.ParsePosition(rulesOf(t, tt.rule), 15, tt.moves)
		if err != nil {
			t.Fatal(err)
		}
		set := pattern.FromBoard(b).FiveDefences(game.First)
		if got := (gomoku.Notation{Size: 15}).FormatMoves(set.Append(nil)); got != tt.want {
			t.Errorf("%s %s: defences %q, want %q", tt.rule, tt.moves, got, tt.want)
		}
	}
}
