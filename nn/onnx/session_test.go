//go:build cgo

package onnx

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/carozero/carozero/nn"
)

func TestForwardIsTheSameForEveryBatchAndThread(t *testing.T) {
	for _, name := range []string{"good", "int8"} {
		t.Run(name, func(t *testing.T) { forwardInParts(t, load(t, name)) })
	}
}

// forwardInParts computes the same rows in batches of every size, several at
// once, and demands the same bits.
func forwardInParts(t *testing.T, s *Session) {
	t.Helper()
	const n = 16
	all := fill(n)
	if err := s.Forward(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	for size := 1; size < n; size++ {
		var wg sync.WaitGroup
		for first := 0; first < n; first += size {
			wg.Go(func() {
				count := min(size, n-first)
				part := nn.NewBatch(all.Shape(), size)
				for i := range count {
					copy(part.Planes(i), all.Planes(first+i))
					copy(part.Globals(i), all.Globals(first+i))
				}
				part.SetLen(count)
				if err := s.Forward(context.Background(), part); err != nil {
					t.Error(err)
					return
				}
				for i := range count {
					if !slices.Equal(part.Policy(i), all.Policy(first+i)) || !slices.Equal(part.Value(i), all.Value(first+i)) {
						t.Errorf("row %d differs in a batch of %d", first+i, count)
					}
				}
			})
		}
		wg.Wait()
	}
	if slices.Equal(all.Policy(0), all.Policy(1)) || all.Policy(0)[0] == 0 {
		t.Error("the outputs do not depend on the inputs")
	}
}

func TestForwardSeesTheRightMemory(t *testing.T) {
	s := load(t, "good")
	b := fill(2)
	if err := s.Forward(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(b.Policy(1))
	first := slices.Clone(b.Policy(0))
	// A change in the lower right corner of one plane of row 1 reaches, through
	// two 3x3 convolutions, the 3x3 cells next to that corner, and no other row.
	corner := b.Planes(1)[5*49+48:]
	corner[0] = 1 - corner[0]
	if err := s.Forward(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first, b.Policy(0)) {
		t.Error("row 0 changed with the input of row 1")
	}
	for c := range before {
		near := c%7 >= 4 && c/7 >= 4
		if !near && before[c] != b.Policy(1)[c] {
			t.Errorf("cell %d changed, which is far from the input's change", c)
		}
	}
	if slices.Equal(before, b.Policy(1)) {
		t.Error("no output changed")
	}
	b.Globals(1)[12]++
	changed := slices.Clone(b.Policy(1))
	if err := s.Forward(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if slices.Equal(changed, b.Policy(1)) {
		t.Error("the globals are not read")
	}
}

func TestNotFiniteOutputNamesTheModel(t *testing.T) {
	batcher, err := nn.NewBatcher(load(t, "nan"), newEncoder(), nn.BatcherOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pos := positions(1)[0]
	moves := pos.Moves(nil)
	batcher.Add(pos, batcher.Tag(pos), moves, &nn.Result{Priors: make([]float32, len(moves))})
	if err := batcher.Wait(t.Context(), nn.All); err == nil || !strings.Contains(err.Error(), "nan.onnx") {
		t.Errorf("error %v does not name the model", err)
	}
}

// Sessions are closed while others compute on them: without the guard this
// ends the process.
func TestCloseUnderLoad(t *testing.T) {
	for range 10 {
		s := load(t, "good")
		var wg sync.WaitGroup
		var running sync.WaitGroup
		for range 3 {
			running.Add(1)
			wg.Go(func() {
				b := fill(4)
				err := s.Forward(context.Background(), b)
				running.Done()
				for err == nil {
					err = s.Forward(context.Background(), b)
				}
				if !errors.Is(err, nn.ErrClosed) {
					t.Error(err)
				}
			})
		}
		running.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	}
}

// The runtime's tensors point into the batches' memory: neither may go away
// before the other.
func TestBatchesAreCollected(t *testing.T) {
	s := load(t, "good")
	for range 200 {
		b := fill(3)
		for n := 1; n <= 3; n++ {
			b.SetLen(n)
			if err := s.Forward(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 3 {
		runtime.GC()
	}
	if err := s.Forward(t.Context(), fill(3)); err != nil {
		t.Fatal(err)
	}
}
