package nn

import (
	"testing"

	"pgregory.net/rapid"
)

func resultOf(x float32, n int) *Result {
	r := &Result{Win: x, Draw: x + 1, Loss: x + 2, Priors: make([]float32, n)}
	for i := range r.Priors {
		r.Priors[i] = x + float32(i)/64
	}
	return r
}

func TestTableKeepsToItsBytes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bytes := rapid.IntRange(0, 1<<20).Draw(rt, "bytes")
		moves := rapid.IntRange(1, 500).Draw(rt, "moves")
		table := NewCacheTable(bytes, moves)
		if table.Entries() < cacheWays {
			rt.Fatalf("%d entries", table.Entries())
		}
		if table.Entries() > cacheWays && table.Bytes() > bytes {
			rt.Fatalf("%d bytes taken of %d", table.Bytes(), bytes)
		}
		if big := 100000 * moves; bytes > big && table.Bytes() < bytes*3/4 {
			rt.Fatalf("only %d bytes used of %d", table.Bytes(), bytes)
		}
	})
}

// A table of one cluster puts every key in the same place, so only the check
// of the whole key and tag tells them apart.
func TestTableChecksTheFullKey(t *testing.T) {
	table := NewCacheTable(0, 4)
	base := Key{1, 2}
	table.store(base, 3, resultOf(5, 4))
	out := resultOf(0, 4)
	if !table.load(base, 3, out) || !sameBits(*out, *resultOf(5, 4)) {
		t.Fatalf("stored result not found: %+v", out)
	}
	for _, c := range []struct {
		key   Key
		tag   uint64
		moves int
	}{{Key{1, 3}, 3, 4}, {Key{0, 2}, 3, 4}, {base, 2, 4}, {base, 3, 3}} {
		if table.load(c.key, c.tag, resultOf(0, c.moves)) {
			t.Errorf("%v was found under %+v", base, c)
		}
	}
}

func TestTableReplacesTheLeastRecentlyUsed(t *testing.T) {
	table := NewCacheTable(0, 1)
	key := func(i int) Key { return Key{uint64(i), 0} }
	has := func(i int) bool { return table.load(key(i), 0, resultOf(0, 1)) }
	for i := range cacheWays {
		table.store(key(i), 0, resultOf(float32(i), 1))
	}
	if !has(0) { // now 1 is the oldest
		t.Fatal("0 is missing from a table that was not full")
	}
	table.store(key(9), 0, resultOf(9, 1))
	if has(1) || !has(0) || !has(2) || !has(3) || !has(9) {
		t.Error("not the least recently used entry was replaced")
	}
	table.store(key(9), 0, resultOf(9, 1)) // again: takes no second place
	if !has(0) || !has(2) || !has(3) {
		t.Error("storing a key twice pushed another out")
	}
}

func TestTableAgesSurviveTheWrapOfTheClock(t *testing.T) {
	table := NewCacheTable(0, 1)
	s := &table.shards[0]
	s.clock = 1<<32 - 3
	for i := range 6 {
		table.store(Key{uint64(i)}, 0, resultOf(0, 1))
	}
	for i := range 6 {
		if got, want := table.load(Key{uint64(i)}, 0, resultOf(0, 1)), i >= 2; got != want {
			t.Errorf("key %d: found %v, want %v", i, got, want)
		}
	}
}

func TestTableIgnoresLongResults(t *testing.T) {
	table := NewCacheTable(0, 3)
	table.store(Key{1}, 0, resultOf(0, 4))
	if table.load(Key{1}, 0, resultOf(0, 4)) {
		t.Error("a result with more priors than fit was kept")
	}
}

func BenchmarkCacheTable(b *testing.B) {
	table := NewCacheTable(64<<20, 225)
	r := resultOf(1, 200)
	for i := range 20000 {
		table.store(Key{uint64(i), 1}, 0, r)
	}
	b.Run("load", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			table.load(Key{uint64(i % 20000), 1}, 0, r)
		}
	})
	b.Run("store", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			table.store(Key{uint64(i), 2}, 0, r)
		}
	})
}
