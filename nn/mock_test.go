package nn

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
)

func TestUniform(t *testing.T) {
	u := NewUniform(3)
	for _, a := range evaluate(t, u, newPositions(1, 10)) {
		if a.result.Draw != 1 || a.result.Value() != 0 {
			t.Fatalf("value %+v", a.result)
		}
		for _, p := range a.result.Priors {
			if p != 1/float32(len(a.moves)) {
				t.Fatalf("priors %v", a.result.Priors)
			}
		}
	}
	if u.Capacity() != 3 || u.Stats().Evals != 10 {
		t.Errorf("capacity %d, stats %+v", u.Capacity(), u.Stats())
	}
}

func TestMockIsAPureFunction(t *testing.T) {
	positions := newPositions(1, 40)
	for _, sharp := range []bool{false, true} {
		queued, immediate, other := NewMock(5), NewMock(5), NewMock(6)
		queued.Queue, immediate.Immediate = 7, true
		queued.Sharp, immediate.Sharp, other.Sharp = sharp, sharp, sharp
		want := evaluate(t, queued, positions)
		checkSame(t, "immediate", evaluate(t, immediate, positions), want)
		if sameBits(evaluate(t, other, positions)[0].result, want[0].result) {
			t.Error("the seed has no effect")
		}
		for _, a := range want {
			checkDistribution(t, a.result)
		}
	}
	soft, sharp := NewMock(1), NewMock(1)
	sharp.Sharp = true
	if soft.Tag(positions[0]) == sharp.Tag(positions[0]) || soft.Tag(positions[0]) == NewMock(2).Tag(positions[0]) {
		t.Error("different mocks have equal tags")
	}
}

func checkDistribution(t *testing.T, r Result) {
	t.Helper()
	var sum float64
	for _, p := range r.Priors {
		if p <= 0 && p != 0 || p > 1 {
			t.Fatalf("prior %v", p)
		}
		sum += float64(p)
	}
	wdl := float64(r.Win) + float64(r.Draw) + float64(r.Loss)
	if math.Abs(sum-1) > 1e-5 || math.Abs(wdl-1) > 1e-6 {
		t.Fatalf("priors sum to %v, win, draw and loss to %v", sum, wdl)
	}
}

func TestMockQueue(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := NewMock(1)
	m.Queue = 1
	pos := newPositions(1, 1)[0]
	moves := pos.Moves(nil)
	out := &Result{Priors: make([]float32, len(moves))}
	m.Add(pos, m.Tag(pos), moves, out)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic over capacity")
			}
		}()
		m.Add(pos, m.Tag(pos), moves, out)
	}()
	if err := m.Wait(ctx, All); !errors.Is(err, context.Canceled) || len(m.pending) != 0 {
		t.Errorf("cancelled Wait: %v, %d waiting", err, len(m.pending))
	}
}

func TestEvaluatorsWithoutNetworkAllocateNothing(t *testing.T) {
	pos := newPositions(1, 1)[0]
	moves := pos.Moves(nil)
	out := &Result{Priors: make([]float32, len(moves))}
	ctx := t.Context()
	for name, e := range map[string]Evaluator{"uniform": NewUniform(1), "mock": NewMock(1)} {
		if n := testing.AllocsPerRun(50, func() { add(ctx, e, pos, moves, out) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func add(ctx context.Context, e Evaluator, pos game.Position, moves []game.Move, out *Result) {
	if !e.Add(pos, e.Tag(pos), moves, out) {
		if err := e.Wait(ctx, All); err != nil {
			panic(err)
		}
	}
}

func TestBatchViewsShareTheMemory(t *testing.T) {
	shape := Shape{Planes: 2, Height: 3, Width: 4, Globals: 1, Actions: 1}
	b := NewBatch(shape, 3)
	for n := 1; n <= 3; n++ {
		v := b.Tensors(n)
		for name, c := range map[string]struct {
			data []float32
			row  []float32
			want []int
			got  []int
		}{
			"planes":  {v.Planes.Data().([]float32), b.Planes(n - 1), []int{n, 2, 3, 4}, v.Planes.Shape()},
			"globals": {v.Globals.Data().([]float32), b.Globals(n - 1), []int{n, 1}, v.Globals.Shape()},
			"policy":  {v.Policy.Data().([]float32), b.Policy(n - 1), []int{n, 1}, v.Policy.Shape()},
			"value":   {v.Value.Data().([]float32), b.Value(n - 1), []int{n, 3}, v.Value.Shape()},
		} {
			last := len(c.row) - 1
			if &c.data[len(c.data)-1] != &c.row[last] {
				t.Errorf("%s of %d rows is a copy", name, n)
			}
			if len(c.got) != len(c.want) {
				t.Fatalf("%s: shape %v, want %v", name, c.got, c.want)
			}
			for i := range c.want {
				if c.got[i] != c.want[i] {
					t.Errorf("%s: shape %v, want %v", name, c.got, c.want)
				}
			}
		}
		if b.Tensors(n) != v {
			t.Errorf("views of %d rows are made twice", n)
		}
	}
}

func TestStats(t *testing.T) {
	a, b := Stats{Evals: 3, Hits: 1, Batches: 2, Forward: 5}, Stats{Evals: 4, Hits: 2, Batches: 1, Forward: 7}
	if got := a.Plus(b).Minus(b); got != a {
		t.Errorf("plus and minus: %+v", got)
	}
	if a.HitRate() != 0.25 || (Stats{}).HitRate() != 0 {
		t.Errorf("hit rates %v, %v", a.HitRate(), (Stats{}).HitRate())
	}
}

func TestMeasureRaw(t *testing.T) {
	var calls, ticks atomic.Int64
	net := &fakeNet{rows: func(n int) {
		calls.Add(1)
		if n != 5 {
			t.Errorf("a batch of %d rows", n)
		}
	}}
	opts := RawOptions{Batch: 5, Threads: 3, Rounds: 4, Warmup: 2, Clock: func() time.Time {
		return time.Unix(ticks.Add(2), 0)
	}}
	r, err := MeasureRaw(t.Context(), net, &mnkEncoder{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if want := (RawResult{Evals: 60, Elapsed: 2 * time.Second}); r != want || r.PerSecond() != 30 {
		t.Errorf("measured %+v, %v a second", r, r.PerSecond())
	}
	if calls.Load() != 18 {
		t.Errorf("%d calls of Forward, want 18", calls.Load())
	}
	if s := r.Plus(r); s.PerSecond() != 30 || s.Evals != 120 || (RawResult{}).PerSecond() != 0 {
		t.Errorf("sum %+v", s)
	}
}
