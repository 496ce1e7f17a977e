package nn

import (
	"context"
	"slices"

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
