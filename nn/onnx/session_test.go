//go:build cgo

package onnx

import (
	"context"
	"errors"
	"runtime"
	"slices"
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
