// Package engine finds moves. An [Engine] thinks about a position within [Limits] and returns
// an [Answer]: [Tree], the PUCT search with a network, or [Classical], the principal
// variation search with solvers beside it. A match, a protocol or a command calls it. Values,
// proofs ([game.Proof]) and time management ([Clock]) mean the same for every search.
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

// Answer is an engine's result. Values are in -1..1 and, like proofs, from the side to
// move's point of view.
type Answer struct {
	Move game.Move // always legal

	Value     float32    // of the best move; Move differs from it only if it was drawn at random
	RootValue float32    // of the position: the mean of all playouts; without playouts, Value
	NetValue  float32    // the network's value of the position; 0 without a network
	Error     float32    // standard error of RootValue; 0 if unknown
	Proof     game.Proof // of the position

	Book string // name of the opening book that Move comes from; "": it was searched

	Line  []game.Move // principal variation, beginning with Move
	Moves []Opinion   // the moves that were judged, best first
	Stats Stats
}

// Opinion is an engine's judgement of one move.
type Opinion struct {
	Move   game.Move
	Visits int     // of the tree search
	Prior  float32 // of the tree search
	Value  float32
	Error  float32     // standard error of Value; 0 if unknown; tree search
	Score  int         // of the classical search, in its own units
	Proof  game.Proof  // of the position, if this move is played
	Depth  int         // of the iteration that judged it; classical search
	Line   []game.Move // from Move on; nil if only Move is known

	// LineVisits are the visits of the positions after each move of Line, 0 for moves known
	// only from a proof; nil unless Limits.Detail asked for them.
	LineVisits []int
}

// Judged reports whether the move was searched or is proven.
func (o *Opinion) Judged() bool {
	return o.Visits > 0 || o.Depth > 0 || o.Proof.Result != game.Unproven
}

// Stats are the costs of an answer. What an engine does not count is 0.
type Stats struct {
	Nodes    int64 // as in Limits
	Depth    int   // mean length of the playouts; iterations of the classical search
	SelDepth int   // plies of the longest path
	Elapsed  time.Duration

	// Of the tree search.
	Visits      int  // of the root, inherited ones included
	Evals       int  // positions given to the network, answers from a cache included
	TreeNodes   int  // in the tree
	SolverCalls int  // in the tree and at its root
	Full        bool // the memory limit stopped the tree's growth

	// Moves played by solvers: at the root for the tree search; in all, and part of Nodes,
	// for the classical one.
	SolverNodes int64

	// Of the classical search.
	QuiescenceNodes int64 // part of Nodes
	Leaves          int64 // positions at the horizon
	TableProbes     int64
	TableHits       int64
	Cutoffs         int64
	FirstCutoffs    int64   // of the cut-offs, by the first move searched
	TableFill       float64 // share
	Branching       float64 // nodes^(1/depth)
}

// HitRate returns the share of table probes that found the position.
func (s *Stats) HitRate() float64 { return share(s.TableHits, s.TableProbes) }

// FirstCutoffRate returns the share of cutoffs by the first move, which measures the move
// ordering.
func (s *Stats) FirstCutoffRate() float64 { return share(s.FirstCutoffs, s.Cutoffs) }

// share returns part of all, 0 of none.
func share(part, all int64) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// NodesPerSecond returns the speed, 0 if no time has passed.
func (s *Stats) NodesPerSecond() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Nodes) / s.Elapsed.Seconds()
}
