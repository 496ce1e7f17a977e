package cluster

import (
	"encoding/binary"
	"fmt"
	"sync"
	"time"
)

// assembler reassembles results that are too large for one message. A session sends one
// such result at a time; all of them share a limit. It is safe for concurrent use.
type assembler struct {
	now  func() time.Time
	most int // bytes of all results being assembled

	mu    sync.Mutex
	taken int
	by    map[string]*partial // by session
}

// partial is a result of which only some parts have arrived.
type partial struct {
	game, total uint32
	data        []byte
	began       time.Time
	whole       bool // it is complete and being checked, and is not evicted
}

// patience is how long a result that has stopped growing is kept before others may evict
// it.
const patience = 10 * time.Second

// partHead is the length of a part's header: the first game of the unit, the bytes of the
// whole result and the offset of this part, little-endian, 4 bytes each.
const partHead = 12

// appendPart appends as much of a result, starting at byte from, as fits into one message.
func appendPart(to []byte, game int, result []byte, from int) []byte {
	for _, v := range []int{game, len(result), from} {
		to = binary.LittleEndian.AppendUint32(to, uint32(v))
	}
	return append(to, result[from:min(from+maxPart, len(result))]...)
}

// add takes in a part. It returns the result once that is complete, and otherwise how many
// bytes of it are here, which is where the next part must begin. A complete result counts
// towards the limit until forget is called. busy means that there is no room.
func (a *assembler) add(session string, part []byte) (whole []byte, have int, busy bool, err error) {
	if len(part) <= partHead {
		return nil, 0, false, fmt.Errorf("a part of %d bytes", len(part))
	}
	game, total, from := binary.LittleEndian.Uint32(part), binary.LittleEndian.Uint32(part[4:]), binary.LittleEndian.Uint32(part[8:])
	part = part[partHead:]
	if total > maxResult || uint64(from)+uint64(len(part)) > uint64(total) {
		return nil, 0, false, fmt.Errorf("bytes %d to %d of a result of %d: want at most %d", from, int(from)+len(part), total, maxResult)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.by[session]
	if now == nil || now.whole || now.game != game || now.total != total {
		if from != 0 {
			return nil, 0, false, nil
		}
		a.drop(session)
		if !a.room(int(total)) {
			return nil, 0, true, nil
		}
		now = &partial{game: game, total: total, data: make([]byte, 0, total), began: a.now()}
		a.by[session], a.taken = now, a.taken+int(total)
	}
	if int(from) != len(now.data) {
		return nil, len(now.data), false, nil
	}
	now.data = append(now.data, part...)
	if len(now.data) < int(total) {
		return nil, len(now.data), false, nil
	}
	now.whole = true
	return now.data, int(total), false, nil
}

// room reports whether a result of n bytes may be begun. It evicts results that have
// stopped growing.
func (a *assembler) room(n int) bool {
	for a.taken+n > a.most {
		oldest := ""
		for session, r := range a.by {
			if !r.whole && (oldest == "" || r.began.Before(a.by[oldest].began)) {
				oldest = session
			}
		}
		if oldest == "" || a.now().Sub(a.by[oldest].began) < patience {
			return false
		}
		a.drop(oldest)
	}
	return true
}

// forget drops the result that a session has begun.
func (a *assembler) forget(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drop(session)
}

func (a *assembler) drop(session string) {
	if r := a.by[session]; r != nil {
		a.taken -= int(r.total)
		delete(a.by, session)
	}
}
