package brain

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/gomocup"
)

// ClassicalOptions configure a Classical. The zero value works.
type ClassicalOptions struct {
	Threads  int // that search, where the client names no number; 0: 1
	TableMiB int // where the client says nothing of memory; 0: 64
	Seed     uint64
	Level    engine.Level // the zero value: full strength
}

// defaultTableMiB is the ClassicalOptions.TableMiB that zero means.
const defaultTableMiB = 64

// Classical implements [gomocup.Engine] with the classical search. On one
// thread, with a budget in nodes or depth and without pondering, its moves are a
// function of the options and of what it was asked since the last Forget.
type Classical struct {
	opts     ClassicalOptions
	settings gomocup.Settings // of engine
	engine   *engine.Classical
	fresh    bool // nothing was searched since the last Forget

	last     *alphabeta.Result // of the last Think, for Ponder
	expected *gomoku.Board     // the position after its move
}

var _ gomocup.Engine = (*Classical)(nil)

// NewClassical returns a Classical.
func NewClassical(opts ClassicalOptions) *Classical {
	if opts.TableMiB == 0 {
		opts.TableMiB = defaultTableMiB
	}
	return &Classical{opts: opts}
}

// Forget implements [gomocup.Engine]: it clears the table.
func (c *Classical) Forget() {
	c.last, c.fresh = nil, true
	if c.engine != nil {
		c.engine.Forget()
	}
}

// Configure implements [gomocup.Engine]. A table for which there is no memory
// is an error. A table that changes its size keeps what it knows if there is
// room for both.
func (c *Classical) Configure(s gomocup.Settings) error {
	if c.engine != nil && s == c.settings {
		return nil
	}
	mib := c.tableMiB(s)
	v, err := engine.NewVariant(engine.VariantOptions{Rule: s.Rule, Size: s.Size})
	if err != nil {
		return err
	}
	if c.engine != nil && s.Threads == c.settings.Threads && c.adapt(s, mib) {
		c.settings = s
		return nil
	}
	threads := c.opts.Threads
	if s.Threads > 0 {
		threads = min(s.Threads, engine.MaxThreads)
	}
	c.engine = nil // its table need not stand beside the new one
	e, err := engine.NewClassical(v, engine.ClassicalOptions{
		Search: alphabeta.Options{Threads: threads, TableMiB: mib},
		Level:  c.opts.Level,
	})
	if err != nil {
		return err
	}
	if err := warm(v, e); err != nil {
		return err
	}
	c.engine, c.settings, c.last, c.fresh = e, s, nil, true
	return nil
}

// adapt makes the engine one for other settings that name the same threads, and
// reports whether it could. The search is the same under all rules, on boards of
// all sizes; what it has learned is not.
func (c *Classical) adapt(s gomocup.Settings, mib int) bool {
	resized := mib != c.tableMiB(c.settings)
	if resized && c.engine.Resize(mib) != nil {
		return false
	}
	switch {
	case resized && c.fresh:
		c.engine.Forget() // as in warm
	case !c.fresh && (s.Rule != c.settings.Rule || s.Size != c.settings.Size):
		c.Forget()
	}
	return true
}

// warm has an engine search the start of a game and forget it again, so that
// nothing has to be allocated during a move: the table's memory is taken from
// the machine when it is first written to, which Forget does.
func warm(v engine.Variant, e *engine.Classical) error {
	start, err := v.Start()
	if err != nil {
		return err
	}
	if _, err := e.Search(context.Background(), start, alphabeta.Limits{Nodes: 1}); err != nil {
		return fmt.Errorf("searching %s %dx%d: %w", v.Rule(), v.Size, v.Size, err)
	}
	e.Forget()
	return nil
}

// tableMiB returns the size of the table: what the client named, or half of the
// memory that the program may use, up to mostTableMiB.
func (c *Classical) tableMiB(s gomocup.Settings) int {
	const mostTableMiB = 1024
	switch {
	case s.Table > 0:
		return int(max(s.Table>>20, 1))
	case s.Memory > 0:
		return int(max(min(s.Memory/2>>20, mostTableMiB), 1))
	}
	return c.opts.TableMiB
}

// Think implements [gomocup.Engine].
func (c *Classical) Think(ctx context.Context, board *gomoku.Board, limits gomocup.Limits) (*gomocup.Thought, error) {
	if c.engine == nil {
		return nil, errors.New("no search is set up")
	}
	c.fresh = false
	l := timing(limits.Clock).SearchLimits()
	l.Nodes, l.Depth, l.Lines = int64(limits.Nodes), min(limits.Depth, alphabeta.MaxDepth), limits.Choices
	if limits.Report != nil {
		l.Progress = func(r alphabeta.Result) { limits.Report(classicalThought(&r)) }
	}
	m, r, err := c.engine.Choose(ctx, board, l, c.opts.Seed)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("searching: %w", err)
	}
	c.last = nil
	if m == r.Move {
		c.last, c.expected = &r, board.Clone().(*gomoku.Board)
		c.expected.Play(m)
	}
	t := classicalThought(&r)
	t.Move = m
	return t, nil
}

// timing returns what a client's clock means to the search.
func timing(c gomocup.Clock) alphabeta.Timing {
	return alphabeta.Timing{Turn: c.Turn, Left: c.Left, Increment: c.Increment, Moves: c.Moves}
}

// Ponder implements [gomocup.Engine]: it searches the reply that the last
// search expects. Nothing happens if board is not what that search led to.
func (c *Classical) Ponder(ctx context.Context, board *gomoku.Board) {
	if c.engine == nil || c.last == nil || c.expected.Key() != board.Key() {
		return
	}
	reply := c.last.Reply()
	if reply == game.NoMove {
		return
	}
	// What it finds is in the table; an error could only repeat itself in Think.
	_, _ = c.engine.PonderOn(ctx, board, reply)
}

// classicalThought returns what a result says. A claimed end counts as certain.
func classicalThought(r *alphabeta.Result) *gomocup.Thought {
	t := &gomocup.Thought{
		Move:     r.Move,
		Value:    engine.Value(r.Score),
		Mate:     claimed(r.Score),
		Nodes:    int(r.Stats.Nodes),
		Depth:    r.Depth,
		SelDepth: r.Stats.SelDepth,
		Line:     r.Lines[0].Moves,
	}
	for _, l := range r.Lines {
		t.Choices = append(t.Choices, gomocup.Choice{
			Move: l.Moves[0], Value: engine.Value(l.Score), Mate: claimed(l.Score), Visits: l.Depth, Line: l.Moves,
		})
	}
	return t
}

// claimed returns the plies to a claimed end, negative for a loss, 0 for none.
func claimed(s alphabeta.Score) int {
	plies, ok := s.Claim()
	switch {
	case !ok:
		return 0
	case s > 0:
		return plies
	}
	return -plies
}
