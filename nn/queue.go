package nn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/carozero/carozero/game"
)

// A device computes at one place in the process: a Queue puts the positions of all
// goroutines that use a network into batches of one size. One batch is filled while others
// are computed. A batch is sent to the device when it is full; or when the device has
// nothing to do and either no goroutine runs that could fill it, or a user's query waits
// for it. What runs is counted by Turns, over all queues. No clock decides anything.

// Turns lets as many goroutines run as there are cores for them, and knows whether any
// runs. A goroutine runs, with a turn or waiting for one, from Start until it rests: in a
// queue, until it has its answers, or by Rest. All methods are safe for concurrent use.
type Turns struct {
	mu      sync.Mutex // also of the queues
	cores   int
	free    int // turns that nobody has; negative: more are out than there are
	running int
	line    []*Turn // that wait for a turn, longest first
	queues  []*Queue
}

// NewTurns returns turns for so many goroutines at a time.
func NewTurns(cores int) *Turns { return &Turns{cores: cores, free: cores} }

// Allow sets how many goroutines have a turn at a time.
func (t *Turns) Allow(cores int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free += cores - t.cores
	t.cores = cores
	t.deal()
}

// Turn is a goroutine's place among those that run.
type Turn struct {
	turns *Turns
	wake  chan struct{} // receives a turn; has room for one
}

// Start returns when the calling goroutine has its turn.
func (t *Turns) Start() *Turn {
	r := &Turn{turns: t, wake: make(chan struct{}, 1)}
	r.Resume()
	return r
}

// Resume ends a Rest; it returns when the goroutine has a turn again.
func (r *Turn) Resume() {
	if r == nil {
		return
	}
	r.turns.mu.Lock()
	r.turns.run(r)
	r.turns.mu.Unlock()
	<-r.wake
}

// Rest gives the turn back, for good or before the goroutine blocks on anything but a queue
// of these turns, or works for long without a network. A nil Turn does nothing.
func (r *Turn) Rest() {
	if r == nil {
		return
	}
	r.turns.mu.Lock()
	defer r.turns.mu.Unlock()
	r.turns.rest()
}

// run counts r as running, which receives its turn at once or later. t is locked.
func (t *Turns) run(r *Turn) {
	t.running++
	t.line = append(t.line, r)
	t.deal()
}

// rest takes the turn of a goroutine back. t is locked.
func (t *Turns) rest() {
	t.running--
	t.free++
	t.deal()
	if t.running == 0 {
		for _, q := range t.queues {
			q.send()
		}
	}
}

// deal gives free turns to those that wait. t is locked.
func (t *Turns) deal() {
	for t.free > 0 && len(t.line) > 0 {
		t.free--
		t.line[0].wake <- struct{}{}
		t.line = t.line[1:]
	}
}

// underWay is how many batches of a queue are computed at a time: one computes its rows
// while the next one is copied to the device.
const underWay = 2

// Queue computes for one network on one device, always in batches of Size rows: a result
// may depend on that, but on nothing else. It has no goroutine while nothing is computed.
type Queue struct {
	net   BatchNetwork
	shape Shape
	size  int
	turns *Turns // whose lock guards the rest

	filling []*load // not sent yet, oldest first
	spare   []*Batch
	sent    int // batches that are computed
	waiting int // rows whose answers are still wanted
	asleep  []*client
	users   int   // of those asleep: without a turn
	err     error // of the first failure; everything fails with it from then on
	idle    sync.Cond
	stats   QueueStats
}

// QueueStats count what a queue has sent to the device.
type QueueStats struct {
	Batches  int
	Full     int // of these
	Rows     int // asked for
	Computed int // padding included
}

// NewQueue returns a queue of a network's batches of the given size and shape, with turns
// that it shares with other queues.
func NewQueue(net BatchNetwork, shape Shape, size int, turns *Turns) *Queue {
	q := &Queue{net: net, shape: shape, size: size, turns: turns}
	q.idle.L = &turns.mu
	turns.mu.Lock()
	defer turns.mu.Unlock()
	turns.queues = append(turns.queues, q)
	return q
}

// Size returns the number of rows that are always computed together.
func (q *Queue) Size() int { return q.size }

// Stats returns the counts so far.
func (q *Queue) Stats() QueueStats {
	q.turns.mu.Lock()
	defer q.turns.mu.Unlock()
	return q.stats
}

// Close returns when nothing is computed any more. What waits fails with ErrClosed, as
// everything does afterwards.
func (q *Queue) Close() {
	t := q.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	q.fail(ErrClosed)
	for q.sent > 0 {
		q.idle.Wait()
	}
	t.queues = slices.DeleteFunc(t.queues, func(other *Queue) bool { return other == q })
}

