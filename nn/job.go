package nn

import (
	"context"

	"github.com/carozero/carozero/game"
)

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
