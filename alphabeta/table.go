package alphabeta

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/carozero/carozero/game"
)

// bound says how a stored score relates to the true one. The zero value marks
// an empty place.
type bound uint8

const (
	noBound bound = iota
	upper         // the true score is at most the stored one
	lower         // at least
	exact
)

// noEval stands for an evaluation that was not computed.
const noEval Score = -1 << 15

// ttEntry is the table's entry of a position. Claims in score count plies from the
// position.
type ttEntry struct {
	move  game.Move // best or refuting move, NoMove if none is known
	score Score
	eval  Score // static evaluation, or noEval
	depth int   // 0..255 plies searched below the position
	bound bound
}

// pack returns e and the low bits of the generation in one word: move 16 bits,
// score 16, evaluation 16, depth 8, bound 2, generation 6, from the lowest on.
func (e ttEntry) pack(generation uint8) uint64 {
	return uint64(e.move) |
		uint64(uint16(e.score))<<16 |
		uint64(uint16(e.eval))<<32 |
		uint64(uint8(e.depth))<<48 |
		uint64(e.bound)<<56 |
		uint64(generation)<<58
}

// unpack is the reverse of pack, without the generation.
func unpack(data uint64) ttEntry {
	return ttEntry{
		move:  game.Move(data),
		score: Score(int16(data >> 16)),
		eval:  Score(int16(data >> 32)),
		depth: int(uint8(data >> 48)),
		bound: boundOf(data),
	}
}

func boundOf(data uint64) bound { return bound(data >> 56 & 3) }

// generations is how many generations a word tells apart.
const generations = 64

// age returns how many generations before now data was written.
func age(data uint64, now uint8) int { return int(now-uint8(data>>58)) & (generations - 1) }

// replacementValue orders entries for replacement: the depth, minus eight plies for each
// generation of age.
func replacementValue(data uint64, now uint8) int {
	if boundOf(data) == noBound {
		return -1 << 16
	}
	return int(uint8(data>>48)) - 8*age(data, now)
}

// Shape of the table.
const (
	clusterBytes   = 64
	clusterEntries = 5
	clustersPerMiB = 1 << 20 / clusterBytes
	mostMiB        = 1 << 18 // keeps indices within 32 bits: 256 GiB
)

// A cluster is a cache line: five entries of 12 bytes, each a word of data
// (see ttEntry.pack) and a check, the low half of the position's hash xor a fold
// of the data. Entries are read and written in two steps without a lock; one torn by
// two threads fails its check and counts as another position's (Hyatt and Mann, "A
// lock-less transposition table implementation", ICGA Journal 25, 2002).
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
// clusters, which is at least 2^prefix, is the index of a cluster.
type table struct {
	clusters   []cluster
	prefix     int
	generation uint8
	closed     bool // stores nothing
}

// newTable returns an empty table of that many MiB, at most mostMiB, which stores
// nothing if mib is negative.
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
	clusters := make([]cluster, n)
	adviseLargePages(clusters)
	return &table{clusters: clusters, prefix: bits.Len(uint(n)) - 1}
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
func (t *table) probe(hash uint64) ttEntry {
	c := &t.clusters[t.index(address(hash, t.prefix))]
	for i := range c.data {
		data := c.data[i].Load()
		if c.check[i].Load()^fold(data) == uint32(hash) && boundOf(data) != noBound {
			return unpack(data)
		}
	}
	return ttEntry{move: noMove, eval: noEval}
}

// store stores e for the position with that hash, in place of the position's entry or
// else of the entry with the least replacementValue in its cluster. An entry of the same
// position stays if it is of this generation and much deeper and e is only a bound. The
// old move stays unless e has one.
func (t *table) store(hash uint64, e ttEntry) {
	if !t.closed {
		t.put(address(hash, t.prefix), uint32(hash), e)
	}
}

// depthAdvantage is how many plies deeper an entry of the same position must be to stay
// in place of a bound.
const depthAdvantage = 3

func (t *table) put(addr uint64, key uint32, e ttEntry) {
	c := &t.clusters[t.index(addr)]
	victim, least := 0, 1<<16
	for i := range c.data {
		data := c.data[i].Load()
		if c.check[i].Load()^fold(data) == key && boundOf(data) != noBound {
			old := unpack(data)
			if e.bound != exact && old.depth > e.depth+depthAdvantage && age(data, t.generation) == 0 {
				return
			}
			if e.move == noMove {
				e.move = old.move
			}
			victim = i
			break
		}
		if v := replacementValue(data, t.generation); v < least {
			victim, least = i, v
		}
	}
	data := e.pack(t.generation)
	c.data[victim].Store(data)
	c.check[victim].Store(key ^ fold(data))
}

// pageClusters is how many clusters lie in the smallest page that machines have.
const pageClusters = 4096 / clusterBytes

// touchPages writes to every page of the clusters and changes nothing.
func touchPages(clusters []cluster) {
	for i := 0; i < len(clusters); i += pageClusters {
		entry := &clusters[i].data[0]
		entry.Store(entry.Load())
	}
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

// largePage is the size of a large page, in bytes, where the system has them.
const largePage = 2 << 20

// adviseLargePages asks that the memory of s be backed by large pages as far as whole ones
// fit into it: with pages of 2 MiB instead of 4 KiB nearly every read at a random place finds
// its translation in the processor's buffer. It does nothing where the system has no such request
// or refuses it. Pages that were
// written before may stay small: ask when a slice is made.
func adviseLargePages[T any](s []T) {
	first := unsafe.SliceData(s)
	bytes := uintptr(len(s)) * unsafe.Sizeof(*first)
	if from, to := wholePages(uintptr(unsafe.Pointer(first)), bytes); from < to {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(first)), bytes)[from:to])
	}
}

// wholePages returns from where to where the large pages reach that lie within that many bytes
// at base; both are 0 if there are none.
func wholePages(base, bytes uintptr) (from, to uintptr) {
	from = -base & (largePage - 1)
	if bytes < from+largePage {
		return 0, 0
	}
	return from, from + (bytes-from)&^(largePage-1)
}
