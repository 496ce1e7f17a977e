package nn

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"github.com/carozero/carozero/game"
)

// Cache is an [Evaluator] that caches the answers of another one. Hits and misses give
// the same bits. A position that is added again while it waits is computed twice.
type Cache struct {
	inner  Evaluator
	table  *CacheTable
	misses []miss // waiting ones, oldest first
	hits   uint64
}

var _ Evaluator = (*Cache)(nil)

// miss is a position that waits in the inner evaluator.
type miss struct {
	tag Tag
	out *Result
}

// NewCache returns a Cache around inner. The table may be shared with caches
// of other goroutines, and of other models.
func NewCache(inner Evaluator, table *CacheTable) *Cache {
	return &Cache{inner: inner, table: table, misses: make([]miss, 0, inner.Capacity())}
}

// Tag implements [Evaluator].
func (c *Cache) Tag(pos game.Position) Tag { return c.inner.Tag(pos) }

// Add implements [Evaluator].
func (c *Cache) Add(pos game.Position, tag Tag, moves []game.Move, out *Result) bool {
	if c.table.load(tag, out) {
		c.hits++
		return true
	}
	if c.inner.Add(pos, tag, moves, out) {
		c.table.store(tag, out)
		return true
	}
	c.misses = append(c.misses, miss{tag, out})
	return false
}

// Wait implements [Evaluator].
func (c *Cache) Wait(ctx context.Context, n int) error {
	n = max(0, min(n, len(c.misses)))
	err := c.inner.Wait(ctx, n)
	if err != nil {
		clear(c.misses)
		c.misses = c.misses[:0]
		return err
	}
	for _, m := range c.misses[:n] {
		c.table.store(m.tag, m.out)
	}
	c.misses = slices.Delete(c.misses, 0, n)
	return nil
}

// Capacity implements [Evaluator].
func (c *Cache) Capacity() int { return c.inner.Capacity() }

// Stats implements [Evaluator].
func (c *Cache) Stats() Stats {
	s := c.inner.Stats()
	s.Hits += c.hits
	return s
}

// CacheTable is the memory of a [Cache]: a fixed number of entries in flat
// slabs, bounded in bytes. An entry is found by its full tag, never by a part
// of it.
//
// It is safe for concurrent use. A result is a pure function of its tag, so sharing a
// table changes how often the network is asked, but no result. With a single owner the
// hits are reproducible as well.
type CacheTable struct {
	shards []cacheShard
	shift  uint // of the hash, for the shard's index
	moves  int
}

const (
	cacheWays   = 4  // entries of a cluster
	cacheShards = 64 // at most; each has a lock of its own
)

type cacheShard struct {
	mu      sync.Mutex
	clock   uint32 // advances with every use, for the entries' ages
	asked   uint64 // lookups
	found   uint64 // successful lookups
	entries []cacheEntry
	priors  []float32 // [len(entries), moves]
	_       [64]byte  // keeps the locks of neighbours apart
}

type cacheEntry struct {
	tag             Tag
	win, draw, loss float32
	used            uint32 // the shard's clock at the last use
	moves           int32  // number of priors; 0: the entry is empty
}

// NewCacheTable returns an empty table that takes at most the given bytes, but
// at least one cluster of entries, and keeps results of up to maxMoves priors.
// Results with more are not kept. It panics unless maxMoves is positive.
func NewCacheTable(bytes, maxMoves int) *CacheTable {
	if maxMoves < 1 {
		panic(fmt.Sprintf("nn: a cache for %d moves", maxMoves))
	}
	perCluster := cacheWays * (int(unsafe.Sizeof(cacheEntry{})) + 4*maxMoves)
	clusters := max(bytes/perCluster, 1)
	shards := min(cacheShards, 1<<(bits.Len(uint(clusters))-1))
	t := &CacheTable{
		shards: make([]cacheShard, shards),
		shift:  uint(64 - bits.TrailingZeros(uint(shards))),
		moves:  maxMoves,
	}
	for i := range t.shards {
		n := clusters / shards * cacheWays
		t.shards[i].entries = make([]cacheEntry, n)
		t.shards[i].priors = make([]float32, n*maxMoves)
	}
	return t
}

// Clear empties the table.
func (t *CacheTable) Clear() {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		clear(s.entries)
		s.mu.Unlock()
	}
}

// Uses returns the number of lookups so far, and how many were successful.
func (t *CacheTable) Uses() (asked, found uint64) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		asked += s.asked
		found += s.found
		s.mu.Unlock()
	}
	return asked, found
}

// load fills out and returns true if the table holds the result.
func (t *CacheTable) load(tag Tag, out *Result) bool {
	s, first := t.cluster(tag)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	for i := first; i < first+cacheWays; i++ {
		e := &s.entries[i]
		if e.tag != tag || int(e.moves) != len(out.Priors) {
			continue
		}
		s.found++
		s.clock++
		e.used = s.clock
		out.Win, out.Draw, out.Loss = e.win, e.draw, e.loss
		copy(out.Priors, s.priors[i*t.moves:])
		return true
	}
	return false
}

// store stores the result in place of the least recently used entry of its cluster.
func (t *CacheTable) store(tag Tag, r *Result) {
	if len(r.Priors) > t.moves || len(r.Priors) == 0 {
		return
	}
	s, first := t.cluster(tag)
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.victim(first, tag)
	s.clock++
	s.entries[i] = cacheEntry{
		tag: tag,
		win: r.Win, draw: r.Draw, loss: r.Loss,
		used: s.clock, moves: int32(len(r.Priors)),
	}
	copy(s.priors[i*t.moves:(i+1)*t.moves], r.Priors)
}

// victim returns the index of the entry to overwrite: the one with this tag,
// else an empty one, else the oldest.
func (s *cacheShard) victim(first int, tag Tag) int {
	best, bestAge := first, uint64(0)
	for i := first; i < first+cacheWays; i++ {
		e := &s.entries[i]
		if e.tag == tag && e.moves != 0 {
			return i
		}
		age := uint64(s.clock - e.used)
		if e.moves == 0 {
			age = 1 << 32
		}
		if age > bestAge {
			best, bestAge = i, age
		}
	}
	return best
}

// cluster returns the shard of a tag and the index of its cluster's first
// entry.
func (t *CacheTable) cluster(tag Tag) (*cacheShard, int) {
	h := chain(chain(tag.Key[0], tag.Key[1]), tag.Source)
	s := &t.shards[h>>t.shift]
	clusters := uint64(len(s.entries) / cacheWays)
	i, _ := bits.Mul64(h<<6, clusters)
	return s, int(i) * cacheWays
}
