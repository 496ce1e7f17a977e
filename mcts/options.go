package mcts

import (
	"cmp"
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/option"
)

// Options steer a search. The zero value is ready to use; every field says
// what zero stands for. Where a setting can be switched off, a negative value
// does it.
type Options struct {
	// InFlight is the number k of playouts under way at once: playout i+k is
	// selected after exactly the results up to i have been backed up. It is
	// part of the algorithm and changes the tree. Zero means 2.
	InFlight int

	// VirtualLoss is by how much, in units of value, what is in flight below a move counts
	// worse than what has been backed up there. Zero means 0.25 with more than 8 playouts in
	// flight, else none; negative means none.
	VirtualLoss float32 `sample:"omitzero"`

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
	// it has been chosen, as a share of the visits that the move has; see select.go. It
	// is for evaluators that are [nn.Instant] and at most 8 playouts in flight, and ignored
	// with others. Zero means 0.35;
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

	// InFlight is the number of playouts in flight, at most Options.InFlight, which 0
	// stands for.
	InFlight int

	// Noise mixes Dirichlet noise into the priors of the root, drawn from
	// Seed.
	Noise bool
	Seed  uint64

	// Root, unless nil, chooses the edges of the root in place of PUCT: see [Forced] and
	// [Gumbel.Policy].
	Root RootPolicy

	// Restrict, unless nil, excludes moves from the search. The tree must be used for
	// this search only: call SetPosition before and after. It excludes Gumbel's policy.
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

	// fewInFlight is the most playouts in flight with which playouts keep to a choice.
	fewInFlight = 8

	// manyLoss is the virtual loss with more.
	manyLoss = 0.25

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

// byDefault is the help text for the value 0.
const byDefault = "the default"

// Settings are the options of a search that users may set. Their defaults are those of
// [Options.WithDefaults], except for the memory, whose default differs by command.
var Settings = []option.Setting[Options]{
	option.NumVar(option.InFlight.With(
		0, "playouts under way at once; part of the algorithm: changes the tree",
	).ZeroMeans("2, or by the budget with a network on a device"), func(o *Options) *int { return &o.InFlight }),
	option.NumVar(option.Float{
		Key: "virtual-loss", Help: "how much worse playouts in flight count than those before; negative: no worse",
		Min: -1, Max: 1, Zero: "0.25 with more than 8 in flight, else none", Step: 0.05,
	}, func(o *Options) *float32 { return &o.VirtualLoss }),
	option.NumVar(option.Float{
		Key: "cpuct", Help: "exploration constant", Default: defaultCInit, Max: 100, Zero: byDefault,
	}, func(o *Options) *float32 { return &o.CInit }),
	option.NumVar(option.Float{
		Key: "cpuct-base", Help: "visits by which the exploration constant begins to grow", Default: defaultCBase,
		Max: 1e9, Zero: byDefault,
	}, func(o *Options) *float32 { return &o.CBase }),
	option.NumVar(option.Float{
		Key: "spread", Help: "how much more is explored where values spread; negative: none", Default: defaultSpread,
		Min: -1, Max: 1, Zero: byDefault, Step: 0.1,
	}, func(o *Options) *float32 { return &o.Spread }),
	option.NumVar(option.Float{
		Key:     "fpu",
		Help:    "first play: how far below its parent a move without a visit is taken to be; negative: no reduction",
		Default: defaultFPUReduction, Min: -1, Max: 2, Zero: byDefault, Step: 0.05,
	}, func(o *Options) *float32 { return &o.FPUReduction }),
	option.NumVar(option.Float{
		Key: "root-fpu", Help: "the same at the root", Default: defaultRootFPUReduction, Min: -1, Max: 2,
		Zero: byDefault, Step: 0.05,
	}, func(o *Options) *float32 { return &o.RootFPUReduction }),
	option.NumVar(option.Float{
		Key: "stride",
		Help: "for how many playouts in a row a chosen move is kept to, as a share of its visits, with networks " +
			"that answer at once; negative: for one",
		Default: defaultStride, Min: -1, Max: 1, Zero: byDefault, Step: 0.05,
	}, func(o *Options) *float32 { return &o.Stride }),
	option.NumVar(option.Float{
		Key: "noise-total", Help: "sum of the Dirichlet parameters of the noise at the root",
		Default: defaultNoiseTotal, Max: 10_000, Zero: byDefault,
	}, func(o *Options) *float64 { return &o.NoiseTotal }),
	option.NumVar(option.Float{
		Key: "noise-share", Help: "part of the noise in the priors of the root; negative: none",
		Default: defaultNoiseFraction, Min: -1, Max: 1, Zero: byDefault,
	}, func(o *Options) *float64 { return &o.NoiseFraction }),
	option.NumVar(option.Float{
		Key:     "lcb",
		Help:    "standard errors below the mean by which the best move is chosen; negative: the most visited one",
		Default: defaultLCB, Min: -1, Max: 100, Zero: byDefault,
	}, func(o *Options) *float32 { return &o.LCB }),
	option.BoolVar(option.Switch("early-stop", "stop when the most visited move is certain", false),
		func(o *Options) *bool { return &o.EarlyStop }).As("earlystop"),
	option.MiBVar(option.TreeMemory, func(o *Options) *int64 { return &o.Memory }),
}

// Solver proves results of positions for a search: forced wins, or losses and draws
// too. It belongs to the goroutine of its Searcher.
//
// Every method leaves pos unchanged and is bounded in nodes, never in time. Its answer
// is a pure function of its other arguments unless ctx ends: then it should return soon
// and may find nothing, but what it reports must still be proven. Positions are not
// over. A Solver that lacks a method embeds [NoSolver].
type Solver interface {
	// Leaf looks for a proof of a position. The search asks it about leaves that have no
	// immediate win. Of a position that it proves lost or drawn, which may become the
	// root later, Refute must prove every move, also one that ends the game in a draw.
	Leaf(ctx context.Context, pos game.Position) Solution

	// Root looks for a win of the side to move, with a larger budget than Leaf; that the
	// root is drawn or lost follows from Refute. The search asks it once about each root,
	// before the first playout, whether the root is new or was kept by Advance.
	Root(ctx context.Context, pos game.Position) Solution

	// Refute examines every legal move of pos, given in ascending order, and sets
	// after[i] to what it proves of the position after the i-th move, for the side to
	// move there; the entries are zero when it is called. So every defence is among the
	// moves whose entry is no win. The search asks it about each root for which Root
	// found nothing.
	Refute(ctx context.Context, pos game.Position, moves []game.Move, after []Solution)

	// Audit looks for a proof of the position after m, the move that the search is about
	// to choose. m is legal in pos and does not end the game.
	Audit(ctx context.Context, pos game.Position, m game.Move) Solution

	// Edges appends to buf, ascending, the moves of pos that a search need follow; the side to
	// move has no win at once. It reports whether every other legal move is proven to lose,
	// no later than the longest loss by a listed one. The search asks it about nodes below the
	// root; the root has an edge for every legal move.
	Edges(pos game.Position, buf []game.Move) (moves []game.Move, complete bool)

	// RootNodes returns how many moves Root, Refute and Audit have played so
	// far.
	RootNodes() int
}

// Solution says how a position ends for its side to move. The zero value says that
// nothing is known.
type Solution struct {
	Proof game.Result
	Move  game.Move // the winner's first; without meaning unless Proof is Won
	Plies int       // to the end of the game; Endless for a draw without an end
}

// Endless is the distance of a draw by a game that neither side can or needs to end.
const Endless = pliesMask

// Found reports whether anything is known.
func (s Solution) Found() bool { return s.Proof != game.Unproven }

// NoSolver is a Solver that finds nothing.
type NoSolver struct{}

// Leaf implements [Solver].
func (NoSolver) Leaf(context.Context, game.Position) Solution { return Solution{} }

// Root implements [Solver].
func (NoSolver) Root(context.Context, game.Position) Solution { return Solution{} }

// Refute implements [Solver].
func (NoSolver) Refute(context.Context, game.Position, []game.Move, []Solution) {}

// Audit implements [Solver].
func (NoSolver) Audit(context.Context, game.Position, game.Move) Solution { return Solution{} }

// Edges implements [Solver]: it lists every legal move.
func (NoSolver) Edges(pos game.Position, buf []game.Move) (moves []game.Move, complete bool) {
	return pos.Moves(buf), true
}

// RootNodes implements [Solver].
func (NoSolver) RootNodes() int { return 0 }
