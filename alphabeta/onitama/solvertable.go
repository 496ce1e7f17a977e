package onitama

import (
	"math/bits"
	"unsafe"

	"github.com/carozero/carozero/alphabeta/proofnumber"
	"github.com/carozero/carozero/game"
)

// proofEntry is what a Solver knows of a position.
type proofEntry struct {
	key                 [2]uint64 // the zero key is of no position
	proofnumber.Numbers           // for the attacker
	work                uint32    // moves that were played on it and below
	plies               uint16    // of what is proven: to the end at most
	move                game.Move // of what was replayed, with the attacker to move: its move
	onPath, replayed    bool
}

// known returns the numbers of an entry. What finds no place in the table counts as not
// won.
func (e *proofEntry) known() proofnumber.Numbers {
	if e == nil {
		return proofnumber.Disproven
	}
	return e.Numbers
}

// bucket is how many places a position may take.
const bucket = 4

// proofTable keeps positions by their whole keys, so that no proof hangs on a hash.
type proofTable struct {
	root    [2]uint64 // the position that it is about
	entries []proofEntry
	most    int // entries
}

func newProofTable(bytes int64) proofTable {
	return proofTable{most: max(1024, int(bytes/int64(unsafe.Sizeof(proofEntry{}))))}
}

// clear forgets all, for another root.
func (t *proofTable) clear(root [2]uint64) {
	clear(t.entries)
	t.root = root
}

// keepProven forgets all that is not proven, and returns how many positions are.
func (t *proofTable) keepProven() (proven int) {
	for i := range t.entries {
		switch e := &t.entries[i]; {
		case e.key == [2]uint64{}:
		case e.PN == 0:
			proven++
		default:
			*e = proofEntry{}
		}
	}
	return proven
}

// reserve makes room for so many positions, within the bound, and keeps the most valuable of
// those that are there. No entry may be in use.
func (t *proofTable) reserve(entries int) {
	if entries = min(max(entries, 1024), t.most); entries <= len(t.entries) {
		return
	}
	old := t.entries
	t.entries = make([]proofEntry, entries)
	for i := range old {
		if e := &old[i]; e.key != [2]uint64{} {
			if at := t.claim(e.key); at != nil {
				*at = *e
			}
		}
	}
}

// places returns the entries that a position may have.
func (t *proofTable) places(key [2]uint64) []proofEntry {
	mixed := (key[0] ^ bits.RotateLeft64(key[1], 29)*0xD6E8FEB86659FD93) * 0x9E3779B97F4A7C15
	mixed ^= mixed >> 32
	at, _ := bits.Mul64(mixed*0xBF58476D1CE4E5B9, uint64(len(t.entries)-bucket+1))
	return t.entries[at:][:bucket]
}

// find returns the entry of a position, nil if there is none.
func (t *proofTable) find(key [2]uint64) *proofEntry {
	places := t.places(key)
	for i := range places {
		if places[i].key == key {
			return &places[i]
		}
	}
	return nil
}

// claim returns the entry of a position, a new one in the place of the least valuable other
// if there is none; nil if all others are on the path.
func (t *proofTable) claim(key [2]uint64) *proofEntry {
	if e := t.find(key); e != nil {
		return e
	}
	var least *proofEntry
	places := t.places(key)
	for i := range places {
		if e := &places[i]; !e.onPath && (least == nil || e.value() < least.value()) {
			least = e
		}
	}
	if least != nil {
		*least = proofEntry{key: key, Numbers: proofnumber.Open, move: game.NoMove}
	}
	return least
}

// value is what would be lost with an entry: the work, and more of it if it is proven.
func (e *proofEntry) value() uint64 {
	v := uint64(e.work) * 2
	if e.key != [2]uint64{} {
		v++
	}
	if e.PN == 0 && e.key != [2]uint64{} {
		v = v*64 + 1<<20
	}
	return v
}
