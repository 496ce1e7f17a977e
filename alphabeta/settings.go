package alphabeta

import "github.com/carozero/carozero/internal/support/option"

// Techniques are the settings of the search's techniques, by the keys that users write.
// [Options] documents each field.
var Techniques = []option.Setting[Options]{
	switched("scout", "an empty window for moves after the first", func(o *Options) *Switch { return &o.Scout }),
	option.Switched(option.Technique{
		Key: "aspiration", Help: "half the width of the first window of an iteration, in units of evaluation", Default: defaultAspiration,
	}, func(o *Options) *Score { return &o.Aspiration }),
	switched("quiescence", "noisy moves below the horizon", func(o *Options) *Switch { return &o.Quiescence }),
	switched("history", "order of quiet moves by the cut-offs that they caused", func(o *Options) *Switch { return &o.History }),
	switched("continuation", "the same by the moves one, two and four plies before", func(o *Options) *Switch { return &o.Continuation }),
	switched("improving", "less pruned and reduced where the evaluation has grown; off in onitama unless it is set", func(o *Options) *Switch { return &o.Improving }),
	strength("iir", "least depth at which a node without a move from the table is searched a ply less deep", defaultInternalReduction,
		func(o *Options) *int { return &o.InternalReduction }),
	strength("lmr", "reductions of late quiet moves, in percent; 170 in onitama unless it is set", defaultLateMoves, func(o *Options) *int { return &o.LateMoves }),
	strength("lmp", "largest depth at which late quiet moves are pruned", defaultLatePruning, func(o *Options) *int { return &o.LatePruning }),
	strength("prior", "least depth at which a policy orders the moves, where the judge has one", defaultPriorDepth,
		func(o *Options) *int { return &o.PriorDepth }),
	strength("priorlmr", "by how much less likely than the best a move must be to be reduced by a ply, in hundredths of a natural logarithm",
		defaultPriorReduction, func(o *Options) *int { return &o.PriorReduction }),
	strength("rfp", "largest depth of reverse futility pruning; off in onitama unless it is set", defaultReverseFutility, func(o *Options) *int { return &o.ReverseFutility }),
	switched("threats", "no reverse futility pruning where the side to move faces a threat", func(o *Options) *Switch { return &o.Threats }),
	strength("extensions", "plies by which the moves of a path are searched deeper, together", defaultExtensions,
		func(o *Options) *int { return &o.Extensions }),
	strength("solver", "nodes of each call of the solver", defaultSolverNodes, func(o *Options) *int { return &o.SolverNodes }),
	switched("solver-share", "a bound on the solver's part of all nodes, where the game sets one", func(o *Options) *Switch { return &o.SolverShare }),
}

// switched returns the setting of a technique that is on or off.
func switched(key, help string, field func(*Options) *Switch) option.Setting[Options] {
	return option.Switched(option.Technique{Key: key, Help: help}, field)
}

// strength returns the setting of a technique that has a number.
func strength(key, help string, def int64, field func(*Options) *int) option.Setting[Options] {
	return option.Switched(option.Technique{Key: key, Help: help, Default: def}, field)
}
