package nn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/carozero/carozero/game"
)

// Batcher is the [Evaluator] of a [BatchNetwork]. Add encodes a position into the memory
// of a batch. A batch that is full, or that a Wait needs, is computed by one of Threads
// threads. One of them is the caller's goroutine, which computes batches in Wait, so that
// never more than Threads cores are used; the others are goroutines that end when nothing
// is left to compute. With enough waiting positions for two batches per thread, no thread
// idles: one batch is computed while the answers of the other lead to new positions.
//
// Results are a pure function of the position, the network, and the options Seed and
// Temperature. After the first few calls Add allocates nothing, nor does Wait on one
// thread.
type Batcher struct {
	codec    codec
	pool     pool
	capacity int
	size     int // of a batch

	line    []*job // jobs with positions that wait, oldest first
	spare   []*job
	waiting int
}

var _ Evaluator = (*Batcher)(nil)

// NewBatcher returns a Batcher that owns enc and uses net, which it does not close. It
// fails if net cannot evaluate what enc encodes, or if an option is invalid.
func NewBatcher(net BatchNetwork, enc Encoder, opts BatcherOptions) (*Batcher, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("batcher: %w", err)
	}
	c, err := newCodec(net, enc, opts)
	if err != nil {
		return nil, fmt.Errorf("batcher: %w", err)
	}
	b := &Batcher{codec: c, capacity: opts.Capacity, size: opts.MaxBatch}
	b.pool.codec = &b.codec
	b.pool.most = opts.Threads - 1 // the caller's goroutine computes too
	return b, nil
}

// Capacity implements [Evaluator].
func (b *Batcher) Capacity() int { return b.capacity }

// Stats implements [Evaluator].
func (b *Batcher) Stats() Stats { return b.pool.read() }

// Tag implements [Evaluator].
func (b *Batcher) Tag(pos game.Position) Tag { return b.codec.tag(pos) }

// Add implements [Evaluator]; the answer always waits.
func (b *Batcher) Add(pos game.Position, tag Tag, moves []game.Move, out *Result) bool {
	if b.waiting == b.capacity {
		panic(fmt.Sprintf("nn: more than %d positions added before an answer was waited for", b.capacity))
	}
	if len(out.Priors) != len(moves) || len(moves) == 0 {
		panic(fmt.Sprintf("nn: %d priors for %d moves", len(out.Priors), len(moves)))
	}
	j := b.open()
	j.add(&b.codec, pos, tag, moves, out)
	b.waiting++
	if len(j.queue) == b.size {
		b.submit(j)
	}
	return false
}

// open returns the job for the next position.
func (b *Batcher) open() *job {
	if n := len(b.line); n > 0 && !b.line[n-1].submitted {
		return b.line[n-1]
	}
	var j *job
	if n := len(b.spare); n > 0 {
		j, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		j = newJob(b.codec.enc.Shape(), b.size)
	}
	b.line = append(b.line, j)
	return j
}

// submit hands a job to the pool.
func (b *Batcher) submit(j *job) {
	j.submitted = true
	b.pool.submit(j)
}

// Wait implements [Evaluator]. An output that is not a finite number is an
// error that names the model.
func (b *Batcher) Wait(ctx context.Context, n int) error {
	n = min(n, b.waiting)
	err := ctx.Err()
	if err == nil && n > 0 {
		b.submitFor(n)
	}
	for err == nil && n > 0 {
		if err = b.finish(b.line[0]); err != nil {
			break
		}
		if n -= b.take(n); n > 0 {
			err = ctx.Err()
		}
	}
	if err != nil {
		b.discard()
	}
	return err
}

// submitFor submits the last job if it holds one of the n oldest positions. Earlier jobs
// were full and have been submitted already.
func (b *Batcher) submitFor(n int) {
	last := b.line[len(b.line)-1]
	if n > b.waiting-last.left() && !last.submitted {
		b.submit(last)
	}
}

// take takes up to n answers of the oldest job, which is computed, and returns their
// number.
func (b *Batcher) take(n int) int {
	j := b.line[0]
	n = min(n, j.left())
	j.taken += n
	b.waiting -= n
	if j.left() == 0 {
		b.recycle()
	}
	if b.waiting == 0 {
		b.pool.join()
	}
	return n
}

// finish computes jobs on the caller's goroutine until a submitted job is done.
func (b *Batcher) finish(j *job) error {
	if j.computed {
		return nil
	}
	j.computed = true
	for {
		select {
		case err := <-j.done:
			return err
		default:
		}
		if !b.pool.help() {
			return <-j.done
		}
	}
}

// recycle makes the oldest job, which no thread computes, a spare one.
func (b *Batcher) recycle() {
	j := b.line[0]
	b.line = b.line[:copy(b.line, b.line[1:])]
	j.reset()
	b.spare = append(b.spare, j)
}

// discard drops all waiting positions. Jobs that no thread has begun are withdrawn;
// discard blocks until the others are computed.
func (b *Batcher) discard() {
	b.pool.withdraw()
	for len(b.line) > 0 {
		if j := b.line[0]; j.submitted {
			_ = b.finish(j)
		}
		b.recycle()
	}
	b.waiting = 0
	b.pool.join()
}

