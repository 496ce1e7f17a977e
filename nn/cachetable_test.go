package nn

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

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

func TestTableAgesSurviveTheWrapOfTheClock(t *testing.T) {
	table := NewCacheTable(0, 1)
	s := &table.shards[0]
	s.clock = 1<<32 - 3
	for i := range 6 {
		table.store(Tag{Key: Key{uint64(i)}}, resultOf(0, 1))
	}
	for i := range 6 {
		if got, want := table.load(Tag{Key: Key{uint64(i)}}, resultOf(0, 1)), i >= 2; got != want {
			t.Errorf("key %d: found %v, want %v", i, got, want)
		}
	}
}

func TestTableIgnoresLongResults(t *testing.T) {
	table := NewCacheTable(0, 3)
	table.store(Tag{Key: Key{1}}, resultOf(0, 4))
	if table.load(Tag{Key: Key{1}}, resultOf(0, 4)) {
		t.Error("a result with more priors than fit was kept")
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

func TestClearedTable(t *testing.T) {
	table := NewCacheTable(1<<16, 4)
	for i := range uint64(50) {
		table.store(Tag{Key: Key{i, ^i}}, resultOf(float32(i), 3))
	}
	table.Clear()
	for i := range uint64(50) {
		if table.load(Tag{Key: Key{i, ^i}}, resultOf(0, 3)) {
			t.Fatalf("entry %d is still there", i)
		}
	}
	table.store(Tag{Key: Key{7}}, resultOf(7, 3))
	if out := resultOf(0, 3); !table.load(Tag{Key: Key{7}}, out) || out.Win != 7 {
		t.Error("nothing is kept any more")
	}
}
