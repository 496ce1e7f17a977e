package mcts

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
	"pgregory.net/rapid"
)

// genOptions draws search options that change the tree.
func genOptions(t *rapid.T) Options {
	return Options{
		InFlight:     rapid.IntRange(1, 20).Draw(t, "in flight"),
		CInit:        rapid.Float32Range(0.1, 4).Draw(t, "c_init"),
		FPUReduction: rapid.Float32Range(-1, 1).Draw(t, "fpu"),
		VirtualLoss:  rapid.SampledFrom([]float32{-1, 0, 0.3, 1}).Draw(t, "virtual loss"),
	}
}

// genPosition draws a position of a small m,n,k game that is not over.
func genPosition(t *rapid.T) game.Position {
	shapes := [][3]int{{3, 3, 3}, {4, 3, 3}, {4, 4, 4}, {2, 2, 3}, {5, 1, 3}, {1, 1, 2}}
	sh := rapid.SampledFrom(shapes).Draw(t, "shape")
	var pos game.Position = gametest.NewMNK(sh[0], sh[1], sh[2])
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "play"), 0))
	for range rng.IntN(9) {
		moves := pos.Moves(nil)
		pos.Play(moves[rng.IntN(len(moves))])
		if pos.Outcome() != game.Undecided {
			pos.Undo()
			break
		}
	}
	return pos
}

// playOn plays moves that do not end the game until at most left cells are
// empty or every move ends it: more would be too many positions for brute force.
func playOn(t *rapid.T, pos game.Position, left int) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "play on"), 0))
	for pos.MaxMoves()-pos.Ply() > left {
		moves := pos.Moves(nil)
		rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
		on := slices.ContainsFunc(moves, func(m game.Move) bool {
			if pos.Play(m); pos.Outcome() == game.Undecided {
				return true
			}
			pos.Undo()
			return false
		})
		if !on {
			t.Skip("another draw: every move ends the game")
		}
	}
}

// genPlayouts draws a number of playouts in 1..most, without the preference
// for small numbers that rapid has.
func genPlayouts(t *rapid.T, most int) int {
	return 1 + rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "playouts"), 0)).IntN(most)
}

func TestBudgetsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(genOptions(t), &testEvaluator{eval: mocked(1, true), capacity: 3}, nil)
		pos := gametest.NewMNK(6, 6, 6)
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		visits := 0
		for range 3 {
			l := Limits{Playouts: rapid.IntRange(0, 60).Draw(t, "playouts"), Visits: rapid.IntRange(1, 150).Draw(t, "visits")}
			want := max(0, l.Visits-visits)
			if l.Playouts > 0 {
				want = min(want, l.Playouts)
			}
			r := more(t, s, l)
			if visits += want; r.Playouts != want || r.Visits != visits {
				t.Fatalf("%+v: %d playouts, %d visits; want %d, %d", l, r.Playouts, r.Visits, want, visits)
			}
		}
	})
}

// TestTreeIsIndependentOfEvaluator is the determinism that the design
// promises: whether results come at once, late, or a few at a time, and however many
// are waited for, the tree is the same.
func TestTreeIsIndependentOfEvaluator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos, o := genPosition(t), genOptions(t)
		seed, sharp := rapid.Uint64().Draw(t, "seed"), rapid.Bool().Draw(t, "sharp")
		l := Limits{Playouts: genPlayouts(t, 300), Noise: rapid.Bool().Draw(t, "noise")}
		atOnce := func(int) bool { return true }
		s, want := search(t, pos, o, &testEvaluator{eval: mocked(seed, sharp), now: atOnce}, l)
		digest := s.tree.digest(0)
		for _, capacity := range []int{1, 3, 64} {
			rng := rand.New(rand.NewPCG(seed, 1))
			for _, now := range []func(int) bool{nil, func(int) bool { return rng.IntN(3) == 0 }} {
				e := &testEvaluator{eval: mocked(seed, sharp), now: now, capacity: capacity}
				s, got := New(o, e, nil), new(Result)
				if err := s.SetPosition(pos); err != nil {
					t.Fatal(err)
				}
				for s.Begin(t.Context(), l); !s.Done(); {
					if !s.Select() {
						continue
					}
					n := []int{1, 2, 3, nn.All}[rng.IntN(4)] // waited for
					if err := e.Wait(t.Context(), n); err != nil {
						t.Fatal(err)
					}
					s.Backup(n)
				}
				check(t, s)
				s.Result(got)
				if d := s.tree.digest(0); d != digest || !slices.Equal(got.Children, want.Children) {
					t.Fatalf("capacity %d: another tree", capacity)
				}
				if e.tagged != e.asked {
					t.Fatalf("%d tags computed for %d evaluations", e.tagged, e.asked)
				}
			}
		}
	})
}

