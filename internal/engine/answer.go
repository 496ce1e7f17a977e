package engine

import (
	"time"

	"github.com/carozero/carozero/game"
)

// Answer is what an engine has found. Values are in -1..1 and, like proofs,
// stated for the side to move.
type Answer struct {
	Move game.Move // always legal

	Value     float32 // of the best move, which Move is unless a choice was left to chance
	RootValue float32 // of the position: the mean of all playouts; Value where there are none
	NetValue  float32 // of the position as the network sees it; 0 where none looked
	Error     float32 // standard error of RootValue; 0 where there is none
	Proof     Proof   // of the position

	Line  []game.Move // what is expected, from Move on
	Moves []Opinion   // the moves that were judged, best first
	Stats Stats
}

// Opinion is what an engine says of one move.
type Opinion struct {
	Move   game.Move
	Visits int     // of the tree search
	Prior  float32 // likewise
	Value  float32
	Error  float32     // standard error of Value; 0 where there is none; tree search
	Score  int         // of the classical search, in its own units
	Proof  Proof       // of the position, if this move is played
	Depth  int         // of the iteration that judged it; classical search
	Line   []game.Move // from Move on; nil if only Move is known

	// LineVisits are the visits of the positions after each move of Line, 0 where
	// only a proof knows the move; nil unless Limits.Detail asked for them.
	LineVisits []int
}

// Judged reports whether the move was looked at, or is decided.
func (o *Opinion) Judged() bool {
	return o.Visits > 0 || o.Depth > 0 || o.Proof.Result != Unknown
}

// Stats say what an answer took. What an engine does not count is 0.
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
	Full        bool // the bound on memory stopped the tree's growth

	// Moves played by solvers: at the root of a tree, or in all, which are part
	// of Nodes then.
	SolverNodes int64

	// Of the classical search.
	QuiescenceNodes int64 // part of Nodes
	TableProbes     int64
	TableHits       int64
	Cutoffs         int64
	FirstCutoffs    int64   // of the cut-offs, by the first move searched
	TableFill       float64 // share
	Branching       float64 // nodes^(1/depth)
}

// HitRate returns the share of table probes that found the position.
func (s *Stats) HitRate() float64 { return share(s.TableHits, s.TableProbes) }

// FirstCutoffRate returns the share of cut-offs by the first move: how good the
// order of moves is.
func (s *Stats) FirstCutoffRate() float64 { return share(s.FirstCutoffs, s.Cutoffs) }

// share returns part of all, 0 of none.
func share(part, all int64) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// NodesPerSecond returns the speed, 0 if no time was taken.
func (s *Stats) NodesPerSecond() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Nodes) / s.Elapsed.Seconds()
}
