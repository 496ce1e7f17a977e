package nn

import (
	"context"
	"errors"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

func TestCacheChangesNoBit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		net := &fakeNet{id: rapid.Uint64().Draw(rt, "net")}
		pool := newPositions(rapid.Uint64().Draw(rt, "positions"), 30)
		var asked []game.Position
		for range rapid.IntRange(1, 120).Draw(rt, "n") {
			asked = append(asked, pool[rapid.IntRange(0, len(pool)-1).Draw(rt, "i")])
		}
		opts := BatcherOptions{Capacity: rapid.IntRange(1, 9).Draw(rt, "capacity"), Seed: 5}
		table := NewCacheTable(rapid.IntRange(0, 20000).Draw(rt, "bytes"), side*side)
		cache := NewCache(newBatcher(t, net, opts), table)
		want := evaluate(t, newBatcher(t, net, opts), asked)
		checkSame(t, "through the cache", evaluate(t, cache, asked), want)
		if s := cache.Stats(); s.Hits+s.Evals != uint64(len(asked)) {
			rt.Fatalf("%d hits and %d evaluations of %d questions", s.Hits, s.Evals, len(asked))
		}
	})
}

func TestCacheHits(t *testing.T) {
	positions := newPositions(1, 10)
	cache := NewCache(newBatcher(t, &fakeNet{}, BatcherOptions{}), NewCacheTable(1<<20, side*side))
	// Duplicates that wait together are computed twice.
	evaluate(t, cache, append(positions, positions...))
	if s := cache.Stats(); s.Hits != 0 || s.Evals != 20 {
		t.Errorf("waiting together: %+v", s)
	}
	evaluate(t, cache, positions)
	if s := cache.Stats(); s.Hits != 10 || s.Evals != 20 {
		t.Errorf("asked again: %+v", s)
	}
}

// The key of a position is computed when its Tag is, once, whether the cache
// hits or misses and however many caches there are.
func TestKeyIsComputedOncePerEvaluation(t *testing.T) {
	enc := &mnkEncoder{}
	inner := NewCache(newBatcherWith(t, &fakeNet{}, enc, BatcherOptions{Capacity: 5}), NewCacheTable(1<<20, side*side))
	outer := NewCache(inner, NewCacheTable(2000, side*side))
	asked := 0
	for range 3 {
		asked += len(evaluate(t, outer, newPositions(1, 13)))
	}
	if s := outer.Stats(); enc.keys != asked || s.Hits == 0 || s.Evals == 0 {
		t.Errorf("%d keys for %d evaluations, %+v", enc.keys, asked, s)
	}
}

func TestCacheAroundCache(t *testing.T) {
	positions := newPositions(1, 10)
	inner := NewCache(newBatcher(t, &fakeNet{}, BatcherOptions{}), NewCacheTable(1<<20, side*side))
	want := evaluate(t, inner, positions)
	outer := NewCache(inner, NewCacheTable(1<<20, side*side))
	checkSame(t, "answered in the inner Add", evaluate(t, outer, positions), want)
	checkSame(t, "answered in the outer Add", evaluate(t, outer, positions), want)
	if s := outer.Stats(); s.Hits != 20 || s.Evals != 10 {
		t.Errorf("stats %+v", s)
	}
}

// One table serves several models, seeds and temperatures, each with results
// of its own.
func TestCacheKeepsOptionsApart(t *testing.T) {
	table := NewCacheTable(1<<20, side*side)
	positions := newPositions(1, 20)
	for _, c := range []struct {
		net  uint64
		opts BatcherOptions
	}{
		{1, BatcherOptions{}}, {2, BatcherOptions{}}, {1, BatcherOptions{Temperature: 2}},
		{1, BatcherOptions{Seed: 3}},
	} {
		net := &fakeNet{id: c.net}
		want := evaluate(t, newBatcher(t, net, c.opts), positions)
		cache := NewCache(newBatcher(t, net, c.opts), table)
		for range 2 {
			checkSame(t, "shared table", evaluate(t, cache, positions), want)
		}
	}
}

func TestCacheAfterFailedWait(t *testing.T) {
	fail := errors.New("broken")
	pos := newPositions(1, 1)[0]
	moves := pos.Moves(nil)
	bad := true
	cache := NewCache(&failing{Mock: NewMock(1), fail: func() error {
		if bad {
			return fail
		}
		return nil
	}}, NewCacheTable(1<<16, side*side))
	out := Result{Priors: make([]float32, len(moves))}
	cache.Add(pos, cache.Tag(pos), moves, &out)
	if err := cache.Wait(t.Context(), All); !errors.Is(err, fail) {
		t.Fatalf("Wait: %v", err)
	}
	bad = false
	if cache.Add(pos, cache.Tag(pos), moves, &out) {
		t.Error("a failed result was cached")
	}
	if err := cache.Wait(t.Context(), All); err != nil {
		t.Fatal(err)
	}
	if !cache.Add(pos, cache.Tag(pos), moves, &out) {
		t.Error("a good result was not cached")
	}
}

// failing is a Mock whose Wait may fail.
type failing struct {
	*Mock
	fail func() error
}

func (f *failing) Wait(ctx context.Context, n int) error {
	if err := f.fail(); err != nil {
		f.pending = f.pending[:0]
		return err
	}
	return f.Mock.Wait(ctx, n)
}

func TestCacheSharedBetweenGoroutines(t *testing.T) {
	table := NewCacheTable(6000, side*side) // small: entries are replaced all the time
	net := &fakeNet{id: 1}
	positions := newPositions(1, 60)
	want := evaluate(t, newBatcher(t, net, BatcherOptions{}), positions)
	var wg sync.WaitGroup
	for g := range 4 {
		cache := NewCache(newBatcher(t, net, BatcherOptions{Capacity: g + 1}), table)
		wg.Go(func() {
			for range 20 {
				got := evaluate(t, cache, positions)
				for i := range got {
					if !sameBits(got[i].result, want[i].result) {
						t.Errorf("position %d differs", i)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestCacheAllocatesNothing(t *testing.T) {
	positions := newPositions(1, 8)
	moves := make([][]game.Move, len(positions))
	results := make([]Result, len(positions))
	for i, pos := range positions {
		moves[i] = pos.Moves(nil)
		results[i].Priors = make([]float32, len(moves[i]))
	}
	// One cluster: some questions hit and some miss.
	cache := NewCache(newBatcher(t, &fakeNet{}, BatcherOptions{}), NewCacheTable(0, side*side))
	ctx := t.Context()
	allocs := testing.AllocsPerRun(50, func() {
		for i := range positions {
			cache.Add(positions[i], cache.Tag(positions[i]), moves[i], &results[i])
		}
		cache.Add(positions[7], cache.Tag(positions[7]), moves[7], &results[7])
		if err := cache.Wait(ctx, All); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations per Add and Wait", allocs)
	}
	if s := cache.Stats(); s.Hits == 0 || s.Evals == 0 {
		t.Errorf("the test saw no hits or no misses: %+v", s)
	}
}