// ValueLogits is the width of the value output: win, draw and loss for the
// side to move.
const ValueLogits = 3

// Batch is the memory of a network's inputs and outputs for up to Cap
// positions of one shape, allocated once. Encoders write into it and the
// runtime reads and writes the same memory; nothing is copied between them.
// A batch belongs to one goroutine at a time.
type Batch struct {
	// Native belongs to the network's backend, for example for its own tensors over
	// this memory. Other code must not use it.
	Native any

	shape   Shape
	cap     int
	n       int
	planes  []float32 // [cap, Planes, Height, Width]
	globals []float32 // [cap, Globals]
	policy  []float32 // [cap, Actions]
	value   []float32 // [cap, ValueLogits]
}

// NewBatch returns an empty batch with room for capacity positions. It panics
// if a dimension of the shape or the capacity is not positive.
func NewBatch(shape Shape, capacity int) *Batch {
	if min(shape.Planes, shape.Height, shape.Width, shape.Globals, shape.Actions, capacity) < 1 {
		panic(fmt.Sprintf("nn: impossible batch: shape %+v, capacity %d", shape, capacity))
	}
	return &Batch{
		shape:   shape,
		cap:     capacity,
		planes:  make([]float32, capacity*shape.PlaneSize()),
		globals: make([]float32, capacity*shape.Globals),
		policy:  make([]float32, capacity*shape.Actions),
		value:   make([]float32, capacity*ValueLogits),
	}
}

// Shape returns the sizes of one row.
func (b *Batch) Shape() Shape { return b.shape }

// Cap returns the number of rows that there is memory for.
func (b *Batch) Cap() int { return b.cap }

// Len returns the number of rows that Forward computes.
func (b *Batch) Len() int { return b.n }

// SetLen sets the number of rows, in 0..Cap. Rows keep what they hold.
func (b *Batch) SetLen(n int) {
	if n < 0 || n > b.cap {
		panic(fmt.Sprintf("nn: %d rows in a batch of %d", n, b.cap))
	}
	b.n = n
}

// Planes returns the input planes of row i, [Planes, Height, Width].
func (b *Batch) Planes(i int) []float32 { return row(b.planes, i, b.shape.PlaneSize()) }

// Globals returns the scalar inputs of row i, [Globals].
func (b *Batch) Globals(i int) []float32 { return row(b.globals, i, b.shape.Globals) }

// Policy returns the policy logits of row i, [Actions].
func (b *Batch) Policy(i int) []float32 { return row(b.policy, i, b.shape.Actions) }

// Value returns the win, draw and loss logits of row i, [ValueLogits].
func (b *Batch) Value(i int) []float32 { return row(b.value, i, ValueLogits) }

func row(data []float32, i, width int) []float32 {
	return data[i*width : (i+1)*width : (i+1)*width]
}

// Rows returns the memory of the first n rows, for the views that a backend has of it.
func (b *Batch) Rows(n int) (planes, globals, policy, value []float32) {
	part := func(data []float32) []float32 { return row(data, 0, len(data)/b.cap*n) }
	return part(b.planes), part(b.globals), part(b.policy), part(b.value)
}

// symmetryBits are the bits of a Tag's Source that hold the symmetry.
const symmetryBits = 0xff

// codec turns positions into rows of batches and rows into results. Tags and
// encoding belong to one goroutine; forward and decode may run on any number
// of batches at once.
type codec struct {
	net    BatchNetwork
	enc    Encoder
	source uint64 // Source of every Tag, without its symmetry
	seed   uint64
	inv    float32 // 1/temperature of the policy
	clock  func() time.Time
}

// newCodec checks that net suits enc.
func newCodec(net BatchNetwork, enc Encoder, o BatcherOptions) (codec, error) {
	if err := net.Check(enc); err != nil {
		return codec{}, err
	}
	return codec{
		net: net, enc: enc,
		source: chain(net.ID(), uint64(math.Float32bits(o.Temperature))) &^ symmetryBits,
		seed:   o.Seed,
		inv:    1 / o.Temperature,
		clock:  o.Clock,
	}, nil
}

// tag returns the Tag of pos.
func (c *codec) tag(pos game.Position) Tag {
	key := c.enc.Key(pos)
	return Tag{Key: key, Source: c.source | uint64(Symmetry(c.seed, key, c.enc.Symmetries()))}
}

// encode writes a position to a row of b, under the symmetry of its tag, and
// appends the actions of its moves.
func (c *codec) encode(pos game.Position, tag Tag, moves []game.Move, b *Batch, row int, actions []int32) []int32 {
	sym := int(tag.Source & symmetryBits)
	c.enc.Encode(pos, sym, b.Planes(row), b.Globals(row))
	for _, m := range moves {
		actions = append(actions, int32(c.enc.Action(pos, m, sym)))
	}
	return actions
}

