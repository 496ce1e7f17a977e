package bench

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/nn"
)

// NN is the raw speed of a network.
type NN struct {
	Model     string  `json:"model"`
	Batch     int     `json:"batch"`
	Threads   int     `json:"threads"`
	Sessions  int     `json:"sessions"`
	EvalsPerS float64 `json:"evals_per_s"`
}

// MeasureNN times a network alone: threads goroutines on one session, batches
// of the given size, for about the given time. A network that answers at once has
// no batches: each goroutine asks for the positions behind a move, one by one.
func MeasureNN(ctx context.Context, net *networks.Net, batch, threads int, d time.Duration) (*NN, error) {
	if net.Trained() && net.Batches() == nil {
		return measureAtOnce(ctx, net, threads, d)
	}
	raw, err := newRawMeter(ctx, net, batch, threads)
	if err != nil {
		return nil, err
	}
	if err := raw.run(ctx, d); err != nil {
		return nil, err
	}
	return &NN{Model: net.Name, Batch: batch, Threads: threads, Sessions: 1, EvalsPerS: raw.total.PerSecond()}, nil
}

// rawMeter times the network alone in slices, between slices of other work.
type rawMeter struct {
	net      nn.BatchNetwork
	enc      nn.Encoder
	opts     nn.RawOptions
	perRound time.Duration
	total    nn.RawResult
}

// newRawMeter warms the network up and learns how long a round takes.
func newRawMeter(ctx context.Context, net *networks.Net, batch, threads int) (*rawMeter, error) {
	if net.Batches() == nil {
		return nil, fmt.Errorf("model %s: there is no network to measure; name one with --model", net.Name)
	}
	enc, err := nn.EncoderFor(net.Batches(), net.Variant())
	if err != nil {
		return nil, err
	}
	m := &rawMeter{net: net.Batches(), enc: enc, opts: nn.RawOptions{
		Batch: batch, Threads: threads, Rounds: 4, Warmup: 2, Clock: time.Now,
	}}
	r, err := nn.MeasureRaw(ctx, m.net, m.enc, m.opts)
	if err != nil {
		return nil, err
	}
	m.perRound = max(r.Elapsed/4, time.Microsecond)
	m.opts.Warmup = 1
	return m, nil
}

// run measures for about the given time and adds to the total; a nil meter does nothing.
func (m *rawMeter) run(ctx context.Context, d time.Duration) error {
	if m == nil {
		return nil
	}
	m.opts.Rounds = max(int(d/m.perRound), 1)
	r, err := nn.MeasureRaw(ctx, m.net, m.enc, m.opts)
	if err != nil {
		return err
	}
	m.total = m.total.Plus(r)
	return nil
}

// measureAtOnce times a network that answers at once.
func measureAtOnce(ctx context.Context, net *networks.Net, threads int, d time.Duration) (*NN, error) {
	list, err := positions(net.Variant())
	if err != nil {
		return nil, err
	}
	form := net.Form(games.SolverNodes{})
	evals := make([]uint64, threads)
	evaluators := make([]nn.Evaluator, threads)
	for i := range evaluators {
		if evaluators[i], err = net.Evaluator(nn.EvaluatorOptions{Capacity: 1, Threads: 1}); err != nil {
			return nil, err
		}
	}
	var group errgroup.Group
	began := time.Now()
	for i, eval := range evaluators {
		group.Go(func() error {
			for more := true; more; more = time.Since(began) < d {
				for _, pos := range list {
					askChildren(form(pos), eval)
				}
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			evals[i] = eval.Stats().Evals
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	total := uint64(0)
	for _, n := range evals {
		total += n
	}
	return &NN{Model: net.Name, Batch: 1, Threads: threads, Sessions: threads, EvalsPerS: float64(total) / time.Since(began).Seconds()}, nil
}

// askChildren asks for the position behind each move, as a search does.
func askChildren(pos game.Position, eval nn.Evaluator) {
	moves := pos.Moves(nil)
	next := make([]game.Move, 0, len(moves))
	priors := make([]float32, len(moves))
	for _, m := range moves {
		pos.Play(m)
		if next = pos.Moves(next[:0]); len(next) > 0 {
			eval.Add(pos, nn.Tag{}, next, &nn.Result{Priors: priors[:len(next)]})
		}
		pos.Undo()
	}
}