// load is a batch from its first row until the last answer is taken or given up.
type load struct {
	batch    *Batch
	rows     int // taken by clients
	encoded  int // of these
	untaken  int // answers that are still wanted
	computed bool
}

// Evaluator returns an evaluator that computes in the queue, for positions that enc, which
// it owns, encodes. turn is that of the goroutine that uses it; nil: a user's, whose
// queries do not wait for a full batch once the device has nothing to do. While others
// wait, an evaluator gets at most half of a batch.
func (q *Queue) Evaluator(enc Encoder, turn *Turn, opts BatcherOptions) (Evaluator, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	c := &client{queue: q, turn: turn, asked: make([]asked, opts.Capacity)}
	if c.codec, err = newCodec(q.net, enc, opts); err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	if enc.Shape() != q.shape || turn != nil && turn.turns != q.turns {
		panic("nn: an evaluator of another queue")
	}
	c.codec.source = chain(c.codec.source, uint64(q.size)) &^ symmetryBits
	if c.wake = make(chan struct{}, 1); turn != nil {
		c.wake = turn.wake
	}
	return c, nil
}

// client is the [Evaluator] of one goroutine.
type client struct {
	queue *Queue
	turn  *Turn // nil: a user's
	wake  chan struct{}
	codec codec
	stats Stats

	asked []asked // a ring
	first int     // index of the oldest one
	count int     // positions that wait
	ready int     // of these, the oldest ones, known to be computed

	last   *load // that took the last position
	inLast int   // rows there

	need int // while it sleeps: how many of the oldest positions it waits for
}

// asked is a position that waits.
type asked struct {
	load    *load // nil: asked after a failure
	row     int
	out     *Result
	actions []int32
}

var _ Evaluator = (*client)(nil)

// Capacity implements [Evaluator].
func (c *client) Capacity() int { return len(c.asked) }

// Stats implements [Evaluator]. Batches are the queue's.
func (c *client) Stats() Stats { return c.stats }

// Tag implements [Evaluator].
func (c *client) Tag(pos game.Position) Tag { return c.codec.tag(pos) }

// at returns the i-th oldest position that waits.
func (c *client) at(i int) *asked { return &c.asked[(c.first+i)%len(c.asked)] }

// Add implements [Evaluator]; the answer always waits.
func (c *client) Add(pos game.Position, tag Tag, moves []game.Move, out *Result) bool {
	if c.count == len(c.asked) {
		panic(fmt.Sprintf("nn: more than %d positions added before an answer was waited for", c.count))
	}
	if len(out.Priors) != len(moves) || len(moves) == 0 {
		panic(fmt.Sprintf("nn: %d priors for %d moves", len(out.Priors), len(moves)))
	}
	a := c.at(c.count)
	c.count++
	a.load, a.out = nil, out
	q := c.queue
	q.turns.mu.Lock()
	if q.err == nil {
		a.load = q.room(c)
		a.row = a.load.rows
		a.load.rows++
		a.load.untaken++
		q.waiting++
	}
	q.turns.mu.Unlock()
	if a.load == nil {
		return false
	}
	a.actions = c.codec.encode(pos, tag, moves, a.load.batch, a.row, a.actions[:0])
	q.turns.mu.Lock()
	defer q.turns.mu.Unlock()
	a.load.encoded++
	q.send()
	return false
}

// room returns a batch with room for a position of c, which come into batches in the order
// in which they are sent. The queue is locked.
func (q *Queue) room(c *client) *load {
	running := q.turns.running
	if c.turn != nil {
		running--
	}
	alone := running == 0 && q.waiting == c.count-1
	from := max(0, slices.Index(q.filling, c.last))
	for _, l := range q.filling[from:] {
		if l != c.last {
			c.last, c.inLast = l, 0
		}
		if l.rows < q.size && (alone || c.inLast < (q.size+1)/2) {
			c.inLast++
			return l
		}
	}
	l := &load{}
	if n := len(q.spare); n > 0 {
		l.batch, q.spare = q.spare[n-1], q.spare[:n-1]
	} else {
		l.batch = NewBatch(q.shape, q.size)
		l.batch.SetLen(q.size)
	}
	q.filling = append(q.filling, l)
	c.last, c.inLast = l, 1
	return l
}

