package mcts

// queue holds the playouts in flight, oldest first. Their number of slots is
// Options.InFlight.
type queue struct {
	slots   []playout // used in turn
	head    int       // slot of the oldest
	pending int
	waiting int  // pending ones without a result
	stalled bool // the next playout must wait until the oldest is backed up
}

// full reports whether no more playouts may be in flight.
func (q *queue) full() bool { return q.pending == len(q.slots) }

// oldest returns the playout that is backed up next; the queue is not empty.
func (q *queue) oldest() *playout { return &q.slots[q.head] }

// free returns the slot for the next playout; the queue is not full.
func (q *queue) free() *playout { return &q.slots[(q.head+q.pending)%len(q.slots)] }

// push takes in the playout in the free slot.
func (q *queue) push() {
	if !q.free().ready {
		q.waiting++
	}
	q.pending++
}

// pop removes the oldest playout, which has its result. It stays valid until the next
// launch.
func (q *queue) pop() *playout {
	p := q.oldest()
	q.head = (q.head + 1) % len(q.slots)
	q.pending--
	q.stalled = false
	return p
}

// answer marks the oldest n waiting playouts as ready, or all if there are no more.
func (q *queue) answer(n int) {
	for i := q.head; n > 0 && q.waiting > 0; i = (i + 1) % len(q.slots) {
		if p := &q.slots[i]; !p.ready {
			p.ready = true
			q.waiting--
			n--
		}
	}
}

// empty calls drop for every playout, the latest first, and removes it.
func (q *queue) empty(drop func(p *playout)) {
	for ; q.pending > 0; q.pending-- {
		drop(&q.slots[(q.head+q.pending-1)%len(q.slots)])
	}
	q.waiting, q.stalled = 0, false
}
