package nn

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/game"
)

// Stream is an [Evaluator] that computes while its caller goes on.
type Stream interface {
	Evaluator

	// Streams reports whether anything is gained by Next: whether there are
	// threads or a device beside the caller's goroutine.
	Streams() bool

	// Next blocks until the answer of the position that has waited longest is
	// written. The others go on being computed. Its errors mean what those of
	// Run mean.
	Next(ctx context.Context) error
}

// Pipeline is the [Stream] in front of a [Network], for one search that keeps
// many positions waiting. Add encodes a position at once into a batch; a batch
// that is full, or that Next wants, is computed by one of Threads threads. One of
// them is the caller's, which computes batches while Next waits, so that no more
// threads than that want a core; the others are goroutines that are gone when
// nothing is left to compute. With FixedBatch, that is on a device, all are
// goroutines: the caller encodes while the device computes. With as many
// positions waiting as fill two batches a thread, no thread ever idles: one
// batch is computed while the answers of the other lead to new positions.
//
// Results are a pure function of the position, the network, and the options
// Seed, Symmetry and Temperature; on devices whose arithmetic depends on the
// shape of the batch, only with FixedBatch.
type Pipeline struct {
	coder
	crew     crew
	capacity int
	size     int  // of a batch
	helps    bool // the caller computes as well

	line    []*flight // batches that hold positions, oldest first
	spare   []*flight
	waiting int
}

// flight is a batch on its way.
type flight struct {
	batch   *Batch
	queue   []queued // row by row
	actions []int32  // action of every queued move, the rows one after the other
	taken   int      // rows that Next has passed on
	sent    bool     // the crew has it
	landed  bool     // its results are there
	done    chan error
}

// NewPipeline returns a Pipeline that owns enc and uses net, which it does not
// close. MaxBatch is the size of a batch; zero means 1, which is best on a CPU.
// It fails if net does not suit enc or an option has no meaning.
func NewPipeline(net Network, enc Encoder, o BatcherOptions) (*Pipeline, error) {
	code, err := newCoder(net, enc, o)
	if err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	p := &Pipeline{coder: code, capacity: orDefault(o.Capacity, DefaultCapacity)}
	p.size = min(orDefault(o.MaxBatch, 1), p.capacity)
	p.crew.most = orDefault(o.Threads, 1)
	if !o.FixedBatch {
		p.helps = true
		p.crew.most--
	}
	return p, nil
}

// Capacity implements [Evaluator].
func (p *Pipeline) Capacity() int { return p.capacity }

// Streams implements [Stream].
func (p *Pipeline) Streams() bool { return true }

// Stats returns what was counted so far.
func (p *Pipeline) Stats() Stats { return p.crew.read() }

// Add implements [Evaluator]; the answer always waits.
func (p *Pipeline) Add(pos game.Position, moves []game.Move, out *Result) bool {
	if p.waiting == p.capacity {
		panic(fmt.Sprintf("nn: more than %d positions added before an answer was taken", p.capacity))
	}
	mustFit(out, moves)
	f := p.open()
	row := len(f.queue)
	f.queue = append(f.queue, queued{out, len(f.actions)})
	f.actions = p.encode(pos, moves, f.batch, row, f.actions)
	p.waiting++
	if len(f.queue) == p.size {
		p.send(f)
	}
	return false
}

// open returns the batch that the next position goes into.
func (p *Pipeline) open() *flight {
	if n := len(p.line); n > 0 && !p.line[n-1].sent {
		return p.line[n-1]
	}
	var f *flight
	if n := len(p.spare); n > 0 {
		f, p.spare = p.spare[n-1], p.spare[:n-1]
	} else {
		f = &flight{batch: NewBatch(p.enc.Shape(), p.size), queue: make([]queued, 0, p.size), done: make(chan error, 1)}
	}
	p.line = append(p.line, f)
	return f
}

// send hands a batch to the crew.
func (p *Pipeline) send(f *flight) {
	f.sent = true
	p.crew.take(&p.coder, f)
}

// Next implements [Stream].
func (p *Pipeline) Next(ctx context.Context) error {
	if err := ctx.Err(); err != nil || p.waiting == 0 {
		p.drop()
		return err
	}
	f := p.line[0]
	if !f.sent {
		p.send(f)
	}
	if !f.landed {
		err := p.land(f)
		f.landed = true
		if err != nil {
			p.drop()
			return err
		}
	}
	f.taken++
	p.waiting--
	if f.taken == len(f.queue) {
		p.retire()
	}
	if p.waiting == 0 {
		p.crew.rest()
	}
	return nil
}

// land waits until a batch that was sent has been computed, and helps.
func (p *Pipeline) land(f *flight) error {
	for p.helps {
		select {
		case err := <-f.done:
			return err
		default:
		}
		if !p.crew.help(&p.coder) {
			break
		}
	}
	return <-f.done
}

// retire makes the oldest batch, all of whose results were taken, a spare one.
func (p *Pipeline) retire() {
	f := p.line[0]
	p.line = p.line[:copy(p.line, p.line[1:])]
	clear(f.queue)
	f.queue, f.actions = f.queue[:0], f.actions[:0]
	f.taken, f.sent, f.landed = 0, false, false
	p.spare = append(p.spare, f)
}

// drop forgets everything that waits, once no thread works on it any more.
func (p *Pipeline) drop() {
	for len(p.line) > 0 {
		if f := p.line[0]; f.sent && !f.landed {
			_ = p.land(f)
		}
		p.retire()
	}
	p.waiting = 0
	p.crew.rest()
}

// Run implements [Evaluator].
func (p *Pipeline) Run(ctx context.Context) error {
	for p.waiting > 0 {
		if err := p.Next(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}
