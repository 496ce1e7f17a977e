package alphabeta

import (
	"cmp"
	"fmt"

	"github.com/carozero/carozero/internal/option"
)

// Off, in a field of Options, switches its technique off.
const Off = option.Off

// Switch is a technique without a parameter: the zero value is on.
type Switch int8

// On reports whether the technique is used.
func (s Switch) On() bool { return s >= 0 }

// Options steer a search. The zero value is ready to use; every field says
// what zero stands for, unless the game's Techniques say otherwise. A field that is a
// technique is switched off by Off.
type Options struct {
	// Threads is the number of threads that search. Zero means 1; only with
	// one thread are the results of a search reproducible.
	Threads int

	// TableMiB is the size of the transposition table in MiB. Zero means 16.
	TableMiB int

	// Clock returns the time in nanoseconds since any fixed moment. Limits in
	// time need it. All threads call it.
	Clock func() int64

	// Scout searches moves after the first with an empty window, and again
	// only if they turn out better (principal variation search).
	Scout Switch

	// Aspiration is how far from the last iteration's score, to both sides,
	// the window of the next one reaches at first, in units of evaluation.
	// Zero means 40.
	Aspiration Score

	// Quiescence searches noisy moves below the horizon, if the game lists any. Without it
	// a leaf is worth its evaluation.
	Quiescence Switch

	// History and Continuation learn which quiet moves cause cutoffs: anywhere,
	// and after the same moves one, two and four plies before.
	History, Continuation Switch

	// InternalReduction is the least depth at which a node without a move
	// from the table is searched a ply less deep. Zero means 4.
	InternalReduction int

	// LateMoves is the strength of the reductions of late quiet moves, in
	// percent. Zero means 100.
	LateMoves int

	// LatePruning is the largest depth at which late quiet moves are not
	// searched at all. Zero means 30.
	LatePruning int

	// PriorDepth is the least depth at which the moves of a node are rated by the
	// Prior, if the game has one. Zero means 2.
	PriorDepth int

	// PriorReduction is how far behind the best a move's log probability by the Prior
	// must be for each ply of reduction, in hundredths of a natural logarithm. Zero
	// means 300.
	PriorReduction int

	// ReverseFutility is the largest depth at which a node is pruned because its
	// evaluation is above beta by more than the margin. Zero means 6.
	ReverseFutility int

	// Threats exempts nodes from ReverseFutility if the side to move faces a threat
	// that the margin does not cover; see Evaluation.Quiet.
	Threats Switch

	// Extensions bounds the extensions on one path, in plies. Zero means 16.
	Extensions int

	// SolverNodes bounds the nodes of each call of the Solver. Zero means 200.
	SolverNodes int

	// SolverShare keeps all calls of the Solver together within the part of a search that
	// Heuristics.SolverShare leaves it.
	SolverShare Switch
}

// Defaults of the zero Options.
const (
	defaultTableMiB          = 16
	defaultAspiration        = 40
	defaultInternalReduction = 4
	defaultLateMoves         = 100
	defaultLatePruning       = 30
	defaultPriorDepth        = 2
	defaultPriorReduction    = 300
	defaultReverseFutility   = 6
	defaultExtensions        = 16
	defaultSolverNodes       = 200
)

// WithDefaults returns o with each zero replaced by what it stands for in g.
func (o Options) WithDefaults(g Game) Options {
	own := g.Techniques()
	o.Threads = max(1, o.Threads)
	o.TableMiB = cmp.Or(o.TableMiB, defaultTableMiB)
	o.Scout = cmp.Or(o.Scout, own.Scout)
	o.Aspiration = cmp.Or(o.Aspiration, own.Aspiration, defaultAspiration)
	o.Quiescence = cmp.Or(o.Quiescence, own.Quiescence)
	o.History = cmp.Or(o.History, own.History)
	o.Continuation = cmp.Or(o.Continuation, own.Continuation)
	o.InternalReduction = cmp.Or(o.InternalReduction, own.InternalReduction, defaultInternalReduction)
	o.LateMoves = cmp.Or(o.LateMoves, own.LateMoves, defaultLateMoves)
	o.LatePruning = cmp.Or(o.LatePruning, own.LatePruning, defaultLatePruning)
	o.PriorDepth = cmp.Or(o.PriorDepth, own.PriorDepth, defaultPriorDepth)
	o.PriorReduction = cmp.Or(o.PriorReduction, own.PriorReduction, defaultPriorReduction)
	o.ReverseFutility = cmp.Or(o.ReverseFutility, own.ReverseFutility, defaultReverseFutility)
	o.Threats = cmp.Or(o.Threats, own.Threats)
	o.Extensions = cmp.Or(o.Extensions, own.Extensions, defaultExtensions)
	o.SolverNodes = cmp.Or(o.SolverNodes, own.SolverNodes, defaultSolverNodes)
	o.SolverShare = cmp.Or(o.SolverShare, own.SolverShare)
	return o
}

// Exhaustive returns o without selective techniques: no reductions, no pruning by
// margins, no extensions. A search then has the value of plain minimax to the same
// depth, except where the table knows a position to a greater depth.
func (o Options) Exhaustive() Options {
	o.InternalReduction, o.LateMoves, o.LatePruning = Off, Off, Off
	o.ReverseFutility, o.Extensions = Off, Off
	return o
}

