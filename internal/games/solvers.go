package games

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// SolverNodes are the budgets, in moves played, of the solvers that prove forced wins for a
// tree search, and which solver works at the leaves. Zero turns a solver off. In Onitama all
// three look for short wins by all moves.
type SolverNodes struct {
	Leaf    int `json:"leaf"`    // continuous fours, at each leaf; or ByNetwork
	Root    int `json:"root"`    // continuous fours, then continuous threats, at each root
	Replies int `json:"parries"` // continuous fours of the opponent, after each move of a root

	// Threes is for continuous fours and threes in gomoku, at each leaf where Leaf finds
	// nothing; or ByNetwork.
	Threes int `json:"threes,omitempty"`

	// Audit is for continuous fours and threes in gomoku, after the move that a search is about to
	// choose, where Root finds nothing; or ByNetwork.
	Audit int `json:"audit,omitempty"`

	// Fours has the classical search's solver of fours work at leaves, in games and rule sets
	// that have it, instead of package vcf.
	Fours bool `json:"fours,omitempty"`
}

// Off reports whether all solvers are off.
func (s SolverNodes) Off() bool { return s == SolverNodes{Fours: s.Fours} }

// ByNetwork stands for the budgets that suit the kind of network.
const ByNetwork = -1

// The budgets that ByNetwork stands for. They are part of the algorithm: what
// records a search records the number. A solver of 500 nodes takes little time
// beside a network that takes a millisecond, and five times that of all else in a
// playout of a line network, which plays better for the time with more playouts:
// mcts/TECHNIQUES.md.
const (
	LeafNodes     = 500
	LineLeafNodes = 10
	LineLeafFours = 16 // with Fours
	LeafThrees    = 1_000
	AuditThrees   = 200_000
)

// LeafDefault says in words what ByNetwork stands for.
var LeafDefault = fmt.Sprintf("%d; with a line network %d, or %d by vcf", LeafNodes, LineLeafFours, LineLeafNodes)

// ThreesDefault says the same for threes.
var ThreesDefault = fmt.Sprintf("%d with a residual network on the processor, else none", LeafThrees)

// AuditDefault says the same for the audit.
var AuditDefault = fmt.Sprintf("%d with a residual network on the processor, else none", AuditThrees)

// DefaultSolvers returns the budgets with which a search plays best, as far as was
// measured: at equal playouts, and with a line network at equal time.
func DefaultSolvers() SolverNodes {
	return SolverNodes{Leaf: ByNetwork, Threes: ByNetwork, Audit: ByNetwork, Root: 2_000, Replies: 500, Fours: true}
}

// WithoutThrees returns s with nothing where ByNetwork would stand for searches for threes.
func (s SolverNodes) WithoutThrees() SolverNodes {
	s.Threes, s.Audit = settled(s.Threes, 0, true), settled(s.Audit, 0, true)
	return s
}

// Settled returns s as a search of the variant takes it: with the solver of leaves that the
// rules have, and with ByNetwork the budgets that suit a network that judges, which answers
// in microseconds, or another.
func (v Variant) Settled(s SolverNodes, judges bool) SolverNodes {
	l := v.Lines()
	fours := l != nil && l.hasFours()
	threes := fours && s.Leaf != 0 && !judges
	s.Threes = settled(s.Threes, LeafThrees, threes)
	s.Audit = settled(s.Audit, AuditThrees, threes && s.Root != 0)
	s.Fours = s.Fours && s.Leaf != 0 && fours
	switch {
	case s.Leaf != ByNetwork:
	case judges && s.Fours:
		s.Leaf = LineLeafFours
	case judges:
		s.Leaf = LineLeafNodes
	default:
		s.Leaf = LeafNodes
	}
	return s
}

// settled returns a budget that may be ByNetwork, which stands for n if on, else for none.
func settled(budget, n int, on bool) int {
	switch {
	case budget != ByNetwork:
		return budget
	case on:
		return n
	}
	return 0
}

// solverNodes are moves that a solver plays within a search.
var solverNodes = option.Int{Min: 1, Max: 1_000_000_000, Zero: "off"}

// The solvers of leaves by name.
const leafFours, leafVCF = "fours", "vcf"

