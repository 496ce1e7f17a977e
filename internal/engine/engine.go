// Package engine is the seam between who wants a move and what finds one.
//
// An [Engine] thinks about a position within [Limits] and gives an [Answer]. A
// new way of finding moves is an implementation of Engine; a new way of asking
// for them (a match, a protocol, a command) is a caller. Values, the distance
// of an end that is known ([Proof]), and what a clock allows ([Clock]) mean the
// same on both sides, whatever searches.
package engine

import (
	"context"
	"time"

	"github.com/carozero/carozero/game"
)

// Engine finds moves. One goroutine at a time uses it.
type Engine interface {
	// Think answers for pos, which is undecided and stays the caller's. The end
	// of ctx is a normal end: what is best so far is returned, soon. Without
	// limits only ctx, or a proof, ends it. With limits in nodes or depth alone
	// and on one thread the answer is a function of the engine's options and of
	// what it was asked since Forget.
	Think(ctx context.Context, pos game.Position, limits Limits) (*Answer, error)

	// Ponder thinks about pos, in which the opponent of the last Think is to
	// move and which is undecided, until ctx ends, and returns soon then. What
	// it finds may speed up or change later answers.
	Ponder(ctx context.Context, pos game.Position)

	// Forget drops everything learned from earlier positions.
	Forget()

	// Close ends what goes on and frees what the engine holds.
	Close() error
}

// Limits bound one Think. Zero bounds nothing, and an engine leaves out what
// means nothing to it.
type Limits struct {
	Nodes  int64 // exact: playouts of the tree search, moves played by the classical one
	Visits int64 // that the root has at the end, inherited ones included; tree search
	Depth  int   // the last iteration; classical search
	Lines  int   // how many moves are to be judged, each with its line; 0: 1. The tree search judges all
	Clock  Clock // what is on the clock; the engine plans with it

	// Restrict, unless it is nil, keeps the engine from some moves. What it
	// learned before is forgotten, and so is what it learns.
	Restrict *Restriction

	// Detail asks the tree search for Opinion.Line and LineVisits of every move
	// that was visited.
	Detail bool

	Noise bool   // at the root; tree search
	Seed  uint64 // of the noise, and of a choice among moves that is left to chance

	// Report, unless it is nil, is called now and then, on the goroutine of
	// Think, with what is known so far. The Answer is the callee's to keep.
	Report func(*Answer)

	// Every is about how often Report is called, where it is more than 0 and
	// there is news: the classical search has none until an iteration is over.
	Every time.Duration
}

// Restriction bars moves. What an engine proves holds in the whole game all the
// same; it proves no loss and no draw by looking at some of the moves only.
type Restriction struct {
	// Plies is how far below the position moves are barred: 1 for its own moves
	// alone, which is all that the classical search bars whatever Plies says.
	Plies int

	// Barred reports whether a move of side is barred so many plies below the
	// position. It is a pure function. In a position all of whose moves are barred
	// none is.
	Barred func(ply int, side game.Side, m game.Move) bool
}

// Complete has an engine think for a caller that has no use for what an
// interrupted search knows: the end of ctx is an error.
func Complete(ctx context.Context, e Engine, pos game.Position, limits Limits) (*Answer, error) {
	a, err := e.Think(ctx, pos, limits)
	if err == nil {
		err = ctx.Err()
	}
	return a, err
}