func TestAdvanceKeepsTheSubtree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := &testEvaluator{eval: mocked(rapid.Uint64().Draw(t, "seed"), true), capacity: 8}
		s, r := search(t, gametest.NewMNK(5, 5, 4), genOptions(t), e, Limits{Playouts: 400})
		for range 8 {
			c := rapid.SampledFrom(r.Children).Draw(t, "child")
			want, kept := uint64(0), false
			root := &s.tree.nodes[0]
			for i, k := range s.tree.kids[root.kids:][:root.nKids] {
				if s.tree.moves[root.edges+uint32(i)] == c.Move {
					want, kept = s.tree.digest(k.node), true
				}
			}
			if err := s.Advance(c.Move); err != nil {
				t.Fatal(err)
			}
			if s.pos.Outcome() != game.Undecided {
				return
			}
			s.Result(r)
			if r.Visits != int(c.Visits) {
				t.Fatalf("%d visits kept of %d", r.Visits, c.Visits)
			}
			check(t, s)
			if kept && s.tree.digest(0) != want {
				t.Fatal("the subtree has changed")
			}
			if rapid.Bool().Draw(t, "search") {
				l := Limits{Visits: 300}
				if r = more(t, s, l); r.Visits != max(300, int(c.Visits)) && r.Proven == game.Unproven {
					t.Fatalf("%d visits, want %d", r.Visits, l.Visits)
				}
			}
			if len(r.Children) == 0 {
				return
			}
		}
	})
}

func TestCancellation(t *testing.T) {
	for _, k := range []int{1, 3, 16} {
		for stop := range 12 {
			ctx, cancel := context.WithCancel(context.Background())
			e := &testEvaluator{eval: mocked(5, true), capacity: 16, now: func(i int) bool { return i%3 == 0 }}
			runs := 0
			e.run = func() error {
				if runs++; runs == stop {
					cancel()
				}
				return nil
			}
			if stop == 0 {
				cancel()
			}
			s := New(Options{InFlight: k}, e, nil)
			pos := gametest.NewMNK(6, 6, 5)
			if err := s.SetPosition(pos); err != nil {
				t.Fatal(err)
			}
			if err := s.Search(ctx, Limits{}); !errors.Is(err, context.Canceled) {
				t.Fatalf("error %v", err)
			}
			cancel()
			check(t, s)
			var r Result
			if s.Result(&r); !pos.Legal(r.Move) {
				t.Fatalf("k=%d, stopped at %d: move %d", k, stop, r.Move)
			}
			if r.Playouts != r.Visits {
				t.Fatalf("%d playouts, %d visits", r.Playouts, r.Visits)
			}
			got := more(t, s, Limits{Visits: 500})
			if got.Visits != 500 {
				t.Fatalf("went on to %d visits, want 500", got.Visits)
			}
			for range 3 { // a child that was taken back leaves no trace in what is kept
				if err := s.Advance(got.Move); err != nil {
					t.Fatal(err)
				}
				got = more(t, s, Limits{Visits: 20})
			}
		}
	}
}

