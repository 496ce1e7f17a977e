package alphabeta

import (
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

func TestClusterIsACacheLine(t *testing.T) {
	if size := unsafe.Sizeof(cluster{}); size != clusterBytes {
		t.Errorf("a cluster takes %d bytes, want %d", size, clusterBytes)
	}
	for _, tt := range []struct{ mib, clusters int }{{1, 16384}, {3, 3 * 16384}, {16, 16 * 16384}, {0, 16384}, {Off, 1}} {
		if got := len(newTable(tt.mib).clusters); got != tt.clusters {
			t.Errorf("%d MiB have %d clusters, want %d", tt.mib, got, tt.clusters)
		}
	}
}

// drawEntry returns any entry.
func drawEntry(t *rapid.T) ttEntry {
	return ttEntry{
		move:  game.Move(rapid.Uint16().Draw(t, "move")),
		score: Score(rapid.Int16().Draw(t, "score")),
		eval:  Score(rapid.Int16().Draw(t, "eval")),
		depth: rapid.IntRange(0, 255).Draw(t, "depth"),
		bound: bound(rapid.IntRange(1, 3).Draw(t, "bound")),
	}
}

func TestEntryPacking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, generation := drawEntry(t), uint8(rapid.IntRange(0, generations-1).Draw(t, "generation"))
		data := e.pack(generation)
		if got := unpack(data); got != e || age(data, generation) != 0 || boundOf(data) != e.bound {
			t.Fatalf("%+v comes back as %+v", e, got)
		}
		if later := uint8(rapid.IntRange(0, generations-1).Draw(t, "later")); age(data, (generation+later)%generations) != int(later) {
			t.Fatalf("generation %d is not %d before", generation, later)
		}
	})
}

func TestScoresCountFromTheNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ply := rapid.IntRange(0, maxPly).Draw(t, "ply")
		plies := rapid.IntRange(ply, MaxClaim-maxPly).Draw(t, "plies")
		plain := Score(rapid.IntRange(-int(MaxEval), int(MaxEval)).Draw(t, "score"))
		for _, s := range []Score{WinIn(plies), LossIn(plies), plain} {
			if got := s.toNode(ply).fromNode(ply); got != s {
				t.Fatalf("%v at ply %d comes back as %v", s, ply, got)
			}
		}
		if got := WinIn(plies).toNode(ply); got != WinIn(plies-ply) {
			t.Fatalf("win in %d from ply %d is %v", plies, ply, got)
		}
	})
}

func TestTableReturnsWhatWasStored(t *testing.T) {
	table := newTable(1)
	rng := rand.New(rand.NewPCG(1, 1))
	stored := map[uint64]ttEntry{}
	for range 20000 { // a quarter of the places: few clusters overflow
		h := rng.Uint64()
		e := ttEntry{move: game.Move(rng.UintN(400)), score: Score(rng.IntN(100)), eval: 7, depth: 5, bound: exact}
		table.store(h, e)
		stored[h] = e
	}
	missing := 0
	for h, e := range stored {
		switch got := table.probe(h); {
		case got.bound == noBound:
			missing++
		case got != e:
			t.Fatalf("%#x has %+v, want %+v", h, got, e)
		}
	}
	if missing > len(stored)/100 {
		t.Errorf("%d of %d entries are missing", missing, len(stored))
	}
	for range 20000 {
		if e := table.probe(rng.Uint64()); e.bound != noBound {
			t.Fatalf("a position that was not stored has %+v", e)
		}
	}
	if got := table.fill(); got < 0.2 || got > 0.3 {
		t.Errorf("fill is %v, want about a quarter", got)
	}
	table.clear()
	if table.fill() != 0 {
		t.Error("entries survive clear")
	}
}

// Every bit that the table reads tells positions apart, also in one cluster.
func TestTableTellsPositionsApart(t *testing.T) {
	table := newTable(1)
	const h = 0x123456789ABCDEF0
	table.store(h, ttEntry{move: 3, bound: exact})
	for bit := range 64 {
		seen := table.probe(h^1<<bit).bound != noBound
		if unread := bit >= 32 && bit < 64-table.prefix; seen != unread {
			t.Errorf("bit %d flipped: found is %v", bit, seen)
		}
	}
}

// An entry whose two halves come from different stores is nobody's.
func TestTableSpotsTornEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := sizedTable(1)
		a, b := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b")
		table.store(a, drawEntry(t))
		check := table.clusters[0].check[0].Load()
		data := table.clusters[0].data[0].Load()
		table.clear()
		table.store(b, drawEntry(t))
		if table.clusters[0].data[0].Load() == data || uint32(a) == uint32(b) {
			return
		}
		c := &table.clusters[0]
		if fold(c.data[0].Load()) == fold(data) {
			return
		}
		c.check[0].Store(check) // the second store's data, the first one's check
		for _, h := range []uint64{a, b} {
			if uint32(h) == check^fold(c.data[0].Load()) {
				continue // the xor happens to fit: one in 2^32 in earnest
			}
			if e := table.probe(h); e.bound != noBound {
				t.Fatalf("%#x has the torn entry %+v", h, e)
			}
		}
	})
}

