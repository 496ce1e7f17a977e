package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// drawChoices returns choices among moves of a few codes, made by the odds of
// weights.
func drawChoices(rng *rand.Rand, n, codes int, weights []float64) (c Choices) {
	p := make([]float64, gomoku.MaxSize*gomoku.MaxSize)
	for range n {
		var moves []move
		for range 2 + rng.IntN(6) {
			moves = append(moves, move{uint16(rng.IntN(codes)), uint16(pattern.Codes + rng.IntN(codes))})
		}
		likely(moves, weights, p)
		chosen, r := 0, rng.Float64()
		for chosen < len(moves)-1 && r > p[chosen] {
			r -= p[chosen]
			chosen++
		}
		moves[0], moves[chosen] = moves[chosen], moves[0]
		c = append(c, moves)
	}
	return c
}

// The loss is the sum over choices of minus the logarithm of the softmax, and
// its slope that of finite differences.
func TestChoicesLoss(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const codes = 3
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		w := make([]float64, 2*pattern.Codes)
		for code := range codes {
			w[code], w[pattern.Codes+code] = 100*rng.NormFloat64(), 100*rng.NormFloat64()
		}
		c := drawChoices(rng, 1+rng.IntN(20), codes, w)
		want := 0.0
		for i := range c {
			sum := 0.0
			for _, m := range c[i] {
				sum += math.Exp((w[m[0]] + w[m[1]]) / 100)
			}
			chosen := c[i][0]
			want -= math.Log(math.Exp((w[chosen[0]]+w[chosen[1]])/100) / sum)
		}
		if got := c.Loss(w); math.Abs(got-want) > 1e-9*(1+want) {
			rt.Fatalf("loss %v, want %v", got, want)
		}
		slope := make([]float64, len(w))
		c.AddSlope(w, slope)
		for code := range codes {
			for _, k := range []int{code, pattern.Codes + code} {
				const step = 1e-3
				at := w[k]
				w[k] = at + step
				above := c.Loss(w)
				w[k] = at - step
				below := c.Loss(w)
				w[k] = at
				if want := (above - below) / (2 * step); math.Abs(slope[k]-want) > 1e-6 {
					rt.Fatalf("by weight %d: %v, want %v", k, slope[k], want)
				}
			}
		}
	})
}

// The fit finds the order that choices were made by, up to what all moves share.
func TestFitOrderRecovers(t *testing.T) {
	const codes = 5
	rng := rand.New(rand.NewPCG(4, 4))
	w := make([]float64, 2*pattern.Codes)
	for code := range codes {
		w[code], w[pattern.Codes+code] = 80*rng.NormFloat64(), 80*rng.NormFloat64()
	}
	data := &ChoiceData{Games: LeastGames, Fit: drawChoices(rng, 20000, codes, w), Held: drawChoices(rng, 2000, codes, w)}
	r, err := FitOrder(t.Context(), data, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []struct {
		got  []int16
		want []float64
	}{{r.Order.Own[:codes], w[:codes]}, {r.Order.Opp[:codes], w[pattern.Codes : pattern.Codes+codes]}} {
		for code := 1; code < codes; code++ {
			got, want := float64(side.got[code]-side.got[0]), side.want[code]-side.want[0]
			if math.Abs(got-want) > 12 {
				t.Errorf("code %d is %.0f ahead of code 0, want %.0f", code, got, want)
			}
		}
	}
	if best := data.Held.Loss(w) / 2000; r.Loss[1] > best+0.01 {
		t.Errorf("loss %.4f on what was held out; the truth has %.4f", r.Loss[1], best)
	}
	again, err := FitOrder(t.Context(), data, 1)
	if err != nil || *again.Order != *r.Order {
		t.Errorf("fitted again, the order is another; %v", err)
	}
}

// A choice has the listed moves, the one of the game first; what is decided, won at once, or
// of the opening is left out.
func TestChoiceCollector(t *testing.T) {
	for _, rule := range gomoku.Names() {
		g := Gomoku(lookup(t, rule))
		rng := rand.New(rand.NewPCG(8, 3))
		var c ChoiceCollector
		r := randomGame(t, rng, g)
		r.Opening = 2
		for i := range r.Moves {
			r.Scores = append(r.Scores, []float64{math.NaN(), 50, 31990, -31990}[i%4])
		}
		pos, err := r.Start()
		if err != nil {
			t.Fatal(err)
		}
		b := pos.(*pattern.Board)
		parts, err := classical.Game{}.Bind(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		var want []move
		for i, m := range r.Moves {
			if i >= r.Opening && i%4 < 2 && len(b.Wins(nil)) == 0 {
				list, _ := parts.Picker.Stage(0, nil)
				var chosen bool
				for _, e := range list {
					chosen = chosen || e.Move == m
				}
				if chosen && len(list) > 1 {
					own := b.ToMove()
					want = append(want, move{uint16(b.Code(int(m), own)), uint16(pattern.Codes + b.Code(int(m), own.Other()))})
				}
			}
			b.Play(m)
		}
		var got []move
		for i := range c.Collected().Fit {
			got = append(got, c.Collected().Fit[i][0])
		}
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %d choices, want %d: %v, want %v", rule, len(got), len(want), got, want)
		}
	}
}