// send has the batches computed whose time has come. The queue is locked.
func (q *Queue) send() {
	for i := 0; i < len(q.filling) && q.sent < underWay; i++ {
		l := q.filling[i]
		full := l.rows == q.size
		wanted := q.sent == 0 && len(q.asleep) > 0 && (q.turns.running == 0 || q.users > 0)
		if l.encoded < l.rows || !full && !wanted {
			continue
		}
		q.filling = slices.Delete(q.filling, i, i+1)
		i--
		q.sent++
		q.stats.Batches++
		q.stats.Rows += l.rows
		q.stats.Computed += q.size
		if full {
			q.stats.Full++
		}
		go q.compute(l)
	}
}

// compute computes a batch and wakes those that sleep for it.
func (q *Queue) compute(l *load) {
	err := q.net.Forward(context.Background(), l.batch)
	q.turns.mu.Lock()
	defer q.turns.mu.Unlock()
	q.sent--
	l.computed = true
	q.free(l)
	if err != nil {
		q.fail(err)
	} else {
		q.rouse()
	}
	q.send()
	q.idle.Broadcast()
}

// fail makes err the error of everything that waits and will be asked. The queue is locked.
func (q *Queue) fail(err error) {
	if q.err == nil {
		q.err, q.filling = err, nil
		q.rouse()
	}
}

// rouse wakes those whose answers are there, all after a failure. The queue is locked.
func (q *Queue) rouse() {
	kept := q.asleep[:0]
	for _, c := range q.asleep {
		if q.err == nil && c.look() < c.need {
			kept = append(kept, c)
			continue
		}
		q.up(c)
	}
	clear(q.asleep[len(kept):])
	q.asleep = kept
}

// down puts c to sleep until it has its n oldest answers. The queue is locked.
func (q *Queue) down(c *client, n int) {
	c.need = n
	q.asleep = append(q.asleep, c)
	if c.turn != nil {
		q.turns.rest()
		return
	}
	q.users++
	q.send()
}

// up ends the sleep of c, which has been taken off the list. The queue is locked.
func (q *Queue) up(c *client) {
	if c.turn != nil {
		q.turns.run(c.turn)
		return
	}
	q.users--
	c.wake <- struct{}{}
}

// look returns how many of the oldest positions that wait are computed. The queue is
// locked.
func (c *client) look() int {
	for c.ready < c.count && c.at(c.ready).load != nil && c.at(c.ready).load.computed {
		c.ready++
	}
	return c.ready
}

// Wait implements [Evaluator]. An output that is not a finite number is an error that names
// the model.
func (c *client) Wait(ctx context.Context, n int) error {
	n = max(0, min(n, c.count))
	err := ctx.Err()
	if err == nil && n > c.ready {
		err = c.sleep(ctx, n)
	}
	taken := 0
	for ; taken < n && err == nil; taken++ {
		a := c.at(taken)
		err = c.codec.decode(a.load.batch, a.row, a.actions, a.out)
	}
	if err != nil {
		taken = c.count
	} else {
		c.stats.Evals += uint64(n)
	}
	c.giveUp(taken)
	return err
}

// sleep returns when the n oldest positions are computed, or with an error.
func (c *client) sleep(ctx context.Context, n int) error {
	q := c.queue
	q.turns.mu.Lock()
	if q.err != nil || c.look() >= n {
		defer q.turns.mu.Unlock()
		return q.err
	}
	q.down(c, n)
	q.turns.mu.Unlock()
	select {
	case <-c.wake:
	case <-ctx.Done():
		q.turns.mu.Lock()
		if i := slices.Index(q.asleep, c); i >= 0 {
			q.asleep = slices.Delete(q.asleep, i, i+1)
			q.up(c)
		}
		q.turns.mu.Unlock()
		<-c.wake
	}
	q.turns.mu.Lock()
	defer q.turns.mu.Unlock()
	return cmp.Or(ctx.Err(), q.err)
}

// giveUp forgets the n oldest positions; answers that are not computed yet are dropped.
func (c *client) giveUp(n int) {
	q := c.queue
	q.turns.mu.Lock()
	defer q.turns.mu.Unlock()
	for range n {
		a := c.at(0)
		if a.load != nil {
			q.waiting--
			a.load.untaken--
			q.free(a.load)
		}
		a.load, a.out = nil, nil
		c.first = (c.first + 1) % len(c.asked)
		c.count--
	}
	c.ready = max(0, c.ready-n)
}

// free keeps the memory of a batch that nobody wants an answer of any more.
func (q *Queue) free(l *load) {
	if l.computed && l.untaken == 0 {
		q.spare = append(q.spare, l.batch)
	}
}
