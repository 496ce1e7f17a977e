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
	rules := rulesOf(t, rapid.SampledFrom(gomoku.Names()).Draw(t, "rule"))
	size := rapid.IntRange(gomoku.MinSize, gomoku.MaxSize).Draw(t, "size")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	if rapid.Bool().Draw(t, "played") {
		plies := rapid.IntRange(0, 3*size*size/4).Draw(t, "plies")
		rules.OpenDistance = rapid.SampledFrom([]int{0, 3}).Draw(t, "open")
		return playout(t, rng, rules, size, plies)
	}
	for {
		if b := clutter(rng, rules, size); b != nil {
			return b
		}
	}
}

func TestEncodeMatchesReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBoard(t)
		compare(t, b)
	})
}

// TestEncodeMatchesReferenceEverywhere leaves no rule set and size to chance.
func TestEncodeMatchesReferenceEverywhere(t *testing.T) {
	for _, name := range gomoku.Names() {
		for size := gomoku.MinSize; size <= gomoku.MaxSize; size += 1 + size/8 {
			rng := rand.New(rand.NewPCG(uint64(size), 2))
			compare(t, playout(t, rng, rulesOf(t, name), size, size*size/3))
			for range 4 {
				if b := clutter(rng, rulesOf(t, name), size); b != nil {
					compare(t, b)
				}
			}
		}
	}
}

// compare fails unless the planes of b are those of the reference, and the
// five points of its side to move those of the board.
func compare(t tester, b *gomoku.Board) {
	t.Helper()
	got := encode(newEncoderFor(t, b), b, 0).planes
	n := b.Size() * b.Size()
	for p, want := range newReference(b).planes() {
		for c, set := range want {
			if got[p*n+c] != truth(set) {
				cell := gomoku.Notation{Size: b.Size()}.FormatMove(game.Move(c))
				t.Fatalf("%s, %v to move:\n%v%s at %s is %v, the reference says %v",
					b.Rules().Name, b.ToMove(), b, planeNames[p], cell, got[p*n+c], set)
			}
		}
	}
	for c := range n {
		if got[PlaneFiveOwn*n+c] != truth(b.WinsFor(b.ToMove(), c)) {
			t.Fatalf("%s, %v to move:\n%vthe board does not agree on the five point %d", b.Rules().Name, b.ToMove(), b, c)
		}
	}
}

// turn returns the board under a symmetry.
func turn(t tester, b *gomoku.Board, sym int) *gomoku.Board {
	t.Helper()
	n := b.Size()
	s := gomoku.Setup{
		Stones:   make([]gomoku.Stone, n*n),
		ToMove:   b.ToMove(),
		Captured: [2]int{b.Captured(game.First), b.Captured(game.Second)},
	}
	for c := range s.Stones {
		s.Stones[gomoku.Transform(n, sym, c)] = b.At(c)
	}
	turned, err := gomoku.NewSetup(b.Rules(), n, s)
	if err != nil {
		t.Fatal(err)
	}
	return turned
}

func TestEncodeSymmetries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBoard(t)
		e := newEncoderFor(t, b)
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
			if !encode(e, turn(t, b, sym), 0).equal(want) {
				t.Fatalf("the board under symmetry %d has other planes:\n%v", sym, b)
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	for _, name := range gomoku.Names() {
		rng := rand.New(rand.NewPCG(6, 6))
		for _, b := range []*gomoku.Board{
			playout(t, rng, rulesOf(t, name), 15, 80),
			clutter(rng, rulesOf(t, name), 22),
		} {
			if b == nil {
				continue
			}
			e := newEncoderFor(t, b)
			in := encode(e, b, 0)
			if n := testing.AllocsPerRun(20, func() { e.Encode(b, 5, in.planes, in.globals) }); n != 0 {
				t.Errorf("%s: Encode allocates %v times", name, n)
			}
			if n := testing.AllocsPerRun(20, func() { e.Key(b) }); n != 0 {
				t.Errorf("%s: Key allocates %v times", name, n)
			}
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, name := range gomoku.Names() {
		b.Run(name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(7, 7))
			boards := make([]*gomoku.Board, 32)
			for i := range boards {
				boards[i] = playout(b, rng, rulesOf(b, name), 15, 10+3*i)
			}
			e := newEncoderFor(b, boards[0])
			in := encode(e, boards[0], 0)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e.Encode(boards[i%len(boards)], i%8, in.planes, in.globals)
			}
		})
	}
}

// Along a game, captures and undone moves included, a plain board and one that keeps its
// patterns have the same planes and key, and now and then those of the reference.
func TestPlanesAlongGames(t *testing.T) {
	for _, name := range gomoku.Names() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, 0))
			for range 3 {
				r := rulesOf(t, name)
				r.OpenDistance = 3 * rng.IntN(2)
				p := pattern.FromBoard(newBoard(t, r, 9+rng.IntN(7)))
				e := newEncoderFor(t, p.Board())
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

// setUp returns the board with the stones that both texts list, First to move.
func setUp(t *testing.T, rule string, first, second string, captured [2]int) *gomoku.Board {
	t.Helper()
	const size = 15
	s := gomoku.Setup{Stones: make([]gomoku.Stone, size*size), Captured: captured}
	for side, text := range []string{first, second} {
		moves, err := gomoku.Notation{Size: size}.ParseMoves(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range moves {
			s.Stones[m] = gomoku.StoneOf(game.Side(side))
		}
	}
	b, err := gomoku.NewSetup(rulesOf(t, rule), size, s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGlobals(t *testing.T) {
	for _, c := range []struct {
		rule   string
		second bool // Second to move
		want   []float32
	}{
		{"freestyle", false, []float32{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4. / 225, 0.75}},
		{"standard", false, []float32{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4. / 225, 0.75}},
		{"renju", false, []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4. / 225, 0.75}},
		{"renju", true, []float32{0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 5. / 225, 0.75}},
		{"caro", true, []float32{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 5. / 225, 0.75}},
		{"caro-overline", false, []float32{0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 4. / 225, 0.75}},
		{"caro-edge", false, []float32{1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 4. / 225, 0.75}},
		{"caro-edge-overline", false, []float32{0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 4. / 225, 0.75}},
		{"school42", false, []float32{0, 0, 0, 0, 0, 0, 0, 1, 1, 0.2, 0.6, 4. / 225, 0.75}},
		{"school42", true, []float32{0, 0, 0, 0, 0, 0, 0, 1, 1, 0.6, 0.2, 5. / 225, 0.75}},
	} {
		captured := [2]int{}
		if c.rule == "school42" {
			captured = [2]int{2, 6}
		}
		b := setUp(t, c.rule, "h8d4", "a1o15", captured)
		if c.second {
			b.Play(2)
		}
		if got := encode(newEncoderFor(t, b), b, 0).globals; !slices.Equal(got, c.want) {
			t.Errorf("%s, %v to move: globals %v, want %v", c.rule, b.ToMove(), got, c.want)
		}
	}
}