func TestReplacement(t *testing.T) {
	e := func(depth int, b bound) ttEntry { return ttEntry{move: 1, depth: depth, bound: b} }
	one := func() *table { return sizedTable(1) }
	t.Run("the shallowest goes first", func(t *testing.T) {
		table := one()
		for key := range uint64(clusterEntries) {
			table.store(key, e(10-int(key), lower))
		}
		table.store(9, e(1, lower))
		for key := range uint64(clusterEntries) {
			if gone := table.probe(key).bound == noBound; gone != (key == clusterEntries-1) {
				t.Errorf("entry %d gone: %v", key, gone)
			}
		}
	})
	t.Run("old ones go before", func(t *testing.T) {
		table := one()
		table.store(0, e(7, lower))
		table.advance()
		for key := range uint64(clusterEntries) {
			table.store(1+key, e(1, lower))
		}
		if table.probe(0).bound != noBound {
			t.Error("the old entry is still there")
		}
	})
	t.Run("a shallow bound does not replace", func(t *testing.T) {
		table := one()
		table.store(0, e(9, lower))
		table.store(0, e(9-depthAdvantage-1, lower))
		if table.probe(0).depth != 9 {
			t.Error("it did")
		}
		table.store(0, e(9-depthAdvantage, lower))
		if table.probe(0).depth != 9-depthAdvantage {
			t.Error("a deeper one did not")
		}
		table.store(0, e(0, exact))
		if table.probe(0).depth != 0 {
			t.Error("an exact one did not")
		}
	})
	t.Run("a known move stays", func(t *testing.T) {
		table := one()
		table.store(0, e(1, lower))
		table.store(0, ttEntry{move: noMove, depth: 3, bound: upper})
		if got := table.probe(0); got.move != 1 || got.depth != 3 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a table that is off stores nothing", func(t *testing.T) {
		table := newTable(Off)
		table.store(0, e(1, exact))
		if table.probe(0).bound != noBound {
			t.Error("it did")
		}
	})
}

// A table keeps its content when it grows or shrinks, back and forth.
func TestResize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 5000), 2, 5).Draw(t, "clusters")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		table := sizedTable(sizes[0])
		stored := map[uint64]ttEntry{}
		for range rapid.IntRange(0, 2*sizes[0]).Draw(t, "entries") {
			h := rng.Uint64()
			stored[h] = ttEntry{move: game.Move(rng.UintN(400)), depth: rng.IntN(99), bound: lower}
			table.store(h, stored[h])
		}
		least := sizes[0]
		for _, n := range sizes[1:] {
			before := table
			table = table.resized(n)
			least = min(least, n)
			lost := 0
			for h, e := range stored {
				was, is := before.probe(h), table.probe(h)
				if is.bound != noBound && is != e && was == e {
					t.Fatalf("%#x has %+v, want %+v", h, is, e)
				}
				if was == e && is.bound == noBound {
					lost++
				}
			}
			if room := n * clusterEntries; 4*len(stored) < room && lost > 2+len(stored)/50 {
				t.Fatalf("%d of %d entries lost between %d and %d clusters", lost, len(stored), len(before.clusters), n)
			}
		}
		if want := len(sizedTable(least).clusters); 1<<table.prefix > want {
			t.Fatalf("prefix %d for at least %d clusters", table.prefix, want)
		}
	})
}

// Threads that store and probe the same few places never see an entry of
// another position.
func TestTableUnderThreads(t *testing.T) {
	table := sizedTable(4)
	entryOf := func(h uint64) ttEntry {
		return ttEntry{move: game.Move(h >> 7), score: Score(int16(h >> 9)), eval: Score(int16(h >> 21)), depth: int(h >> 33 & 255), bound: exact}
	}
	var group sync.WaitGroup
	for id := range uint64(4) {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(id, 2))
			for range 20000 {
				h := (rng.Uint64() % 64) * 0x9E3779B97F4A7C15
				table.store(h, entryOf(h))
				h = (rng.Uint64() % 64) * 0x9E3779B97F4A7C15
				if e := table.probe(h); e.bound != noBound && e != entryOf(h) {
					t.Errorf("%#x has %+v, want %+v", h, e, entryOf(h))
					return
				}
			}
		})
	}
	group.Wait()
}
