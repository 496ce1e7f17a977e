package search

import (
	"context"
	"iter"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/mcts"
)

// Constants of the rounds.
const (
	fixedRounds = 8  // of a search with a bound on playouts
	timedRounds = 16 // of a search with a clock

	// checkShare is the part of the classical half's budget that is kept for the check of
	// the move about to be played.
	checkShare = 0.25

	firstRound    = 64 // playouts of the first round of a search without bounds
	timedStep     = 4  // playouts between two looks at the clock
	mostPreferred = 8  // moves of the tree that the classical half searches first
	advisedPart   = 0.25
)

// rounds is one search by both halves, which meet after each round.
type rounds struct {
	both     *Both
	pos      game.Position
	limits   *engine.Limits
	playouts int   // 0: no bound
	nodes    int64 // 0: no bound
	budget   engine.Budget

	restrict    *mcts.Restriction
	classical   classicalHalf
	started     int  // playouts that the tree may have started so far
	lost        bool // the tree's solver has refuted the classical half's move
	interrupted bool
	ends        time.Time // the whole search, the check included; zero: no clock
	reports     time.Time // the next one is due
}

// think searches, checks and decides.
func (r *rounds) think(ctx context.Context) (*engine.Answer, error) {
	defer r.classical.end()
	whole := ctx
	if r.budget.Hard > 0 {
		r.ends = r.both.tree.opts.Time.Now().Add(r.budget.Hard)
		var cancel context.CancelFunc
		ctx, cancel = r.both.tree.opts.Time.WithDeadline(ctx, r.ends)
		defer cancel()
	}
	if err := r.search(ctx); err != nil {
		return nil, err
	}
	t := r.both.tree
	if r.interrupted {
		if err := t.settle(whole, r.budget, r.restrict); err != nil {
			return nil, err
		}
	} else {
		t.searcher.Audit(ctx)
	}
	return r.decide(ctx)
}

// search runs the rounds. An error is neither the context's nor the clock's.
func (r *rounds) search(ctx context.Context) error {
	t := r.both.tree
	if err := t.advance(r.pos); err != nil {
		return err
	}
	r.reports = t.opts.Time.Now().Add(r.limits.Every)
	l := engine.Limits{Nodes: int64(r.playouts), Restrict: r.limits.Restrict, Seed: r.limits.Seed}
	limits := t.limits(r.pos, &l)
	r.restrict = limits.Restrict
	if r.limits.Every > 0 {
		limits.Progress = r.progress
		if r.both.settings.Threads < 2 {
			r.classical.progress = r.progress
		}
	}
	t.searcher.Begin(ctx, limits)
	r.classical.time = t.opts.Time
	r.classical.begin(ctx, r.both.classical, r.pos, r.nodes, l.Restrict)
	for i := 1; ; i++ {
		err := r.round(ctx, i)
		if err != nil && ctx.Err() == nil {
			return err
		}
		r.interrupted = ctx.Err() != nil
		if r.over(i) {
			break
		}
		if r.both.settings.Exchange {
			r.exchange()
		}
		r.report()
	}
	if !t.searcher.Done() {
		t.searcher.Abandon() // the clock's rounds end in the middle
	}
	return nil
}

// round runs the i-th round of both halves, counted from 1.
func (r *rounds) round(ctx context.Context, i int) error {
	h := &r.classical
	s := &r.both.settings
	var slice [2]time.Duration // of the tree and of the classical half
	switch {
	case !r.ends.IsZero():
		whole := float64(r.budget.Hard) * (1 - r.checkPart()) / timedRounds
		slice = [2]time.Duration{time.Duration(whole), time.Duration(whole)}
		if s.Threads < 2 {
			slice = [2]time.Duration{time.Duration(whole * (1 - s.Share)), time.Duration(whole * s.Share)}
		}
	case r.playouts > 0:
		r.started = r.playouts * min(i, fixedRounds) / fixedRounds
		h.target = max(1, r.mainNodes()*int64(min(i, fixedRounds))/fixedRounds)
	default:
		r.started += max(firstRound, r.started/4)
		h.target = int64(float64(r.started) * s.Share / (1 - s.Share) * s.Rate)
	}
	var err error
	if s.Threads < 2 {
		err = r.grow(ctx, slice[0])
		h.run(slice[1])
		return err
	}
	var group sync.WaitGroup
	group.Go(func() { h.run(slice[1]) })
	err = r.grow(ctx, slice[0])
	group.Wait()
	return err
}