// Techniques are the settings of the search's techniques, by the keys that users write.
// [Options] documents each field.
var Techniques = []option.Setting[Options]{
	switched("scout", "an empty window for moves after the first", func(o *Options) *Switch { return &o.Scout }),
	option.Switched(option.Technique{
		Key: "aspiration", Help: "half the width of the first window of an iteration, in units of evaluation",
		Default: defaultAspiration,
	}, func(o *Options) *Score { return &o.Aspiration }),
	switched("quiescence", "noisy moves below the horizon", func(o *Options) *Switch { return &o.Quiescence }),
	switched("history", "order of quiet moves by the cut-offs that they caused",
		func(o *Options) *Switch { return &o.History }),
	switched("continuation", "the same by the moves one, two and four plies before",
		func(o *Options) *Switch { return &o.Continuation }),
	strength("iir", "least depth at which a node without a move from the table is searched a ply less deep",
		defaultInternalReduction,
		func(o *Options) *int { return &o.InternalReduction }),
	strength("lmr", "reductions of late quiet moves, in percent; 170 in onitama unless it is set", defaultLateMoves,
		func(o *Options) *int { return &o.LateMoves }),
	strength("lmp", "largest depth at which late quiet moves are pruned", defaultLatePruning,
		func(o *Options) *int { return &o.LatePruning }),
	strength("prior", "least depth at which a policy orders the moves, where the judge has one", defaultPriorDepth,
		func(o *Options) *int { return &o.PriorDepth }),
	strength("priorlmr", "by how much less likely than the best a move must be to be reduced by a ply, in "+
		"hundredths of a natural logarithm",
		defaultPriorReduction, func(o *Options) *int { return &o.PriorReduction }),
	strength("rfp", "largest depth of reverse futility pruning; off in onitama unless it is set", defaultReverseFutility,
		func(o *Options) *int { return &o.ReverseFutility }),
	switched("threats", "no reverse futility pruning where the side to move faces a threat",
		func(o *Options) *Switch { return &o.Threats }),
	strength("extensions", "plies by which the moves of a path are searched deeper, together", defaultExtensions,
		func(o *Options) *int { return &o.Extensions }),
	strength("solver", "nodes of each call of the solver", defaultSolverNodes,
		func(o *Options) *int { return &o.SolverNodes }),
	switched("solver-share", "a bound on the solver's part of all nodes, where the game sets one",
		func(o *Options) *Switch { return &o.SolverShare }),
}

// switched returns the setting of a technique that is on or off.
func switched(key, help string, field func(*Options) *Switch) option.Setting[Options] {
	return option.Switched(option.Technique{Key: key, Help: help}, field)
}

// strength returns the setting of a technique that has a number.
func strength(key, help string, def int64, field func(*Options) *int) option.Setting[Options] {
	return option.Switched(option.Technique{Key: key, Help: help, Default: def}, field)
}

// Score is the worth of a position to its side to move, in the evaluation's
// own units, or a claim that one side wins within a number of plies.
type Score int32

// Bounds of scores. Evaluations lie within -MaxEval..MaxEval; a draw is 0; a
// win in n plies, n at most MaxClaim, is Win-n, and a loss in n plies n-Win.
const (
	MaxEval  Score = 30000
	Win      Score = 32000
	MaxClaim       = 1000

	infinity Score = Win + 1
	leastWin       = Win - MaxClaim
)

// WinIn returns the score of a win that ends the game in that many plies.
func WinIn(plies int) Score { return Win - Score(plies) }

// LossIn returns the score of a loss that ends the game in that many plies.
func LossIn(plies int) Score { return Score(plies) - Win }

// Claim reports whether s claims a win (s > 0) or a loss (s < 0), and in how
// many plies. A claim is not a proof; see the package comment.
func (s Score) Claim() (plies int, ok bool) {
	switch {
	case s >= leastWin:
		return int(Win - s), true
	case s <= -leastWin:
		return int(s + Win), true
	}
	return 0, false
}

// decided reports whether s is a claim.
func (s Score) decided() bool { return s >= leastWin || s <= -leastWin }

// lost reports whether s claims a loss. It holds for -infinity too.
func (s Score) lost() bool { return s <= -leastWin }

// String returns "win in 5", "loss in 4" or the number with its sign.
func (s Score) String() string {
	plies, ok := s.Claim()
	switch {
	case !ok:
		return fmt.Sprintf("%+d", int32(s))
	case s > 0:
		return fmt.Sprintf("win in %d", plies)
	}
	return fmt.Sprintf("loss in %d", plies)
}

// fromNode turns a score whose claims count plies from a node into one that
// counts them from the root, ply plies above.
func (s Score) fromNode(ply int) Score {
	switch {
	case s >= leastWin:
		return s - Score(ply)
	case s <= -leastWin:
		return s + Score(ply)
	}
	return s
}

// toNode is the reverse of fromNode.
func (s Score) toNode(ply int) Score {
	switch {
	case s >= leastWin:
		return s + Score(ply)
	case s <= -leastWin:
		return s - Score(ply)
	}
	return s
}
