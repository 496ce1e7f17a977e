package mcts

import (
	"context"

	"github.com/carozero/carozero/game"
)

// meter is a Solver that counts and times the calls of another one.
type meter struct {
	Solver
	clock func() int64 // nil: no time is measured
	usage *usage
}

// usage is the number of calls of a Solver and the time that they took.
type usage struct {
	calls int
	nanos int64
}

// Leaf implements [Solver].
func (m *meter) Leaf(ctx context.Context, pos game.Position) Solution {
	begin := m.now()
	w := m.Solver.Leaf(ctx, pos)
	m.add(begin)
	return w
}

// Root implements [Solver].
func (m *meter) Root(ctx context.Context, pos game.Position) Solution {
	begin := m.now()
	w := m.Solver.Root(ctx, pos)
	m.add(begin)
	return w
}

// Refute implements [Solver].
func (m *meter) Refute(ctx context.Context, pos game.Position, moves []game.Move, after []Solution) {
	begin := m.now()
	m.Solver.Refute(ctx, pos, moves, after)
	m.add(begin)
}

// Audit implements [Solver].
func (m *meter) Audit(ctx context.Context, pos game.Position, move game.Move) Solution {
	begin := m.now()
	w := m.Solver.Audit(ctx, pos, move)
	m.add(begin)
	return w
}

// now reads the clock, if there is one.
func (m *meter) now() int64 {
	if m.clock == nil {
		return 0
	}
	return m.clock()
}

// add counts a call that began at a time.
func (m *meter) add(begin int64) {
	m.usage.calls++
	m.usage.nanos += m.now() - begin
}
