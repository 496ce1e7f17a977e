package networks

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// Leaf returns the solver's budget at leaves, replacing [games.ByNetwork] by the best value
// for n. A nil n stands for a residual network.
func (n *Net) Leaf(asked int) int { return n.Settled(games.SolverNodes{Leaf: asked}).Leaf }

// Settled returns the budgets that a search with n uses.
func (n *Net) Settled(s games.SolverNodes) games.SolverNodes {
	return s.Settled(n != nil && n.Judges())
}

// Form returns a function that copies a position into the form that suits a tree search
// with the network and solvers: without patterns, which cost time, if nothing reads them.
func (n *Net) Form(s games.SolverNodes) func(game.Position) game.Position {
	if s == (games.SolverNodes{}) && !n.Trained() {
		return game.Position.Clone
	}
	return n.variant.Searchable
}
