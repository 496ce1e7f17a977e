package engine

import (
	"time"

	"github.com/carozero/carozero/game"
)

// Answer is an engine's result. Values are in -1..1 and, like proofs, from the side to
// move's point of view.
type Answer struct {
	Move game.Move // always legal

	Value     float32 // of the best move; Move differs from it only if it was drawn at random
	RootValue float32 // of the position: the mean of all playouts; without playouts, Value
	NetValue  float32 // the network's value of the position; 0 without a network
	Error     float32 // standard error of RootValue; 0 if unknown
	Proof     Proof   // of the position

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
	Proof  Proof       // of the position, if this move is played
	Depth  int         // of the iteration that judged it; classical search
	Line   []game.Move // from Move on; nil if only Move is known

	// LineVisits are the visits of the positions after each move of Line, 0 for moves known
	// only from a proof; nil unless Limits.Detail asked for them.
	LineVisits []int
}

// Judged reports whether the move was searched or is proven.
func (o *Opinion) Judged() bool {
	return o.Visits > 0 || o.Depth > 0 || o.Proof.Result != Unknown
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
