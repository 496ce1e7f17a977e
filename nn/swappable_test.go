package nn

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// fragile is a network that reports a Forward during or after its Close.
type fragile struct {
	*fakeNet
	t       *testing.T
	running atomic.Int32
	closes  atomic.Int32
}

func newFragile(t *testing.T, id uint64) *fragile {
	f := &fragile{fakeNet: &fakeNet{id: id}, t: t}
	f.closed = func() error {
		if n := f.running.Load(); n != 0 {
			t.Errorf("network %d closed while %d Forwards run", id, n)
		}
		f.closes.Add(1)
		return nil
	}
	return f
}

func (f *fragile) Forward(ctx context.Context, b *Batch) error {
	f.running.Add(1)
	defer f.running.Add(-1)
	if f.closes.Load() != 0 {
		f.t.Errorf("Forward on network %d after its Close", f.id)
	}
	return f.fakeNet.Forward(ctx, b)
}

func TestSwapUnderLoad(t *testing.T) {
	nets := make([]*fragile, 50)
	for i := range nets {
		nets[i] = newFragile(t, uint64(i))
	}
	swap, err := NewSwappable(nets[0], &mnkEncoder{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var stop atomic.Bool
	var forwards atomic.Int64
	for range 4 {
		wg.Go(func() {
			b := NewBatch((&mnkEncoder{}).Shape(), 2)
			b.SetLen(2)
			for !stop.Load() {
				if err := swap.Forward(context.Background(), b); err != nil {
					t.Error(err)
					return
				}
				forwards.Add(1)
			}
		})
	}
	for _, net := range nets[1:] {
		for before := forwards.Load(); forwards.Load() < before+4 && !t.Failed(); {
			runtime.Gosched()
		}
		if err := swap.Swap(net); err != nil {
			t.Error(err)
		}
	}
	stop.Store(true)
	wg.Wait()
	if err := swap.Close(); err != nil {
		t.Error(err)
	}
	for _, net := range nets {
		if n := net.closes.Load(); n != 1 {
			t.Errorf("network %d was closed %d times", net.id, n)
		}
	}
}

func TestOldNetworkIsClosedAfterItsLastForward(t *testing.T) {
	old := newFragile(t, 1)
	entered, leave := make(chan struct{}), make(chan struct{})
	old.before = func(context.Context) { close(entered); <-leave }
	swap, err := NewSwappable(old, &mnkEncoder{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		b := NewBatch((&mnkEncoder{}).Shape(), 1)
		b.SetLen(1)
		done <- swap.Forward(context.Background(), b)
	}()
	<-entered
	id := swap.ID()
	if err := swap.Swap(newFragile(t, 2)); err != nil {
		t.Fatal(err)
	}
	if swap.Name() != "fake-2" || swap.ID() == id {
		t.Errorf("after the swap: name %s, ID changed: %v", swap.Name(), swap.ID() != id)
	}
	if old.closes.Load() != 0 {
		t.Error("closed while a Forward runs")
	}
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if old.closes.Load() != 1 {
		t.Error("not closed by its last Forward")
	}
}

func TestSwapRefuses(t *testing.T) {
	refuse := errors.New("unsuitable")
	bad := &fakeNet{check: func(Encoder) error { return refuse }}
	if _, err := NewSwappable(bad, &mnkEncoder{}); !errors.Is(err, refuse) {
		t.Errorf("at the start: %v", err)
	}
	good := newFragile(t, 1)
	swap, err := NewSwappable(good, &mnkEncoder{})
	if err != nil {
		t.Fatal(err)
	}
	if err := swap.Swap(bad); !errors.Is(err, refuse) || swap.Name() != "fake-1" {
		t.Errorf("Swap: %v, now %s", err, swap.Name())
	}
	broken := errors.New("broken")
	good.closed = func() error { return broken }
	for i, want := range []error{broken, nil} {
		if err := swap.Close(); !errors.Is(err, want) {
			t.Errorf("Close %d: %v", i, err)
		}
	}
	b := NewBatch((&mnkEncoder{}).Shape(), 1)
	if err := swap.Forward(t.Context(), b); !errors.Is(err, ErrClosed) {
		t.Errorf("Forward after Close: %v", err)
	}
	if err := swap.Swap(&fakeNet{}); !errors.Is(err, ErrClosed) {
		t.Errorf("Swap after Close: %v", err)
	}
}
