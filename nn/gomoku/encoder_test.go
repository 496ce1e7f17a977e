package gomoku

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn"
)

// input is what Encode writes.
type input struct{ planes, globals []float32 }

// encode returns the input of pos; the memory that Encode is given is full of
// NaNs, which equal nothing.
func encode(e nn.Encoder, pos game.Position, sym int) input {
	s := e.Shape()
	in := input{make([]float32, s.PlaneSize()), make([]float32, s.Globals)}
	for _, v := range [][]float32{in.planes, in.globals} {
		for i := range v {
			v[i] = float32(math.NaN())
		}
	}
	e.Encode(pos, sym, in.planes, in.globals)
	return in
}

func (in input) equal(other input) bool {
	return slices.Equal(in.planes, other.planes) && slices.Equal(in.globals, other.globals)
}

// drawBoard draws a position of any rule set and size, played or set up.
func drawBoard(t *rapid.T) *gomoku.Board {
	rules := must(gomoku.Lookup(rapid.SampledFrom(gomoku.Names()).Draw(t, "rule")))
	size := rapid.IntRange(gomoku.MinSize, gomoku.MaxSize).Draw(t, "size")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	if rapid.Bool().Draw(t, "played") {
		plies := rapid.IntRange(0, 3*size*size/4).Draw(t, "plies")
		rules.OpenDistance = rapid.SampledFrom([]int{0, 3}).Draw(t, "open")
		return playout(rng, rules, size, plies)
	}
	for {
		if b := clutter(rng, rules, size); b != nil {
			return b
		}
	}
}

// TestEncodeMatchesReference compares random positions, and leaves no rule set and size to
// chance.
func TestEncodeMatchesReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { compare(t, drawBoard(t)) })
	for _, name := range gomoku.Names() {
		for size := gomoku.MinSize; size <= gomoku.MaxSize; size += 1 + size/8 {
			rng, rules := rand.New(rand.NewPCG(uint64(size), 2)), must(gomoku.Lookup(name))
			compare(t, playout(rng, rules, size, size*size/3))
			for range 4 {
				if b := clutter(rng, rules, size); b != nil {
					compare(t, b)
				}
			}
		}
	}
}

// compare fails unless the planes of b are those of the reference, and the
// five points of its side to move those of the board.
func compare(t rapid.TB, b *gomoku.Board) {
	got := encode(encoderFor(b), b, 0).planes
	n := b.Size() * b.Size()
	planes := newReference(b).planes()
	for c := range n {
		for p, want := range planes {
			if got[p*n+c] != truth(want[c]) {
				t.Fatalf("%s, %v to move:\n%v%s at cell %d is %v, the reference says %v",
					b.Rules().Name, b.ToMove(), b, planeNames[p], c, got[p*n+c], want[c])
			}
		}
		if planes[PlaneFiveOwn][c] != b.WinsFor(b.ToMove(), c) {
			t.Fatalf("%s, %v to move:\n%vthe board does not agree on the five point %d", b.Rules().Name, b.ToMove(), b, c)
		}
	}
}

// turn returns the board under a symmetry.
func turn(b *gomoku.Board, sym int) *gomoku.Board {
	return must(gomoku.NewSetup(b.Rules(), b.Size(), b.Setup(sym)))
}

func TestEncodeSymmetries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBoard(t)
		e := encoderFor(b)
		plain := encode(e, b, 0)
		n := b.Size() * b.Size()
		for sym := range e.Symmetries() {
			want := input{make([]float32, len(plain.planes)), plain.globals}
			for i, v := range plain.planes {
				want.planes[i/n*n+gomoku.Transform(b.Size(), sym, i%n)] = v
			}
			if !encode(e, b, sym).equal(want) {
				t.Fatalf("symmetry %d is not the transform of symmetry 0:\n%v", sym, b)
			}
			if !encode(e, turn(b, sym), 0).equal(want) {
				t.Fatalf("the board under symmetry %d has other planes:\n%v", sym, b)
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	for _, name := range gomoku.Names() {
		b := playout(rand.New(rand.NewPCG(6, 6)), must(gomoku.Lookup(name)), 15, 80)
		e := encoderFor(b)
		in := encode(e, b, 0)
		if n := testing.AllocsPerRun(20, func() { e.Encode(b, 5, in.planes, in.globals); e.Key(b) }); n != 0 {
			t.Errorf("%s: Encode and Key allocate %v times", name, n)
		}
	}
}

// Along a game, captures and undone moves included, a plain board and one that keeps its
// patterns have the same planes and key, and now and then those of the reference.
func TestPlanesAlongGames(t *testing.T) {
	for _, name := range gomoku.Names() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, 0))
			for range 3 {
				r := must(gomoku.Lookup(name))
				r.OpenDistance = 3 * rng.IntN(2)
				p := pattern.FromBoard(must(gomoku.New(r, 9+rng.IntN(7))))
				e := encoderFor(p.Board())
				same := func() {
					sym := rng.IntN(8)
					if !encode(e, p.Board(), sym).equal(encode(e, p, sym)) || e.Key(p.Board()) != e.Key(p) {
						t.Fatalf("a plain board and its patterns differ under symmetry %d:\n%v", sym, p.Board())
					}
				}
				for range 70 {
					moves := p.Moves(nil)
					if near := p.Candidates(); !near.Empty() && rng.IntN(8) > 0 {
						moves = slices.DeleteFunc(moves, func(m game.Move) bool { return !near.Has(int(m)) })
					}
					if len(moves) == 0 {
						break
					}
					p.Play(moves[rng.IntN(len(moves))])
					same()
					if rng.IntN(6) == 0 {
						p.Undo()
						same()
						compare(t, p.Board())
					}
				}
			}
		})
	}
}

func TestGlobals(t *testing.T) {
	for _, c := range []struct {
		rule, position string
		want           []float32 // of the rules; stones follow
	}{
		{"freestyle", "h8a1d4o15", []float32{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"standard", "h8a1d4o15", []float32{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"renju", "h8a1d4o15", []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}},
		{"renju", "h8a1d4", []float32{0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0}},
		{"caro", "h8a1d4", []float32{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"caro-overline", "h8a1d4o15", []float32{0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0}},
		{"caro-edge", "h8a1d4o15", []float32{1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}},
		{"caro-edge-overline", "h8a1d4o15", []float32{0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0}},
		{"school42", "h8i8a1j8k8", []float32{0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0.2}}, // takes i8 and j8
		{"school42", "h8i8a1j8k8o15", []float32{0, 0, 0, 0, 0, 0, 0, 1, 1, 0.2, 0}},
	} {
		b := must(gomoku.ParsePosition(must(gomoku.Lookup(c.rule)), 15, c.position))
		stones := float32(len(b.History())-b.Captured(game.First)) / 225
		if got := encode(encoderFor(b), b, 0).globals; !slices.Equal(got, append(c.want, stones, 0.75)) {
			t.Errorf("%s, %v to move: globals %v, want %v", c.rule, b.ToMove(), got, c.want)
		}
	}
}
