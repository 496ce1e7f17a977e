package nn

import (
	"context"

	"github.com/carozero/carozero/game"
)

// Cache is the [Evaluator] that remembers the answers of another one. A hit
// equals a miss bit for bit. Positions that are queued twice before one Run
// are computed twice.
type Cache struct {
	inner   Tagger
	enc     Encoder
	table   *CacheTable
	pending []missed
	hits    uint64
}

// missed is a position that waits in the inner evaluator.
type missed struct {
	key Key
	tag uint64
	out *Result
}

// NewCache returns a Cache around inner with enc for the keys, which may be
// the encoder of the same goroutine's inner evaluator. The table may be shared
// with caches of other goroutines, and of other models.
func NewCache(inner Tagger, enc Encoder, table *CacheTable) *Cache {
	return &Cache{inner: inner, enc: enc, table: table, pending: make([]missed, 0, inner.Capacity())}
}

// Add implements [Evaluator].
func (c *Cache) Add(pos game.Position, moves []game.Move, out *Result) bool {
	key := c.enc.Key(pos)
	tag := c.inner.Tag(key)
	if c.table.load(key, tag, out) {
		c.hits++
		return true
	}
	if c.inner.Add(pos, moves, out) {
		c.table.store(key, tag, out)
		return true
	}
	c.pending = append(c.pending, missed{key, tag, out})
	return false
}

// Run implements [Evaluator].
func (c *Cache) Run(ctx context.Context) error {
	err := c.inner.Run(ctx)
	if err == nil {
		for _, m := range c.pending {
			if c.inner.Tag(m.key) == m.tag {
				c.table.store(m.key, m.tag, m.out)
			}
		}
	}
	clear(c.pending)
	c.pending = c.pending[:0]
	return err
}

// Capacity implements [Evaluator].
func (c *Cache) Capacity() int { return c.inner.Capacity() }

// Tag implements [Tagger].
func (c *Cache) Tag(key Key) uint64 { return c.inner.Tag(key) }

// Stats returns what was counted so far, by the inner evaluator too.
func (c *Cache) Stats() Stats {
	s := c.inner.Stats()
	s.Hits += c.hits
	return s
}

// Streams implements [Stream].
func (c *Cache) Streams() bool {
	s, ok := c.inner.(Stream)
	return ok && s.Streams()
}

// Next implements [Stream]. It is a misuse unless Streams is true.
func (c *Cache) Next(ctx context.Context) error {
	if err := c.inner.(Stream).Next(ctx); err != nil || len(c.pending) == 0 {
		clear(c.pending)
		c.pending = c.pending[:0]
		return err
	}
	if m := c.pending[0]; c.inner.Tag(m.key) == m.tag {
		c.table.store(m.key, m.tag, m.out)
	}
	c.pending = c.pending[:copy(c.pending, c.pending[1:])]
	return nil
}