// mainNodes returns the classical half's budget without the check's.
func (r *rounds) mainNodes() int64 {
	if !r.both.settings.Check {
		return r.nodes
	}
	return r.nodes - int64(checkShare*float64(r.nodes))
}

// checkPart returns the part of the time that is kept for the check.
func (r *rounds) checkPart() float64 {
	switch s := &r.both.settings; {
	case !s.Check:
		return 0
	case s.Threads < 2:
		return checkShare * s.Share
	}
	return checkShare / 2
}

// grow runs the tree's part of a round: for a time, or to a number of playouts.
func (r *rounds) grow(ctx context.Context, slice time.Duration) error {
	t := r.both.tree
	if t.searcher.Done() {
		return nil
	}
	if slice == 0 {
		return t.searcher.Continue(ctx, r.started)
	}
	for until := t.opts.Time.Now().Add(slice); !t.searcher.Done() && t.opts.Time.Now().Before(until); {
		r.started += timedStep
		if err := t.searcher.Continue(ctx, r.started); err != nil {
			return err
		}
	}
	return nil
}

// over reports whether there is no round after the i-th.
func (r *rounds) over(i int) bool {
	t, h := r.both.tree, &r.classical
	t.searcher.Result(&t.result)
	switch {
	case r.interrupted, t.result.Proven != mcts.Unknown && t.result.Visits > 0, h.wins():
		return true
	case !r.ends.IsZero() && i >= timedRounds, r.ends.IsZero() && r.playouts > 0 && i >= fixedRounds:
		return true
	}
	return t.searcher.Done() && h.done
}

// left returns how much of the clock's time is left; there is a clock.
func (r *rounds) left() time.Duration { return r.ends.Sub(r.both.tree.opts.Time.Now()) }

// exchange tells each half what the other has found. t.result is the tree's.
func (r *rounds) exchange() {
	t, h := r.both.tree, &r.classical
	if len(h.latest.Lines) > 0 {
		t.searcher.Advise(h.latest.Move, advisedPart)
	}
	h.preferred = h.preferred[:0]
	for i := range t.result.Children {
		if c := &t.result.Children[i]; c.Visits > 0 && c.Proven != mcts.Loss && len(h.preferred) < mostPreferred {
			h.preferred = append(h.preferred, c.Move)
		}
	}
}

// due reports whether it is time for a report.
func (r *rounds) due() bool {
	l := r.limits
	return l.Report != nil && (l.Every == 0 || !r.both.tree.opts.Time.Now().Before(r.reports))
}

// report reports what has been found after a round, if that is due.
func (r *rounds) report() {
	if r.due() {
		r.tell()
	}
}

// progress reports what has been found in the middle of a round, if that is due. It runs
// after each step of the tree's search and, if the halves take turns, after each iteration
// of the classical one.
func (r *rounds) progress() {
	if r.due() {
		r.both.tree.searcher.Result(&r.both.tree.result)
		r.tell()
	}
}

// tell reports what has been found. t.result is the tree's.
func (r *rounds) tell() {
	t, h := r.both.tree, &r.classical
	if len(t.result.Children) == 0 {
		return
	}
	r.reports = t.opts.Time.Now().Add(r.limits.Every)
	h.mu.Lock()
	a := r.answer(r.weigh(h.latest, nil))
	h.mu.Unlock()
	r.limits.Report(a)
}

