package nn

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

// oracle evaluates one position the long way, in float64.
func oracle(net Network, pos game.Position, opts BatcherOptions) ([]float64, [3]float64) {
	enc := &mnkEncoder{}
	sym := Symmetry(opts.Symmetry, opts.Seed, enc.Key(pos), enc.Symmetries())
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
		e := math.Exp(float64(b.Policy(0)[enc.Action(m, sym)]) / t)
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
			Symmetry:    SymmetryMode(rapid.IntRange(0, 1).Draw(rt, "mode")),
			Temperature: float32(rapid.SampledFrom([]float64{0, 0.5, 1, 1.5}).Draw(rt, "temperature")),
		}
		positions := newPositions(rapid.Uint64().Draw(rt, "positions"), rapid.IntRange(1, 45).Draw(rt, "n"))
		for i, a := range evaluate(t, newBatcher(t, net, opts), positions) {
			priors, wdl := oracle(net, positions[i], opts)
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
		{Threads: 8, Capacity: 5, MaxBatch: 2}, {MaxBatch: 7, Capacity: 40, FixedBatch: true},
	} {
		checkSame(t, "options", evaluate(t, newBatcher(t, net, opts), positions), want)
	}
}

// Under a network whose policy only looks at a cell itself, the symmetry must
// cancel out exactly.
func TestSymmetryMapsBack(t *testing.T) {
	net := &fakeNet{id: 7, local: true}
	positions := newPositions(4, 40)
	want := evaluate(t, newBatcher(t, net, BatcherOptions{Symmetry: SymmetryIdentity}), positions)
	for seed := range uint64(4) {
		got := evaluate(t, newBatcher(t, net, BatcherOptions{Seed: seed}), positions)
		checkSame(t, "random symmetry", got, want)
	}
	mixed := &fakeNet{id: 7}
	a := evaluate(t, newBatcher(t, mixed, BatcherOptions{Symmetry: SymmetryIdentity}), positions)
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

func TestPlacesAreDistinct(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		opts := BatcherOptions{
			Capacity: rapid.IntRange(1, 50).Draw(rt, "capacity"),
			MaxBatch: rapid.IntRange(1, 9).Draw(rt, "batch"),
			Threads:  rapid.IntRange(1, 6).Draw(rt, "threads"),
		}
		b := newBatcher(t, &fakeNet{}, opts)
		for n := range opts.Capacity + 1 {
			b.queue = b.queue[:n]
			count := make([]int, len(b.batch))
			for i := range n {
				batch, row := b.place(i)
				if b.index(batch, row) != i {
					rt.Fatalf("index(place(%d)) = %d", i, b.index(batch, row))
				}
				if row != count[batch] {
					rt.Fatalf("position %d: row %d of batch %d, which has %d", i, row, batch, count[batch])
				}
				count[batch]++
			}
			for batch, want := range count {
				if got := b.rows(batch); got != want {
					rt.Fatalf("batch %d of %d queued has %d rows, want %d", batch, n, got, want)
				}
			}
		}
	})
}

func TestFixedBatchIsAlwaysFull(t *testing.T) {
	net := &fakeNet{rows: func(n int) {
		if n != 8 {
			t.Errorf("a batch of %d rows, want 8", n)
		}
	}}
	b := newBatcher(t, net, BatcherOptions{MaxBatch: 8, Capacity: 16, FixedBatch: true})
	evaluate(t, b, newPositions(1, 21))
}

func TestBatcherErrors(t *testing.T) {
	bad := map[string]func(b *Batch){
		"policy": func(b *Batch) { b.Policy(0)[3] = float32(math.NaN()) },
		"value":  func(b *Batch) { b.Value(0)[1] = float32(math.Inf(-1)) },
	}
	pos := newPositions(1, 1)[0]
	for output, poison := range bad {
		net := &fakeNet{id: 42, poison: poison}
		b := newBatcher(t, net, BatcherOptions{Symmetry: SymmetryIdentity})
		ask := func() error {
			moves := pos.Moves(nil)
			b.Add(pos, moves, &Result{Priors: make([]float32, len(moves))})
			return b.Run(t.Context())
		}
		pos = newPositionWith(t, 3)
		err := ask()
		if err == nil || !strings.Contains(err.Error(), "fake-42") || !strings.Contains(err.Error(), output) {
			t.Errorf("%s: error %v does not name the model and the output", output, err)
		}
		net.poison = nil
		if err := ask(); err != nil {
			t.Errorf("%s: after a failed Run: %v", output, err)
		}
		if s := b.Stats(); s.Evals != 1 {
			t.Errorf("%s: %d evaluations counted, want 1", output, s.Evals)
		}
	}
}

// newPositionWith returns a position in which the cell is empty.
func newPositionWith(t *testing.T, cell game.Move) game.Position {
	for _, pos := range newPositions(9, 100) {
		if pos.Legal(cell) {
			return pos
		}
	}
	t.Fatal("no such position")
	return nil
}

func TestBatcherCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, threads := range []int{1, 3} {
		b := newBatcher(t, &fakeNet{}, BatcherOptions{Threads: threads})
		if err := b.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("idle Run: %v", err)
		}
		for _, pos := range newPositions(1, 20) {
			moves := pos.Moves(nil)
			b.Add(pos, moves, &Result{Priors: make([]float32, len(moves))})
		}
		if err := b.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v", err)
		}
		if err := b.Run(t.Context()); err != nil || len(b.queue) != 0 {
			t.Errorf("something still waits: %v", err)
		}
	}
}

func TestBatcherRefuses(t *testing.T) {
	refuse := errors.New("unsuitable")
	if _, err := NewBatcher(&fakeNet{check: func(Encoder) error { return refuse }}, &mnkEncoder{}, BatcherOptions{}); !errors.Is(err, refuse) {
		t.Errorf("unsuitable network: %v", err)
	}
	for _, opts := range []BatcherOptions{
		{Capacity: -1}, {MaxBatch: -1}, {Threads: -1}, {Temperature: -1},
		{Temperature: float32(math.NaN())}, {Symmetry: 9},
	} {
		if _, err := NewBatcher(&fakeNet{}, &mnkEncoder{}, opts); err == nil {
			t.Errorf("%+v was accepted", opts)
		}
	}
}

func TestBatcherPanicsOnMisuse(t *testing.T) {
	pos := newPositions(1, 1)[0]
	moves := pos.Moves(nil)
	out := func() *Result { return &Result{Priors: make([]float32, len(moves))} }
	for name, misuse := range map[string]func(b *Batcher){
		"over capacity":   func(b *Batcher) { b.Add(pos, moves, out()); b.Add(pos, moves, out()) },
		"no priors":       func(b *Batcher) { b.Add(pos, moves, &Result{}) },
		"no moves at all": func(b *Batcher) { b.Add(pos, nil, &Result{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse(newBatcher(t, &fakeNet{}, BatcherOptions{Capacity: 1}))
		}()
	}
}

func TestBatcherStats(t *testing.T) {
	var now time.Time
	opts := BatcherOptions{
		MaxBatch: 4, Capacity: 8,
		Clock: func() time.Time { now = now.Add(time.Second); return now },
	}
	b := newBatcher(t, &fakeNet{}, opts)
	evaluate(t, b, newPositions(1, 13))
	want := Stats{Evals: 13, Batches: 4, Forward: 4 * time.Second}
	if got := b.Stats(); got != want {
		t.Errorf("stats %+v, want %+v", got, want)
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
			b.Add(pos, moves[i], &results[i])
		}
		if err := b.Run(ctx); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations per Add and Run", allocs)
	}
}
