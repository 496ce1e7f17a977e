package selfplay

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// finished is what a worker hands over: a game that is over, and what it has
// counted so far; and in the end, without a game, how many it gave up.
type finished struct {
	worker int
	record *samples.Record
	work   work
	lost   int
}

// work is what a worker has counted.
type work struct {
	stats nn.Stats // of its evaluator
	nodes int64    // of its teacher
}

// worker plays the games that it is dealt, several at a time over one evaluator.
type worker struct {
	number  int
	setup   *Setup
	opts    *Options
	deal    *dealer
	eval    nn.Evaluator // nil with a teacher
	teacher Teacher      // nil without
	plays   []*play
	waiting []*play
	deliver func(finished) // may block
}

// newWorker makes the worker's own parts: a teacher, or evaluator, solver and
// searchers. With a teacher it plays one game after the other; else it keeps
// atOnce games under way, fewer if they do not fit the evaluator.
func newWorker(number int, setup *Setup, opts *Options, deal *dealer, atOnce int, deliver func(finished)) (*worker, error) {
	w := &worker{number: number, setup: setup, opts: opts, deal: deal, deliver: deliver}
	enc := setup.Encoder.Clone()
	var err error
	if setup.Teacher != nil {
		if w.teacher, err = setup.Teacher(number); err != nil {
			return nil, err
		}
		w.plays = []*play{newPlay(setup, opts, newTeacherJudge(&opts.Teacher, w.teacher), &teacherBalance{teacher: w.teacher}, enc)}
		return w, nil
	}
	if w.eval, err = setup.Evaluator(number); err != nil {
		return nil, err
	}
	fit := w.eval.Capacity() / opts.Search.InFlight
	var solver mcts.Solver
	if setup.Solver != nil {
		solver = setup.Solver(number)
	}
	for range max(1, min(atOnce, fit, opts.Games)) {
		w.plays = append(w.plays, newPlay(setup, opts, newTreeJudge(opts, w.eval, solver), &netBalance{eval: w.eval}, enc))
	}
	return w, nil
}

// work returns what the worker has counted so far.
func (w *worker) work() work {
	if w.teacher != nil {
		return work{nodes: w.teacher.Nodes()}
	}
	return work{stats: w.eval.Stats()}
}

// run plays all games of the worker. It returns early with the context's or
// the evaluator's error; games under way are lost then.
func (w *worker) run(ctx context.Context) error {
	for {
		w.waiting = w.waiting[:0]
		for _, p := range w.plays {
			waits, err := w.advance(ctx, p)
			if err != nil {
				return err
			}
			if waits {
				w.waiting = append(w.waiting, p)
			}
		}
		if len(w.waiting) == 0 {
			return nil
		}
		if err := w.eval.Wait(ctx, nn.All); err != nil {
			return fmt.Errorf("selfplay: evaluation: %w", err)
		}
		for _, p := range w.waiting {
			p.absorb()
		}
	}
}

// advance brings p to where it waits for the evaluator, through the ends of
// games and the starts of others, and reports whether it waits; if not, no
// game is left for it.
func (w *worker) advance(ctx context.Context, p *play) (waits bool, err error) {
	for {
		if waits, err = p.step(ctx); waits || err != nil {
			return waits, err
		}
		if p.phase == over {
			w.deliver(finished{worker: w.number, record: p.finish(), work: w.work()})
		}
		id, ok := w.deal.next(w.underWay())
		if !ok {
			return false, nil
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := p.newGame(id); err != nil {
			return false, fmt.Errorf("game %d: %w", id, err)
		}
	}
}

// underWay returns how many games have begun and are not over.
func (w *worker) underWay() (n int) {
	for _, p := range w.plays {
		if p.phase == opening || p.phase == searching {
			n++
		}
	}
	return n
}
