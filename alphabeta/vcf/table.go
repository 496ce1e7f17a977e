package vcf

import "github.com/carozero/carozero/game"

// entry is what is known of one position. With the attacker to move: it does not
// win within fails moves, and does within wins moves beginning with move. With
// the defender to move the same of the position before its last move, without a
// move.
type entry struct {
	key     [2]uint64
	call    uint32 // of the solver's call that wrote it
	move    game.Move
	fails   uint8 // noDepth: it does not win at all
	wins    uint8 // noDepth: not known to
	numbers       // 0 unless proof-number search has left the position undecided
}

const (
	noDepth    = 255
	entryBytes = 32
	bucketSize = 2
)

// table is a hash table of positions, checked by their full 128-bit key, in
// buckets of two entries.
type table struct {
	buckets [][bucketSize]entry // a power of two of them
	call    uint32
}

func newTable(bytes int) table {
	n := 1
	for 2*n*bucketSize*entryBytes <= bytes {
		n *= 2
	}
	return table{buckets: make([][bucketSize]entry, n)}
}

// clear forgets all entries, by their call.
func (t *table) clear() {
	t.call++
	if t.call == 0 {
		clear(t.buckets)
		t.call = 1
	}
}

// find returns the entry of a key, nil if there is none.
func (t *table) find(key [2]uint64) *entry {
	bucket := &t.buckets[key[0]&uint64(len(t.buckets)-1)]
	for i := range bucket {
		if e := &bucket[i]; e.key == key && e.call == t.call {
			return e
		}
	}
	return nil
}

// claim returns the entry of a key, a fresh one in the place of the entry that
// took the least work if there is none.
func (t *table) claim(key [2]uint64) *entry {
	if e := t.find(key); e != nil {
		return e
	}
	bucket := &t.buckets[key[0]&uint64(len(t.buckets)-1)]
	e := &bucket[0]
	if e.call == t.call && (bucket[1].call != t.call || bucket[1].worth() < e.worth()) {
		e = &bucket[1]
	}
	*e = entry{key: key, call: t.call, move: game.NoMove, wins: noDepth}
	return e
}

// worth tells entries that took much work: the depth that was searched, or the
// numbers.
func (e *entry) worth() uint8 {
	switch {
	case e.wins != noDepth:
		return e.wins
	case e.PN > 0 && e.fails != noDepth:
		return uint8(min(mostWorth, e.PN+e.DN))
	}
	return e.fails
}

// mostWorth is what the greatest numbers are worth.
const mostWorth = 64

func (t *table) storeWin(key [2]uint64, d int, m game.Move) {
	e := t.claim(key)
	e.wins, e.move = uint8(d), m
}

func (t *table) storeFail(key [2]uint64, d int) { t.claim(key).fails = uint8(d) }

func (t *table) storeNumbers(key [2]uint64, n numbers) {
	t.claim(key).numbers = n
}
