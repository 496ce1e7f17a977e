package alphabeta

import (
	"math/bits"
	"sync/atomic"
)

// Shape of the table.
const (
	clusterBytes   = 64
	clusterEntries = 5
	clustersPerMiB = 1 << 20 / clusterBytes
	mostMiB        = 1 << 18 // keeps indices within 32 bits: 256 GiB
)

// A cluster is a cache line: five entries of 12 bytes, each a word of data
// (see entry.pack) and a check, the low half of the position's hash xor a fold
// of the data. Entries are read and written in two steps without a lock; one
// that two threads have mixed up fails its check and is taken for another
// position's (Hyatt and Mann, "A lock-less transposition table
// implementation", ICGA Journal 25, 2002).
type cluster struct {
	data  [clusterEntries]atomic.Uint64
	check [clusterEntries]atomic.Uint32
	_     uint32
}

// table is the transposition table. probe and store may be called from any
// number of threads at a time, the other methods only while none does.
//
// It reads the top bits of a hash, prefix many, and its low 32 bits, and puts
// them side by side into an address. The address scaled to the number of
// clusters is the index of a cluster; with 2^prefix at most the number of
// clusters, index and check together give the address back. That is what
// resize needs to keep the content. A table that has grown keeps its prefix
// and so tells positions apart by fewer bits than a new one of its size: by
// prefix+32 in all.
type table struct {
	clusters   []cluster
	prefix     int
	generation uint8
	closed     bool // stores nothing
}

// newTable returns an empty table of that many MiB, at most mostMiB, which stores nothing if
// mib is negative.
func newTable(mib int) *table {
	if mib < 0 {
		return &table{clusters: make([]cluster, 1), closed: true}
	}
	return sizedTable(max(1, mib) * clustersPerMiB)
}

// mib returns the size of the table, rounded down.
func (t *table) mib() int { return len(t.clusters) / clustersPerMiB }

// sizedTable returns an empty table of n clusters.
func sizedTable(n int) *table {
	return &table{clusters: make([]cluster, n), prefix: bits.Len(uint(n)) - 1}
}

// fold halves a word.
func fold(data uint64) uint32 { return uint32(data) ^ uint32(data>>32) }

// address returns what a table with that prefix reads of hash.
func address(hash uint64, prefix int) uint64 {
	return hash&^(1<<(64-prefix)-1) | hash<<32>>prefix
}

// index returns the number of the cluster of an address.
func (t *table) index(addr uint64) uint64 {
	hi, _ := bits.Mul64(addr, uint64(len(t.clusters)))
	return hi
}

// probe returns the entry of the position with that hash; its bound is noBound
// if there is none.
func (t *table) probe(hash uint64) entry {
	c := &t.clusters[t.index(address(hash, t.prefix))]
	for i := range c.data {
		data := c.data[i].Load()
		if c.check[i].Load()^fold(data) == uint32(hash) && boundOf(data) != noBound {
			return unpack(data)
		}
	}
	return entry{move: noMove, eval: noEval}
}

// store keeps e for the position with that hash, in place of what is there for
// it or else of the entry of least worth in its cluster. What is known of the
// position stays if it is of this generation, much deeper and e is only a
// bound; a move that was known stays unless e brings one.
func (t *table) store(hash uint64, e entry) {
	if !t.closed {
		t.put(address(hash, t.prefix), uint32(hash), e, t.generation)
	}
}

// deeper is by how many plies an entry of the same position must be deeper not
// to give way to a bound.
const deeper = 3

func (t *table) put(addr uint64, key uint32, e entry, generation uint8) {
	c := &t.clusters[t.index(addr)]
	victim, least := 0, 1<<16
	for i := range c.data {
		data := c.data[i].Load()
		if c.check[i].Load()^fold(data) == key && boundOf(data) != noBound {
			old := unpack(data)
			if e.bound != exact && old.depth > e.depth+deeper && age(data, generation) == 0 {
				return
			}
			if e.move == noMove {
				e.move = old.move
			}
			victim = i
			break
		}
		if w := worth(data, t.generation); w < least {
			victim, least = i, w
		}
	}
	data := e.pack(generation)
	c.data[victim].Store(data)
	c.check[victim].Store(key ^ fold(data))
}

// advance starts a new generation.
func (t *table) advance() { t.generation = (t.generation + 1) % generations }

// clear forgets everything.
func (t *table) clear() {
	clear(t.clusters)
	t.generation = 0
}

// fill returns the share of places that hold an entry of the current
// generation, estimated from the first few clusters.
func (t *table) fill() float64 {
	sample := t.clusters[:min(len(t.clusters), 1<<12)]
	n := 0
	for i := range sample {
		for j := range sample[i].data {
			data := sample[i].data[j].Load()
			if boundOf(data) != noBound && age(data, t.generation) == 0 {
				n++
			}
		}
	}
	return float64(n) / float64(len(sample)*clusterEntries)
}