// forward computes the first n rows of b and returns the time that it took, 0
// without a clock.
func (c *codec) forward(ctx context.Context, b *Batch, n int) (time.Duration, error) {
	b.SetLen(n)
	if c.clock == nil {
		return 0, c.net.Forward(ctx, b)
	}
	start := c.clock()
	err := c.net.Forward(ctx, b)
	return c.clock().Sub(start), err
}

// decode turns the logits of a row into out, whose priors belong to the moves
// with the given actions.
func (c *codec) decode(b *Batch, row int, actions []int32, out *Result) error {
	policy := b.Policy(row)
	for i, action := range actions {
		out.Priors[i] = policy[action]
	}
	if !Softmax(out.Priors, c.inv) {
		return c.notFinite("policy")
	}
	value := [ValueLogits]float32(b.Value(row))
	if !Softmax(value[:], 1) {
		return c.notFinite("value")
	}
	out.Win, out.Draw, out.Loss = value[0], value[1], value[2]
	return nil
}

func (c *codec) notFinite(output string) error {
	return fmt.Errorf("model %s: its %s output is not a finite number: %w", c.net.Name(), output, ErrBroken)
}

// job is a batch in use: from the first position that is encoded into it until a Wait has
// delivered the last one.
type job struct {
	batch   *Batch
	queue   []question // row by row
	actions []int32    // action of every move asked about, the rows one after the other
	taken   int        // results that Wait has delivered

	submitted bool
	computed  bool
	done      chan error // receives the outcome; has room for one
}

// question is a position that waits for its result.
type question struct {
	out   *Result
	first int // index of its first action
}

func newJob(shape Shape, size int) *job {
	return &job{
		batch: NewBatch(shape, size),
		queue: make([]question, 0, size),
		done:  make(chan error, 1),
	}
}

// reset empties the job for its next use.
func (j *job) reset() {
	clear(j.queue)
	j.queue, j.actions = j.queue[:0], j.actions[:0]
	j.taken, j.submitted, j.computed = 0, false, false
}

// left returns how many of its positions wait.
func (j *job) left() int { return len(j.queue) - j.taken }

// add encodes a position into the next row.
func (j *job) add(c *codec, pos game.Position, tag Tag, moves []game.Move, out *Result) {
	j.queue = append(j.queue, question{out, len(j.actions)})
	j.actions = c.encode(pos, tag, moves, j.batch, len(j.queue)-1, j.actions)
}

// compute runs the network on the batch and writes the results of its rows. It cannot be
// cancelled, since waiters need the batch's memory back.
func (j *job) compute(c *codec) (s Stats, err error) {
	s.Batches = 1
	if s.Forward, err = c.forward(context.Background(), j.batch, len(j.queue)); err != nil {
		return s, err
	}
	for row, q := range j.queue {
		actions := j.actions[q.first : q.first+len(q.out.Priors)]
		if err := c.decode(j.batch, row, actions, q.out); err != nil {
			return s, err
		}
	}
	s.Evals = uint64(len(j.queue))
	return s, nil
}

// errWithdrawn is the outcome of a job that was withdrawn before it began.
var errWithdrawn = errors.New("withdrawn")

// pool is a worker pool: it computes jobs, the oldest first, on goroutines of
// its own. It has none while there is nothing to compute.
type pool struct {
	codec *codec
	most  int // goroutines at the same time

	mu      sync.Mutex
	queue   []*job // not begun, oldest first
	workers int    // goroutines now
	stats   Stats
	wg      sync.WaitGroup
}

// submit queues j; its done channel will receive the outcome.
func (p *pool) submit(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, j)
	if p.workers < p.most {
		p.workers++
		p.wg.Go(p.work)
	}
}

// join waits until every goroutine has ended. The queue must be empty.
func (p *pool) join() { p.wg.Wait() }

// work computes one job after the other until none is left.
func (p *pool) work() {
	for {
		p.mu.Lock()
		j := p.next()
		if j == nil {
			p.workers--
		}
		p.mu.Unlock()
		if j == nil {
			return
		}
		p.run(j)
	}
}

// help computes the oldest job of the queue in the caller's goroutine, and reports
// whether there was one.
func (p *pool) help() bool {
	p.mu.Lock()
	j := p.next()
	p.mu.Unlock()
	if j != nil {
		p.run(j)
	}
	return j != nil
}

// next removes and returns the oldest job of the queue, or nil. The pool is locked.
func (p *pool) next() *job {
	if len(p.queue) == 0 {
		return nil
	}
	j := p.queue[0]
	p.queue = p.queue[:copy(p.queue, p.queue[1:])]
	return j
}

// withdraw empties the queue. Its jobs end with errWithdrawn.
func (p *pool) withdraw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, j := range p.queue {
		j.done <- errWithdrawn
	}
	p.queue = p.queue[:0]
}

// run computes a job and reports it.
func (p *pool) run(j *job) {
	s, err := j.compute(p.codec)
	p.mu.Lock()
	p.stats = p.stats.Plus(s)
	p.mu.Unlock()
	j.done <- err
}

// read returns the counts so far.
func (p *pool) read() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}
