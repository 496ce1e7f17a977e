package nn

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

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

func TestMeasureRawErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	opts := RawOptions{Batch: 1, Threads: 2, Rounds: 1, Clock: time.Now}
	if _, err := MeasureRaw(ctx, &fakeNet{}, &mnkEncoder{}, opts); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	opts.Clock = nil
	if _, err := MeasureRaw(t.Context(), &fakeNet{}, &mnkEncoder{}, opts); err == nil {
		t.Error("no clock, no error")
	}
}

func TestCompare(t *testing.T) {
	positions := newPositions(1, 20)
	a := &fakeNet{id: 1}
	d, err := Compare(t.Context(), a, &fakeNet{id: 1}, &mnkEncoder{}, positions)
	if want := (Difference{Positions: 20}); err != nil || d != want {
		t.Errorf("equal networks differ: %+v, %v", d, err)
	}
	// b differs by a known amount in one logit of each kind, at one position.
	const shift = 0.25
	last := positions[len(positions)-1]
	target, cell := last.Ply(), last.Moves(nil)[0]
	if target == positions[0].Ply() {
		t.Fatal("the first and the last position must not be at the same ply")
	}
	b := &fakeNet{id: 1, poison: func(b *Batch) {
		for i := range b.Len() {
			if int(b.Globals(i)[0]) == target {
				b.Policy(i)[cell] += shift
				b.Value(i)[2] -= shift
			}
		}
	}}
	d, err = Compare(t.Context(), a, b, &mnkEncoder{}, positions)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(d.PolicyLogit-shift) > 1e-5 || math.Abs(d.ValueLogit-shift) > 1e-5 {
		t.Errorf("logits differ by %v and %v, want %v", d.PolicyLogit, d.ValueLogit, shift)
	}
	if d.Policy <= 0 || d.Policy > shift || d.Value <= 0 || d.Value > shift {
		t.Errorf("probabilities differ by %v and %v", d.Policy, d.Value)
	}
	if got := positions[d.Worst].Ply(); got != target {
		t.Errorf("the worst position is at ply %d, want %d", got, target)
	}
}

// Every figure must be what a loop over all entries finds.
func TestCompareAgainstOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		positions := newPositions(rapid.Uint64().Draw(rt, "positions"), rapid.IntRange(1, 12).Draw(rt, "n"))
		enc := &mnkEncoder{plain: true}
		a, b := &fakeNet{id: rapid.Uint64().Draw(rt, "a")}, &fakeNet{id: rapid.Uint64().Draw(rt, "b")}
		got, err := Compare(t.Context(), a, b, enc, positions)
		if err != nil {
			rt.Fatal(err)
		}
		var policy, value, worst float64
		for i, pos := range positions {
			p, v := oracle(a, pos, enc, BatcherOptions{})
			q, w := oracle(b, pos, enc, BatcherOptions{})
			var dp, dv float64
			for k := range p {
				dp = max(dp, math.Abs(p[k]-q[k]))
			}
			for k := range v {
				dv = max(dv, math.Abs(v[k]-w[k]))
			}
			if i == got.Worst {
				worst = max(dp, dv)
			}
			policy, value = max(policy, dp), max(value, dv)
		}
		if math.Abs(got.Policy-policy) > 1e-6 || math.Abs(got.Value-value) > 1e-6 || math.Abs(worst-max(policy, value)) > 1e-6 {
			rt.Fatalf("%+v, want %v and %v", got, policy, value)
		}
		if got.Positions != len(positions) {
			rt.Fatalf("%d positions of %d", got.Positions, len(positions))
		}
	})
}

func TestCompareErrors(t *testing.T) {
	positions := newPositions(1, 1)
	broken := &fakeNet{id: 9, poison: func(b *Batch) { b.Value(0)[0] = float32(math.NaN()) }}
	if d, err := Compare(t.Context(), &fakeNet{}, broken, &mnkEncoder{}, nil); err != nil || d != (Difference{}) {
		t.Errorf("nothing to compare: %+v, %v", d, err)
	}
	if _, err := Compare(t.Context(), &fakeNet{}, broken, &mnkEncoder{}, positions); err == nil {
		t.Error("NaN was accepted")
	}
	over := positions[0].Clone()
	for over.Outcome() == game.Undecided {
		over.Play(over.Moves(nil)[0])
	}
	if _, err := Compare(t.Context(), &fakeNet{}, &fakeNet{}, &mnkEncoder{}, []game.Position{over}); err == nil {
		t.Error("a finished game was accepted")
	}
}
