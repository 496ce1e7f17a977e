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
		if later := uint8(rapid.IntRange(0, generations-1).Draw(t, "later")); age(data,
			(generation+later)%generations) != int(later) {
			t.Fatalf("generation %d is not %d before", generation, later)
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

// Threads that store and probe the same few places never see an entry of
// another position.
func TestTableUnderThreads(t *testing.T) {
	table := sizedTable(4)
	entryOf := func(h uint64) ttEntry {
		return ttEntry{move: game.Move(h >> 7), score: Score(int16(h >> 9)), eval: Score(int16(h >> 21)),
			depth: int(h >> 33 & 255), bound: exact}
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

// TestAdviseKeepsContent asks for slices below, at and above whole large pages, at starts
// that are not on a page's boundary: what they hold stays, and stays writable.
func TestAdviseKeepsContent(t *testing.T) {
	for _, n := range []int{0, 1, largePage - 1, largePage, largePage + 1, 3*largePage + 4097} {
		all := make([]byte, n+3)
		for i := range all {
			all[i] = byte(i % 251)
		}
		adviseLargePages(all[3:])
		for i := range all {
			if all[i] != byte(i%251) {
				t.Fatalf("%d bytes: byte %d is %d, want %d", n, i, all[i], i%251)
			}
			all[i] = 1
		}
	}
	adviseLargePages([]struct{}{{}, {}})
	adviseLargePages([]uint64(nil))
}
