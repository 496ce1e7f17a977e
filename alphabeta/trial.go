package alphabeta

// trial is a move that a node is about to search: the count-th of its moves,
// reduced by that many plies.
type trial struct {
	Entry
	count, reduced int
}

// trials is how far a node is through its moves.
type trials struct {
	count int // moves handed out or put off
	quiet int // quiet ones of these
	limit int // of quiet

	marker     // without roads if the node is too small
	off    int // moves put off
	back   int // of these, handed out since
}

// mostPutOff bounds the moves of a node that are put off.
const mostPutOff = 8

// newTrials begins the moves of a node whose picker is ready.
func (w *worker) newTrials(nd *node) trials {
	t := trials{limit: w.quietLimit(nd)}
	if nd.depth >= leastShared {
		t.marker = w.marker()
	}
	return t
}

// trial returns the next move to search of a node that has found best so far.
// Those that another thread is searching come after all others.
func (w *worker) trial(nd *node, f *frame, t *trials, best Score) (trial, bool) {
	for {
		e, ok := w.next(nd.ply)
		if !ok {
			return t.resume(f)
		}
		t.count++
		next := trial{Entry: e, count: t.count}
		if e.Kind == Quiet {
			if t.quiet >= t.limit && best > -leastWin {
				w.skipQuiet(&f.pick)
				continue
			}
			t.quiet++
			next.reduced = w.reduction(nd, &e, t.count)
		}
		if !t.putOff(f, &next) {
			return next, true
		}
	}
}

// putOff keeps a move other than the first for later if another thread is
// searching it, else marks it as being searched.
func (t *trials) putOff(f *frame, next *trial) bool {
	if next.count > 1 && t.off < mostPutOff && t.taken(next.Move) {
		f.putOff[t.off] = *next
		t.off++
		return true
	}
	t.enter(next.Move)
	return false
}

// resume returns the next of the moves that were put off.
func (t *trials) resume(f *frame) (trial, bool) {
	if t.back == t.off {
		return trial{}, false
	}
	next := f.putOff[t.back]
	t.back++
	t.enter(next.Move)
	return next, true
}
