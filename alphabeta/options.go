package alphabeta

import (
	"cmp"

	"github.com/carozero/carozero/internal/support/option"
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

	// Improving prunes and reduces less if the evaluation has grown since the same
	// side's last turn, and more if not.
	Improving Switch

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
	o.Improving = cmp.Or(o.Improving, own.Improving)
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
