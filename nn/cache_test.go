package nn

import (
	"context"
	"errors"
	"sync"
	"testing"
	"unsafe"

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

func resultOf(x float32, n int) *Result {
	r := &Result{Win: x, Draw: x + 1, Loss: x + 2, Priors: make([]float32, n)}
	for i := range r.Priors {
		r.Priors[i] = x + float32(i)/64
	}
	return r
}

// entries returns the number of results that fit.
func (t *CacheTable) entries() (n int) {
	for i := range t.shards {
		n += len(t.shards[i].entries)
	}
	return n
}

// bytes returns the memory of the slabs.
func (t *CacheTable) bytes() (n int) {
	for i := range t.shards {
		s := &t.shards[i]
		n += cap(s.entries)*int(unsafe.Sizeof(cacheEntry{})) + 4*cap(s.priors)
	}
	return n
}

func TestTableKeepsToItsBytes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bytes := rapid.IntRange(0, 1<<20).Draw(rt, "bytes")
		moves := rapid.IntRange(1, 500).Draw(rt, "moves")
		table := NewCacheTable(bytes, moves)
		if table.entries() < cacheWays {
			rt.Fatalf("%d entries", table.entries())
		}
		if table.entries() > cacheWays && table.bytes() > bytes {
			rt.Fatalf("%d bytes taken of %d", table.bytes(), bytes)
		}
		if big := 100000 * moves; bytes > big && table.bytes() < bytes*3/4 {
			rt.Fatalf("only %d bytes used of %d", table.bytes(), bytes)
		}
	})
}

// A table of one cluster puts everything in the same place, so only the check
// of the whole tag tells entries apart.
func TestTableChecksTheFullTag(t *testing.T) {
	table := NewCacheTable(0, 4)
	base := Tag{Key{1, 2}, 3}
	table.store(base, resultOf(5, 4))
	out := resultOf(0, 4)
	if !table.load(base, out) || !sameBits(*out, *resultOf(5, 4)) {
		t.Fatalf("stored result not found: %+v", out)
	}
	for _, c := range []struct {
		tag   Tag
		moves int
	}{{Tag{Key{1, 3}, 3}, 4}, {Tag{Key{0, 2}, 3}, 4}, {Tag{base.Key, 2}, 4}, {base, 3}} {
		if table.load(c.tag, resultOf(0, c.moves)) {
			t.Errorf("%v was found under %+v", base, c)
		}
	}
}

func TestTableReplacesTheLeastRecentlyUsed(t *testing.T) {
	table := NewCacheTable(0, 1)
	tag := func(i int) Tag { return Tag{Key: Key{uint64(i)}} }
	has := func(i int) bool { return table.load(tag(i), resultOf(0, 1)) }
	for i := range cacheWays {
		table.store(tag(i), resultOf(float32(i), 1))
	}
	if !has(0) { // now 1 is the oldest
		t.Fatal("0 is missing from a table that was not full")
	}
	table.store(tag(9), resultOf(9, 1))
	if has(1) || !has(0) || !has(2) || !has(3) || !has(9) {
		t.Error("not the least recently used entry was replaced")
	}
	table.store(tag(9), resultOf(9, 1)) // again: takes no second place
	if !has(0) || !has(2) || !has(3) {
		t.Error("storing a tag twice pushed another out")
	}
}

func BenchmarkCacheTable(b *testing.B) {
	table := NewCacheTable(64<<20, 225)
	r := resultOf(1, 200)
	for i := range 20000 {
		table.store(Tag{Key: Key{uint64(i), 1}}, r)
	}
	b.Run("load", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			table.load(Tag{Key: Key{uint64(i % 20000), 1}}, r)
		}
	})
	b.Run("store", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			table.store(Tag{Key: Key{uint64(i), 2}}, r)
		}
	})
}
