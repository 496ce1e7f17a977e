package nn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

// stream asks for all positions, waiting for some at random moments, and checks
// that they come in order.
func stream(t testing.TB, e Evaluator, positions []game.Position, want []answer, rng *rand.Rand) {
	t.Helper()
	answers := make([]answer, len(positions))
	var line []int
	wait := func() {
		n := 1 + rng.IntN(3)
		if err := e.Wait(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		n = min(n, len(line))
		for _, i := range line[:n] {
			if !sameBits(answers[i].result, want[i].result) {
				t.Fatalf("position %d: %v, want %v", i, answers[i].result, want[i].result)
			}
		}
		line = line[n:]
	}
	for i, pos := range positions {
		a := &answers[i]
		a.moves = pos.Moves(nil)
		a.result.Priors = make([]float32, len(a.moves))
		if !e.Add(pos, e.Tag(pos), a.moves, &a.result) {
			line = append(line, i)
		}
		for len(line) == e.Capacity() || len(line) > 0 && rng.IntN(3) == 0 {
			wait()
		}
	}
	for len(line) > 0 {
		wait()
	}
	for _, n := range []int{0, 1, All} {
		if err := e.Wait(t.Context(), n); err != nil {
			t.Fatalf("for %d with nothing waiting: %v", n, err)
		}
	}
}

// TestWaitForSome compares answers that are waited for a few at a time with
// those that are waited for all at once.
func TestWaitForSome(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		net := &fakeNet{id: rapid.Uint64().Draw(rt, "net")}
		opts := BatcherOptions{
			Capacity: rapid.IntRange(1, 20).Draw(rt, "capacity"),
			MaxBatch: rapid.IntRange(0, 6).Draw(rt, "batch"),
			Threads:  rapid.IntRange(1, 4).Draw(rt, "threads"),
			Seed:     rapid.Uint64().Draw(rt, "seed"),
		}
		positions := newPositions(rapid.Uint64().Draw(rt, "positions"), rapid.IntRange(1, 45).Draw(rt, "n"))
		want := evaluate(t, newBatcher(t, net, BatcherOptions{Seed: opts.Seed}), positions)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "order"), 0))
		p := newBatcher(t, net, opts)
		stream(t, p, positions, want, rng)
		if got := p.Stats().Evals; got != uint64(len(positions)) {
			rt.Fatalf("%d evaluations of %d positions", got, len(positions))
		}
		cached := NewCache(p, NewCacheTable(1<<20, side*side))
		for range 2 {
			stream(t, cached, positions, want, rng)
		}
		for i, a := range evaluate(t, p, positions) {
			if !slices.Equal(a.result.Priors, want[i].result.Priors) {
				rt.Fatalf("all at once, position %d: %v, want %v", i, a.result, want[i].result)
			}
		}
		if cached.Stats().Hits < uint64(len(positions)) {
			rt.Fatalf("%+v after asking twice", cached.Stats())
		}
	})
}

// TestFailures breaks off in every way with positions in all states; the next
// position must find the batcher as good as new.
func TestFailures(t *testing.T) {
	broken := false
	net := &fakeNet{id: 1, poison: func(b *Batch) {
		if broken {
			b.Value(0)[0] = float32(math.NaN())
		}
	}}
	positions := newPositions(5, 7)
	want := evaluate(t, newBatcher(t, &fakeNet{id: 1}, BatcherOptions{}), positions)
	b := newBatcher(t, net, BatcherOptions{Capacity: 8, MaxBatch: 2, Threads: 2})
	add := func() {
		for _, pos := range positions {
			ask(b, pos)
		}
	}
	broken = true
	add()
	if err := b.Wait(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "value output") {
		t.Errorf("a broken model: %v", err)
	}
	broken = false
	for _, n := range []int{0, 1, 3, All} {
		add()
		if err := b.Wait(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.Wait(ctx, n); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
	stream(t, b, positions, want, rand.New(rand.NewPCG(1, 1)))
}

// TestThreadsShareWhatIsWaitedFor holds every batch until as many are under
// way as there are threads: were a batch left lying, nobody would go on.
func TestThreadsShareWhatIsWaitedFor(t *testing.T) {
	for _, o := range []BatcherOptions{
		{Threads: 3, MaxBatch: 2, Capacity: 5}, {Threads: 4, Capacity: 4},
	} {
		var started sync.WaitGroup
		started.Add(o.Threads)
		net := &fakeNet{before: func(context.Context) { started.Done(); started.Wait() }}
		evaluate(t, newBatcher(t, net, o), newPositions(1, o.Capacity))
	}
}