// SolverSettings are the settings of [SolverNodes].
var SolverSettings = []option.Setting[SolverNodes]{
	byNetwork(solverNodes.Named("solver-leaf").By(20),
		"moves that the solver of fours, in onitama of short wins, plays at each leaf", LeafDefault,
		func(s *SolverNodes) *int { return &s.Leaf }).As("solver", "solver-nodes"),
	option.Custom(option.Choice{
		Key: "leaf-solver", Words: []string{leafFours, leafVCF}, Default: leafFours,
		Help: "which solver of fours works at each leaf: that of the classical search, or vcf, which shares nothing " +
			"with it and serves where stones are captured",
	}, func(s *SolverNodes, text string) error {
		s.Fours = text == leafFours
		return nil
	}, func(s *SolverNodes) string {
		if s.Fours {
			return leafFours
		}
		return leafVCF
	}),
	byNetwork(solverNodes.Named("solver-threes").By(100),
		"moves that a solver of fours and threes plays at each leaf where that of fours finds nothing", ThreesDefault,
		func(s *SolverNodes) *int { return &s.Threes }),
	option.NumVar(solverNodes.Named("solver-root").With(int64(DefaultSolvers().Root),
		"moves that each solver, of fours and of fours and threes, in onitama of short wins, plays at the root"),
		func(s *SolverNodes) *int { return &s.Root }).As("vct", "root-solver-nodes", "root-nodes"),
	byNetwork(solverNodes.Named("solver-audit").By(10_000),
		"moves that the solver of fours and threes plays after the move that is about to be chosen", AuditDefault,
		func(s *SolverNodes) *int { return &s.Audit }),
	option.NumVar(solverNodes.Named("solver-replies").With(int64(DefaultSolvers().Replies),
		"moves that the solver of the opponent's fours, in onitama of short wins, plays after each move of the root"),
		func(s *SolverNodes) *int { return &s.Replies }).As("parries", "parry-nodes"),
}

// byNetwork is the setting of a budget that [ByNetwork] stands for by default, in words.
func byNetwork(o option.Int, help, words string, of func(*SolverNodes) *int) option.Setting[SolverNodes] {
	return option.Custom(o.With(0, help+", by default "+words), func(s *SolverNodes, text string) error {
		n, err := solverNodes.Parse(text)
		*of(s) = int(n)
		return err
	}, func(s *SolverNodes) string {
		if n := *of(s); n != ByNetwork {
			return strconv.Itoa(n)
		}
		return words
	})
}

// Solved are rules of a game with solvers.
type Solved interface {
	// Solvers returns new solvers for one searcher, some of which are on.
	Solvers(n SolverNodes) mcts.Solver

	// Decider returns a new decider.
	Decider(o ProofOptions) Decider

	// Digest returns the SHA-256 of weights of the evaluation, in hexadecimal digits.
	Digest(w Weights) string
}

// Searchable is [Lines.Searchable], a plain copy for other games.
func (v Variant) Searchable(pos game.Position) game.Position {
	if l := v.Lines(); l != nil {
		return l.Searchable(pos)
	}
	return pos.Clone()
}

// Solvers returns new solvers for one searcher; nil if all are off or the game has
// none. ByNetwork counts as for a residual network: see [Variant.Settled].
func (v Variant) Solvers(n SolverNodes) mcts.Solver {
	n = v.Settled(n, false)
	if s, ok := v.Rules.(Solved); ok && !n.Off() {
		return s.Solvers(n)
	}
	return nil
}

// SolversWith is Solvers with endgames in their place, where there are some and the game
// has such.
func (v Variant) SolversWith(n SolverNodes, e Endgames) mcts.Solver {
	if e = v.endgames(e); e != nil {
		return EndgameSolver(e)
	}
	return v.Solvers(n)
}

// ErrUncertified: no certificate was found within the budget. The win that was asked for
// may still be one.
var ErrUncertified = errors.New("no certificate was found")

// CertifyNodes is a budget of WinCertificate: a few seconds.
const CertifyNodes = 2_000_000

// Prover is [Lines.Prover], nil for other games.
func (v Variant) Prover(tableBytes int) *Prover {
	if l := v.Lines(); l != nil {
		return l.Prover(tableBytes)
	}
	return nil
}

// Certify looks for a win by continuous fours in an undecided position, with at
// most that many nodes, and replays it. Games without a prover have none.
func (v Variant) Certify(ctx context.Context, pos game.Position, nodes int) (w vcf.Proof, ok bool) {
	if p := v.Prover(0); p != nil {
		return p.Find(ctx, pos, vcf.ProofLimits{Nodes: nodes}, vcf.VCF)
	}
	return w, false
}

// Decider finds out by all moves of both sides who wins a position of one game, or that
// nobody does. It leaves positions as they are and belongs to one goroutine.
type Decider interface {
	// Solve searches an undecided position until about so many moves have been played in
	// all. Its error is that of ctx, or of a state that was loaded and cannot be one.
	Solve(ctx context.Context, pos game.Position, nodes int64) (Decision, error)

	// Certify returns the certificate of what the last call of Solve has found, nil for
	// nothing and in games without certificates. The error is that of ctx, wraps
	// ErrTooLarge, or says that the result does not hold.
	Certify(ctx context.Context, pos game.Position, d Decision) ([]byte, error)
}

// ErrTooLarge: the certificate of what was found would have too many positions.
var ErrTooLarge = errors.New("no certificate")

