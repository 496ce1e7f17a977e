package mcts

import (
	"cmp"

	"github.com/carozero/carozero/game"
)

// Options steer a search. The zero value is ready to use; every field says
// what zero stands for. Where a setting can be switched off, a negative value
// does it.
type Options struct {
	// InFlight is the number k of playouts under way at once: playout i+k is
	// selected after exactly the results up to i have been backed up. It is
	// part of the algorithm and changes the tree. Zero means 2.
	InFlight int

	// CInit and CBase are the constants of the exploration factor
	// c(N) = ln((1+N+CBase)/CBase) + CInit. Zero means 1.25 and 19652, the
	// values of AlphaZero.
	CInit, CBase float32

	// Spread is the weight, at most 1, of the standard deviation of a node's values
	// in its exploration: with 1, exploration is proportional to it (see doc.go).
	// Zero means 0.5; negative switches this off.
	Spread float32

	// FPUReduction is how much worse than its parent, in units of value, an
	// unvisited child is assumed to be once all prior mass has been visited; before,
	// it grows with the square root of the visited mass. RootFPUReduction is the same
	// at the root. Zero means 0.2 and 0.1; negative means none.
	FPUReduction, RootFPUReduction float32

	// Stride is for how many playouts in a row at most the search keeps to a move once
	// it has been chosen, as a share of the visits that the move has; see stay.go. It
	// is for evaluators that are [nn.Instant] and ignored with others. Zero means 0.35;
	// negative means that every playout chooses anew from the root on.
	Stride float32

	// NoiseTotal is the sum of the Dirichlet parameters that the legal moves
	// of the root share, NoiseFraction the noise's part in the prior. Zero
	// means 10.83 and 0.25; a negative fraction means none. Noise is used by
	// searches whose Limits ask for it.
	NoiseTotal, NoiseFraction float64

	// LCB is the number of standard errors below the mean of the lower confidence
	// bound by which the best move is chosen, among the moves with at least a seventh
	// of the most visits (KataGo: Wu, "Other methods implemented in KataGo", 2020;
	// after Auer et al., "Finite-time analysis of the multiarmed bandit
	// problem", 2002). Zero means 2; negative means that the most visited move
	// is the best.
	LCB float32

	// EarlyStop ends a search once the remaining playouts cannot change which
	// move has the most visits; see Result.Stopped. Self-play is better without it,
	// since visits are its target.
	EarlyStop bool

	// Memory bounds the bytes in use by the tree and by the copy made after Advance.
	// When it is reached the tree stops growing and the search continues within it;
	// see Result.Full. Zero means 2 GiB. Memory is allocated as the tree grows.
	Memory int64

	// Resistance, if not nil, orders moves that are proven to lose equally late. It
	// sets ranks[i] to how much the i-th of the moves, legal in pos, removes of what
	// the opponent threatens, 0 for nothing, and leaves pos unchanged. It must be a
	// pure function. It affects the order of a Result only, not the search.
	Resistance func(pos game.Position, moves []game.Move, ranks []int8) `json:"-"`

	// Clock, if not nil, returns the time in nanoseconds since any fixed moment. It
	// only measures the solver; see Result.SolverNanos.
	Clock func() int64 `json:"-"`
}

// Limits bound one search.
type Limits struct {
	// Playouts bounds the playouts that the search adds, Visits the root's visits
	// at the end, inherited ones included. Zero means no bound; with both zero only a
	// proof or the context ends the search.
	Playouts, Visits int

	// Noise mixes Dirichlet noise into the priors of the root, drawn from
	// Seed.
	Noise bool
	Seed  uint64

	// Forced is the k of forced playouts at the root; 0: none are forced. KataGo
	// has 2. It goes with Noise; Searcher.Prune takes them out of the visits.
	Forced float32

	// Gumbel distributes the playouts of the root by sequential halving, with numbers
	// drawn from Seed; Searcher.Choice returns the move. It needs a bound on playouts
	// or visits, ignores Forced and Options.EarlyStop, and excludes Noise.
	Gumbel Gumbel

	// Restrict, unless nil, excludes moves from the search. The tree must be used for
	// this search only: call SetPosition before and after. It excludes Gumbel.
	Restrict *Restriction

	// Progress, unless nil, is called by Search after each wait for the evaluator, and
	// after at most 64 playouts that needed none; it may call Result.
	Progress func()
}

// Defaults of the zero Options.
const (
	defaultInFlight         = 2
	defaultCInit            = 1.25
	defaultCBase            = 19652
	defaultSpread           = 0.5
	defaultFPUReduction     = 0.2
	defaultRootFPUReduction = 0.1
	defaultStride           = 0.35
	defaultNoiseTotal       = 10.83
	defaultNoiseFraction    = 0.25
	defaultLCB              = 2
	defaultMemory           = 2 << 30

	// mostMemory keeps every index within 32 bits.
	mostMemory = 32 << 30
)

// WithDefaults returns o with each zero replaced by what it stands for, as a
// search uses it.
func (o Options) WithDefaults() Options { return o.withDefaults() }

// withDefaults returns o with each zero replaced by what it stands for.
func (o Options) withDefaults() Options {
	o.InFlight = max(1, cmp.Or(o.InFlight, defaultInFlight))
	o.CInit = cmp.Or(o.CInit, defaultCInit)
	o.CBase = cmp.Or(o.CBase, defaultCBase)
	o.Spread = cmp.Or(o.Spread, defaultSpread)
	o.FPUReduction = cmp.Or(o.FPUReduction, defaultFPUReduction)
	o.RootFPUReduction = cmp.Or(o.RootFPUReduction, defaultRootFPUReduction)
	o.Stride = cmp.Or(o.Stride, defaultStride)
	o.NoiseTotal = cmp.Or(o.NoiseTotal, defaultNoiseTotal)
	o.NoiseFraction = cmp.Or(o.NoiseFraction, defaultNoiseFraction)
	o.LCB = cmp.Or(o.LCB, defaultLCB)
	o.Memory = min(cmp.Or(o.Memory, defaultMemory), mostMemory)
	return o
}

// newExploration returns the constants of selection.
func newExploration(o *Options) exploration {
	return exploration{
		init:   float64(o.CInit),
		base:   float64(o.CBase),
		fpu:    max(0, o.FPUReduction),
		fpuTop: max(0, o.RootFPUReduction),
		spread: float64(min(max(0, o.Spread), 1)),
	}
}

// quota returns how many playouts l allows on top of the visits that the root
// has, negative for any number.
func (l *Limits) quota(visits int) int {
	q := -1
	if l.Playouts > 0 {
		q = l.Playouts
	}
	if left := max(0, l.Visits-visits); l.Visits > 0 && (q < 0 || left < q) {
		q = left
	}
	return q
}