func TestMemoryBound(t *testing.T) {
	for _, memory := range []int64{1, 100 << 10, 400 << 10} {
		o := Options{Memory: memory, InFlight: 4}
		s, r := search(t, gametest.NewMNK(8, 8, 8), o, &testEvaluator{eval: mocked(1, true), capacity: 4},
			Limits{Playouts: 5000})
		if !r.Full || r.Playouts != 5000 || r.Visits != 5000 {
			t.Errorf("%d bytes: %d playouts, full %v", memory, r.Playouts, r.Full)
		}
		used := int64(nodeBytes*len(s.tree.nodes) + kidBytes*len(s.tree.kids) + edgeBytes*len(s.tree.moves))
		if memory > 1 && reserved(s) > memory*9/8 || r.Nodes > 10 && used < memory/3 {
			t.Errorf("%d bytes reserved, %d used of %d", reserved(s), used, memory)
		}
		for range 4 {
			if err := s.Advance(r.Move); err != nil {
				t.Fatal(err)
			}
			if r = more(t, s, Limits{Playouts: 3000}); r.Playouts != 3000 {
				t.Errorf("%d playouts after a move", r.Playouts)
			}
			if memory > 1 && reserved(s) > memory*9/8 {
				t.Errorf("%d bytes reserved of %d", reserved(s), memory)
			}
		}
	}
}

// A search at the memory bound grows the same tree whatever its searcher did before, and a
// later search knows nothing of it: the answer to a query depends on no other.
func TestBoundKnowsNoHistory(t *testing.T) {
	for name, e := range map[string]func() nn.Evaluator{
		"apart":   func() nn.Evaluator { return &testEvaluator{eval: mocked(1, true), capacity: 4} },
		"at once": func() nn.Evaluator { return instantMock(1, true) },
	} {
		for _, o := range []Options{{Memory: 400 << 10, InFlight: 4}, {Memory: 1 << 20, InFlight: 2}} {
			grown := func(s *Searcher, playouts int) *Result {
				if err := s.SetPosition(gametest.NewMNK(8, 8, 8)); err != nil {
					t.Fatal(err)
				}
				return more(t, s, Limits{Playouts: playouts})
			}
			const small, large = 50, 20_000
			var fresh [2]*Result
			for i, playouts := range []int{small, large} {
				fresh[i] = grown(New(o, e(), nil), playouts)
			}
			if fresh[0].Full || !fresh[1].Full {
				t.Fatalf("%s, %d bytes: full %t and %t", name, o.Memory, fresh[0].Full, fresh[1].Full)
			}
			s := New(o, e(), nil)
			for i, playouts := range []int{large, small, large, small, small, large} {
				want := fresh[0]
				if playouts == large {
					want = fresh[1]
				}
				if got := grown(s, playouts); got.Nodes != want.Nodes || got.Full != want.Full ||
					!reflect.DeepEqual(got.Children, want.Children) {
					t.Fatalf("%s, %d bytes, search %d of %d playouts: %d nodes, full %t; in a fresh searcher %d and %t",
						name, o.Memory, i, playouts, got.Nodes, got.Full, want.Nodes, want.Full)
				}
				if n := reserved(s); n > o.Memory*9/8 {
					t.Fatalf("%s: %d bytes reserved of %d", name, n, o.Memory)
				}
			}
		}
	}
}

func TestSearchAllocatesNothing(t *testing.T) {
	noise := Limits{Playouts: 100, Noise: true}
	forced, gumbel := noise, Limits{Playouts: 100, Root: Gumbel{Considered: 16}.Policy()}
	forced.Root = Forced(2)
	for name, c := range map[string]struct {
		e nn.Evaluator
		l Limits
	}{
		"uniform": {nn.NewUniform(8), noise}, "mock": {nn.NewMock(1), noise},
		"apart":  {&apart{Evaluator: nn.NewUniform(8)}, noise},
		"forced": {nn.NewMock(5), forced}, "gumbel": {nn.NewMock(5), gumbel},
	} {
		pos := gametest.NewMNK(6, 6, 6)
		s, _ := search(t, pos, Options{InFlight: 8}, c.e, Limits{Playouts: 3000, Noise: true})
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		var r Result
		s.Result(&r)
		allocs := testing.AllocsPerRun(20, func() {
			c.l.Seed++
			if err := s.Search(context.Background(), c.l); err != nil {
				t.Fatal(err)
			}
			s.Result(&r)
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations in 100 playouts", name, allocs)
		}
	}
}
