// Package engine is the interface between callers that want a move and searches that find
// one.
//
// An [Engine] thinks about a position within [Limits] and returns an [Answer]. A new search
// implements Engine; a match, a protocol or a command calls it. Values, proofs ([Proof])
// and time management ([Clock]) mean the same for every search.
package engine

import (
	"context"
	"time"

	"github.com/carozero/carozero/game"
)

// Engine finds moves. It is used by one goroutine at a time.
type Engine interface {
	// Think searches pos, which must not be decided and is not changed. When ctx ends,
	// Think soon returns the best answer so far, without an error. Without limits it runs
	// until ctx ends or the position is proven. With limits on nodes or depth only, and one
	// thread, the answer is a function of the engine's options and of the calls since
	// Forget.
	Think(ctx context.Context, pos game.Position, limits Limits) (*Answer, error)

	// Ponder searches pos, in which the opponent of the last Think is to move and which is
	// not decided, until ctx ends, and then returns soon. Its results may speed up or
	// change later answers.
	Ponder(ctx context.Context, pos game.Position)

	// Forget drops everything learned from earlier positions.
	Forget()

	// Close stops and frees the engine.
	Close() error
}

// Limits limit one Think. Zero means no limit. Engines ignore the fields that do not apply
// to them.
type Limits struct {
	Nodes  int64 // exact: playouts of the tree search, moves played by the classical one; of both, in playouts
	Visits int64 // visits of the root at the end, inherited ones included; tree search
	Depth  int   // the last iteration; classical search
	Lines  int   // how many moves are judged, each with its line; 0: 1. The tree search judges all
	Clock  Clock // the engine plans its time with it

	// Restrict bars moves, unless it is nil. The engine then forgets what it learned
	// before, and afterwards what it learned under the restriction.
	Restrict *Restriction

	// Detail asks the tree search for Opinion.Line and LineVisits of every move
	// that was visited.
	Detail bool

	Noise bool   // at the root; tree search
	Seed  uint64 // of the noise, and of a random choice among moves

	// Report, unless it is nil, receives interim results, on the goroutine of Think. It may
	// keep the Answer.
	Report func(*Answer)

	// Every is about the interval between Reports, if it is more than 0. The classical
	// search reports only after an iteration.
	Every time.Duration
}

// Restriction bars moves. Proofs found under it hold in the whole game: an engine never
// proves a loss or a draw from some of the moves only.
type Restriction struct {
	// Plies is how many plies deep moves are barred: 1 for the position's own moves only,
	// which is all that the classical search supports.
	Plies int

	// Barred reports whether a move of side is barred that many plies below the position.
	// It must be a pure function. In a position whose moves are all barred, none is.
	Barred func(ply int, side game.Side, m game.Move) bool
}

// Complete calls Think for a caller that cannot use an interrupted search: it returns an
// error if ctx ends.
func Complete(ctx context.Context, e Engine, pos game.Position, limits Limits) (*Answer, error) {
	a, err := e.Think(ctx, pos, limits)
	if err == nil {
		err = ctx.Err()
	}
	return a, err
}
