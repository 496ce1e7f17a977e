package games

import (
	"fmt"
	"strconv"

	"github.com/carozero/carozero/internal/support/option"
)

// SolverNodes are the budgets, in moves played, of the solvers that prove
// forced wins for a tree search. Zero turns a solver off. In Onitama all three look for
// short wins by all moves.
type SolverNodes struct {
	Leaf    int `json:"leaf"`    // continuous fours, at each leaf; or ByNetwork
	Root    int `json:"root"`    // continuous fours, then continuous threats, at each root
	Replies int `json:"parries"` // continuous fours of the opponent, after each move of a root
}

// ByNetwork stands for the budget at leaves that suits the kind of network.
const ByNetwork = -1

// The budgets that ByNetwork stands for. They are part of the algorithm: what
// records a search records the number. A solver of 500 nodes takes little time
// beside a network that takes a millisecond, and five times that of all else in a
// playout of a line network, which plays better for the time with more playouts:
// mcts/TECHNIQUES.md.
const (
	LeafNodes     = 500
	LineLeafNodes = 10
)

// LeafDefault says in words what ByNetwork stands for.
var LeafDefault = fmt.Sprintf("%d; %d with a line network", LeafNodes, LineLeafNodes)

// DefaultSolvers returns the budgets with which a search plays best, as far as was
// measured: at equal playouts, and with a line network at equal time.
func DefaultSolvers() SolverNodes { return SolverNodes{Leaf: ByNetwork, Root: 2_000, Replies: 500} }

// Settled returns the budgets as a search takes them: with ByNetwork at leaves what
// suits a network that judges, which answers in microseconds, or another.
func (s SolverNodes) Settled(judges bool) SolverNodes {
	switch {
	case s.Leaf != ByNetwork:
	case judges:
		s.Leaf = LineLeafNodes
	default:
		s.Leaf = LeafNodes
	}
	return s
}

// solverNodes are moves that a solver plays within a search.
var solverNodes = option.Int{Min: 1, Max: 1_000_000_000, Zero: "off"}

// SolverSettings are the settings of [SolverNodes].
var SolverSettings = []option.Setting[SolverNodes]{
	option.Custom(solverNodes.Named("solver-leaf").By(20).With(0, "moves that the solver of fours, in onitama of short wins, plays at each leaf, by default "+LeafDefault),
		func(s *SolverNodes, text string) (err error) {
			n, err := solverNodes.Parse(text)
			s.Leaf = int(n)
			return err
		}, func(s *SolverNodes) string {
			if s.Leaf == ByNetwork {
				return LeafDefault
			}
			return strconv.Itoa(s.Leaf)
		}).As("solver", "solver-nodes"),
	option.NumVar(solverNodes.Named("solver-root").With(int64(DefaultSolvers().Root), "moves that each solver, of fours and of fours and threes, in onitama of short wins, plays at the root"),
		func(s *SolverNodes) *int { return &s.Root }).As("vct", "root-solver-nodes", "root-nodes"),
	option.NumVar(solverNodes.Named("solver-replies").With(int64(DefaultSolvers().Replies), "moves that the solver of the opponent's fours, in onitama of short wins, plays after each move of the root"),
		func(s *SolverNodes) *int { return &s.Replies }).As("parries", "parry-nodes"),
}
