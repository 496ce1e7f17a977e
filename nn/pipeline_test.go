package nn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

func newPipeline(t testing.TB, net Network, opts BatcherOptions) *Pipeline {
	t.Helper()
	p, err := NewPipeline(net, &mnkEncoder{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stream asks for all positions, taking answers at random moments, and checks
// that they come in order.
func stream(t testing.TB, e Stream, positions []game.Position, want []answer, rng *rand.Rand) {
	t.Helper()
	answers := make([]answer, len(positions))
	var line []int
	next := func() {
		if err := e.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		i := line[0]
		line = line[1:]
		if got := answers[i].result; got.Value() != want[i].result.Value() || !slices.Equal(got.Priors, want[i].result.Priors) {
			t.Fatalf("position %d: %v, want %v", i, got, want[i].result)
		}
	}
	for i, pos := range positions {
		a := &answers[i]
		a.moves = pos.Moves(nil)
		a.result.Priors = make([]float32, len(a.moves))
		if !e.Add(pos, a.moves, &a.result) {
			line = append(line, i)
		}
		for len(line) == e.Capacity() || len(line) > 0 && rng.IntN(3) == 0 {
			next()
		}
	}
	for len(line) > 0 {
		next()
	}
	if err := e.Next(t.Context()); err != nil {
		t.Fatalf("with nothing waiting: %v", err)
	}
}

func TestPipelineAgainstBatcher(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		net := &fakeNet{id: rapid.Uint64().Draw(rt, "net")}
		opts := BatcherOptions{
			Capacity:   rapid.IntRange(1, 20).Draw(rt, "capacity"),
			MaxBatch:   rapid.IntRange(0, 6).Draw(rt, "batch"),
			Threads:    rapid.IntRange(1, 4).Draw(rt, "threads"),
			FixedBatch: rapid.Bool().Draw(rt, "fixed"),
			Seed:       rapid.Uint64().Draw(rt, "seed"),
		}
		positions := newPositions(rapid.Uint64().Draw(rt, "positions"), rapid.IntRange(1, 45).Draw(rt, "n"))
		want := evaluate(t, newBatcher(t, net, BatcherOptions{Seed: opts.Seed}), positions)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "order"), 0))
		p := newPipeline(t, net, opts)
		stream(t, p, positions, want, rng)
		if got := p.Stats().Evals; got != uint64(len(positions)) {
			rt.Fatalf("%d evaluations of %d positions", got, len(positions))
		}
		cached := NewCache(p, &mnkEncoder{}, NewCacheTable(1<<20, side*side))
		for range 2 {
			stream(t, cached, positions, want, rng)
		}
		for i, a := range evaluate(t, p, positions) {
			if !slices.Equal(a.result.Priors, want[i].result.Priors) {
				rt.Fatalf("Run, position %d: %v, want %v", i, a.result, want[i].result)
			}
		}
		if cached.Stats().Hits < uint64(len(positions)) {
			rt.Fatalf("%+v after asking twice", cached.Stats())
		}
	})
}

// TestPipelineFailures breaks off in every way with positions in all states;
// the next position must find the pipeline as good as new.
func TestPipelineFailures(t *testing.T) {
	broken := false
	net := &fakeNet{id: 1, poison: func(b *Batch) {
		if broken {
			b.Value(0)[0] = float32(math.NaN())
		}
	}}
	positions := newPositions(5, 7)
	want := evaluate(t, newBatcher(t, &fakeNet{id: 1}, BatcherOptions{}), positions)
	p := newPipeline(t, net, BatcherOptions{Capacity: 8, MaxBatch: 2, Threads: 2})
	add := func() {
		for _, pos := range positions {
			moves := pos.Moves(nil)
			p.Add(pos, moves, &Result{Priors: make([]float32, len(moves))})
		}
	}
	broken = true
	add()
	if err := p.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "value output") {
		t.Errorf("a broken model: %v", err)
	}
	broken = false
	for _, ask := range []func(context.Context) error{p.Next, p.Run} {
		add()
		if err := p.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := ask(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
	stream(t, p, positions, want, rand.New(rand.NewPCG(1, 1)))
}

func TestPipelinePanicsOnMisuse(t *testing.T) {
	p := newPipeline(t, &fakeNet{id: 1}, BatcherOptions{Capacity: 1})
	pos := newPositions(1, 1)[0]
	moves := pos.Moves(nil)
	p.Add(pos, moves, &Result{Priors: make([]float32, len(moves))})
	defer func() {
		if recover() == nil {
			t.Error("no panic with more positions than the capacity")
		}
		if err := p.Run(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	p.Add(pos, moves, &Result{Priors: make([]float32, len(moves))})
}
