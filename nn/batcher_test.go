package nn

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

// oracle evaluates one position the long way, in float64.
func oracle(net BatchNetwork, pos game.Position, enc Encoder, opts BatcherOptions) ([]float64, [3]float64) {
	sym := Symmetry(opts.Seed, enc.Key(pos), enc.Symmetries())
	b := NewBatch(enc.Shape(), 1)
	b.SetLen(1)
	enc.Encode(pos, sym, b.Planes(0), b.Globals(0))
	if err := net.Forward(context.Background(), b); err != nil {
		panic(err)
	}
	t := 1.0
	if opts.Temperature != 0 {
		t = float64(opts.Temperature)
	}
	var priors []float64
	var sum float64
	for _, m := range pos.Moves(nil) {
		e := math.Exp(float64(b.Policy(0)[enc.Action(pos, m, sym)]) / t)
		priors = append(priors, e)
		sum += e
	}
	for i := range priors {
		priors[i] /= sum
	}
	var wdl [3]float64
	sum = 0
	for i, v := range b.Value(0) {
		wdl[i] = math.Exp(float64(v))
		sum += wdl[i]
	}
	for i := range wdl {
		wdl[i] /= sum
	}
	return priors, wdl
}

func TestBatcherAgainstOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		net := &fakeNet{id: rapid.Uint64().Draw(rt, "net")}
		opts := BatcherOptions{
			Capacity:    rapid.IntRange(1, 20).Draw(rt, "capacity"),
			MaxBatch:    rapid.IntRange(1, 6).Draw(rt, "batch"),
			Threads:     rapid.IntRange(1, 4).Draw(rt, "threads"),
			Seed:        rapid.Uint64().Draw(rt, "seed"),
			Temperature: float32(rapid.SampledFrom([]float64{0, 0.5, 1, 1.5}).Draw(rt, "temperature")),
		}
		positions := newPositions(rapid.Uint64().Draw(rt, "positions"), rapid.IntRange(1, 45).Draw(rt, "n"))
		for i, a := range evaluate(t, newBatcher(t, net, opts), positions) {
			priors, wdl := oracle(net, positions[i], &mnkEncoder{}, opts)
			for k, want := range priors {
				if got := float64(a.result.Priors[k]); math.Abs(got-want) > 1e-6 {
					rt.Fatalf("position %d, prior %d: %v, want %v", i, k, got, want)
				}
			}
			for k, got := range []float32{a.result.Win, a.result.Draw, a.result.Loss} {
				if math.Abs(float64(got)-wdl[k]) > 1e-6 {
					rt.Fatalf("position %d: win, draw, loss %v, want %v", i, a.result, wdl)
				}
			}
		}
	})
}

func TestBatchAndThreadsChangeNoBit(t *testing.T) {
	net := &fakeNet{id: 7}
	positions := newPositions(3, 60)
	want := evaluate(t, newBatcher(t, net, BatcherOptions{MaxBatch: 1, Threads: 1, Capacity: 1}), positions)
	for _, opts := range []BatcherOptions{
		{}, {MaxBatch: 16, Capacity: 16}, {Threads: 3, Capacity: 17, MaxBatch: 4},
		{Threads: 8, Capacity: 5, MaxBatch: 2}, {MaxBatch: 7, Capacity: 40},
		{Threads: 4},
	} {
		checkSame(t, "options", evaluate(t, newBatcher(t, net, opts), positions), want)
	}
}

// Under a network whose policy only looks at a cell itself, the symmetry must
// cancel out exactly.
func TestSymmetryMapsBack(t *testing.T) {
	net := &fakeNet{id: 7, local: true}
	positions := newPositions(4, 40)
	want := evaluate(t, newBatcherWith(t, net, &mnkEncoder{plain: true}, BatcherOptions{}), positions)
	for seed := range uint64(4) {
		got := evaluate(t, newBatcher(t, net, BatcherOptions{Seed: seed}), positions)
		checkSame(t, "random symmetry", got, want)
	}
	mixed := &fakeNet{id: 7}
	a := evaluate(t, newBatcherWith(t, mixed, &mnkEncoder{plain: true}, BatcherOptions{}), positions)
	b := evaluate(t, newBatcher(t, mixed, BatcherOptions{Seed: 1}), positions)
	same := 0
	for i := range a {
		if sameBits(a[i].result, b[i].result) {
			same++
		}
	}
	if same > len(a)/2 {
		t.Errorf("%d of %d positions were shown as they are, of which random symmetry leaves an eighth", same, len(a))
	}
}

// Every position must be computed once, in batches that are as full as
// what waits allows.
func TestBatchesAreFull(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(1, 9).Draw(rt, "batch")
		capacity := rapid.IntRange(size, 50).Draw(rt, "capacity")
		var sizes []int
		net := &fakeNet{rows: func(n int) { sizes = append(sizes, n) }}
		b := newBatcher(t, net, BatcherOptions{Capacity: capacity, MaxBatch: size})
		for range 3 {
			n := rapid.IntRange(0, capacity).Draw(rt, "n")
			sizes = nil
			evaluate(t, b, newPositions(1, n))
			for i, got := range sizes {
				if want := min(size, n-i*size); got != want {
					rt.Fatalf("batch %d of %d positions has %d rows, want %d", i, n, got, want)
				}
			}
			if want := (n + size - 1) / size; len(sizes) != want {
				rt.Fatalf("%d positions in %d batches, want %d", n, len(sizes), want)
			}
		}
	})
}

func TestBatcherCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, threads := range []int{1, 3} {
		b := newBatcher(t, &fakeNet{}, BatcherOptions{Threads: threads})
		for _, n := range []int{0, 1, All} {
			if err := b.Wait(ctx, n); !errors.Is(err, context.Canceled) {
				t.Errorf("idle, for %d: %v", n, err)
			}
			for _, pos := range newPositions(1, 20) {
				ask(b, pos)
			}
			if err := b.Wait(ctx, n); !errors.Is(err, context.Canceled) {
				t.Errorf("for %d: %v", n, err)
			}
			if err := b.Wait(t.Context(), All); err != nil || b.waiting != 0 || len(b.line) != 0 {
				t.Errorf("something still waits: %v", err)
			}
		}
	}
}

func TestBatcherAllocatesNothing(t *testing.T) {
	positions := newPositions(1, 8)
	moves := make([][]game.Move, len(positions))
	results := make([]Result, len(positions))
	for i, pos := range positions {
		moves[i] = pos.Moves(nil)
		results[i].Priors = make([]float32, len(moves[i]))
	}
	b := newBatcher(t, &fakeNet{}, BatcherOptions{MaxBatch: 3})
	ctx := t.Context()
	allocs := testing.AllocsPerRun(50, func() {
		for i, pos := range positions {
			b.Add(pos, b.Tag(pos), moves[i], &results[i])
		}
		for _, n := range []int{1, 4, All} {
			if err := b.Wait(ctx, n); err != nil {
				t.Fatal(err)
			}
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations per Add and Wait", allocs)
	}
}