// ProofOptions configure a [Decider] or a [QuietProver].
type ProofOptions struct {
	TableBytes int64       // bound on the memory of the tables; 0: 256 MiB
	Progress   func(int64) // unless nil, told now and then how many moves a search has played
}

// Decision is the truth about a position, as far as it was found.
type Decision struct {
	Outcome game.Outcome // Undecided: it is not known
	Holds   [2]bool      // the sides that were found not to lose
	Nodes   int64        // moves played in all
	Ended   bool         // Undecided: the search ended before its budget

	// Plies is how many plies a win takes at most, and Line one of so many as far as it is
	// known; 0 and nil where they stand in the certificate.
	Plies int
	Line  []game.Move
}

// Decider returns a new decider. The error says that the game has none.
func (v Variant) Decider(o ProofOptions) (Decider, error) {
	if s, ok := v.Rules.(Solved); ok {
		return s.Decider(o), nil
	}
	return nil, fmt.Errorf("there is no search that decides positions of %s", v.Game)
}

// QuietResult is what a QuietProver has found.
type QuietResult struct {
	Outcome     vcf.Outcome
	Nodes       int64  // moves played in all
	Certificate []byte // of the win
}

// Curve turns scores of the classical search into expected results by the logistic
// function. Answers, samples and the balance of openings use the same one.
type Curve struct {
	Scale float64 // the score at which the odds of winning are e to 1
}

// usualScale is that of a game whose scores were not fitted to results.
const usualScale = 200

// Curve returns the curve that was fitted to games of the variant's rule set.
func (v Variant) Curve() Curve {
	if l := v.Lines(); l != nil {
		return Curve{l.Scale()}
	}
	return Curve{usualScale}
}

// Value returns the expected result, from -1 to 1; a claim counts as certain, and
// nothing else does.
func (c Curve) Value(s alphabeta.Score) float32 {
	if _, claimed := s.Claim(); claimed {
		if s > 0 {
			return 1
		}
		return -1
	}
	const most = 1 - 1e-6
	odds := nn.Exp(min(max(-700, float64(s)/c.Scale), 700))
	return float32(min(max(-most, 1-2/(1+odds)), most))
}

// Weights names the weights of the evaluation, in gomoku.
type Weights uint8

// The weights.
const (
	FittedWeights Weights = iota // to results of games
	HandWeights                  // by a formula
	BestWeights                  // of the shipped line network that is stronger at equal time; FittedWeights where none is
)

// Evaluation says what judges positions for a classical search. The zero value is the
// fitted evaluation.
type Evaluation struct {
	Weights Weights
	Judge   nn.IncrementalNetwork // judges in place of Weights; nil: none

	Endgames Endgames // nil: none
}

// What the parts of a search take, in bytes. These are estimates from above, to
// refuse in time what no machine has.
const (
	threadBytes  = 4 << 20 // of the classical search: histories and stack
	edgeBytes    = 6       // of a tree: a legal move
	nodeBytes    = 32 + 4*12
	slackBytes   = 2 // slabs grow by doubling
	keptPlayouts = 4 // a tree that is kept from move to move holds so many searches
)

// moves returns the most moves that a position of the variant has.
func (v Variant) moves() int {
	pos, err := v.Start()
	if err != nil {
		return v.Size * v.Size
	}
	return pos.MaxMoves()
}

// TreeBytes returns what a search tree of so many playouts a move, 0 for any
// number, may take within its bound in MiB.
func (v Variant) TreeBytes(playouts, mebibytes int) int64 {
	bound := int64(mebibytes) << 20
	each := int64(slackBytes * (nodeBytes + edgeBytes*v.moves()))
	if playouts == 0 || int64(playouts) > math.MaxInt64/each/keptPlayouts {
		return bound
	}
	return min(bound, keptPlayouts*each*int64(playouts))
}

// RowBytes returns what a position that waits for a network takes at most: its inputs and
// outputs.
func (v Variant) RowBytes() int64 {
	most := int64(4 * v.moves()) // no network: the moves' priors
	for _, in := range v.game.Inputs {
		if enc, err := in.Encoder(v); err == nil {
			s := enc.Shape()
			most = max(most, int64(4*(s.Planes*s.Height*s.Width+s.Globals+s.Actions)))
		}
	}
	return most
}

// ClassicalBytes returns what a classical search takes.
func ClassicalBytes(threads, tableMiB int) int64 {
	return int64(threads)*threadBytes + int64(tableMiB)<<20
}

// CacheTable returns a table for the variant's results, to be shared by the
// evaluators of one network.
func (v Variant) CacheTable(bytes int) (*nn.CacheTable, error) {
	pos, err := v.Start()
	if err != nil {
		return nil, err
	}
	return nn.NewCacheTable(bytes, pos.MaxMoves()), nil
}