// classicalHalf is a classical search that pauses between rounds. It runs on the
// goroutine that calls run.
type classicalHalf struct {
	next   func() (struct{}, bool)
	stop   func()
	target int64     // nodes at which to pause; 0: none
	until  time.Time // or when; zero: never
	time   engine.Time

	preferred []game.Move // by the tree
	progress  func()      // is called after each iteration; nil: nothing is called

	mu     sync.Mutex // of latest and values, which a report may read while run goes on
	latest alphabeta.Result
	values map[game.Move]alphabeta.Line // the latest of each move that was the best

	err    error
	done   bool
	cancel context.CancelFunc
}

// begin sets the search up; run starts it.
func (h *classicalHalf) begin(ctx context.Context, c *Classical, pos game.Position, nodes int64, restrict *engine.Restriction) {
	h.values = map[game.Move]alphabeta.Line{}
	ctx, h.cancel = context.WithCancel(ctx)
	l := alphabeta.Limits{Nodes: nodes}
	if restrict != nil {
		side := pos.ToMove()
		l.Barred = func(m game.Move) bool { return restrict.Barred(0, side, m) }
	}
	l.Order = func() []game.Move { return h.preferred }
	l.Progress = func(found alphabeta.Result) {
		h.take(found)
		if h.progress != nil {
			h.progress()
		}
	}
	h.next, h.stop = iter.Pull(func(yield func(struct{}) bool) {
		l.Pause = func(nodes int64) int64 {
			for h.rests(nodes) {
				if !yield(struct{}{}) {
					h.cancel()
					return math.MaxInt64
				}
			}
			return h.nextLook(nodes)
		}
		var r alphabeta.Result
		if r, h.err = c.Search(ctx, pos, l); ctx.Err() != nil {
			h.err = nil
		}
		h.done = true
		if len(r.Lines) > 0 {
			h.take(r)
		}
	})
}

// take notes the result of an iteration.
func (h *classicalHalf) take(r alphabeta.Result) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.latest = r
	h.values[r.Move] = r.Lines[0]
}

// rests reports whether the round is over after so many nodes.
func (h *classicalHalf) rests(nodes int64) bool {
	return h.target > 0 && nodes >= h.target || !h.until.IsZero() && !h.time.Now().Before(h.until)
}

// timedNodes is how many nodes are searched between two looks at the clock.
const timedNodes = 128

// nextLook returns the nodes at which to ask rests again.
func (h *classicalHalf) nextLook(nodes int64) int64 {
	if h.until.IsZero() {
		return h.target
	}
	return nodes + timedNodes
}

// run goes on to the target, or for a time if that is not 0.
func (h *classicalHalf) run(slice time.Duration) {
	if h.done {
		return
	}
	h.until = time.Time{}
	if slice > 0 {
		h.until = h.time.Now().Add(slice)
	}
	h.next()
}

// wins reports whether the search has ended with the claim of a win.
func (h *classicalHalf) wins() bool {
	if !h.done || len(h.latest.Lines) == 0 {
		return false
	}
	_, claimed := h.latest.Score.Claim()
	return claimed && h.latest.Score > 0
}

// end stops the search and returns its result.
func (h *classicalHalf) end() (alphabeta.Result, error) {
	if h.stop != nil {
		h.stop()
		h.cancel()
	}
	return h.latest, h.err
}

// lossOf reports whether the result claims that its side to move loses.
func lossOf(r *alphabeta.Result) bool {
	_, claimed := r.Score.Claim()
	return len(r.Lines) > 0 && claimed && r.Score < 0
}

// childOf returns the tree's entry of a move, nil if it has none.
func childOf(r *mcts.Result, m game.Move) *mcts.Child {
	if i := slices.IndexFunc(r.Children, func(c mcts.Child) bool { return c.Move == m }); i >= 0 {
		return &r.Children[i]
	}
	return nil
}
