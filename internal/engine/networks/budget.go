package networks

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// Leaf returns the budget at leaves that was asked for, with [games.ByNetwork] what
// suits n. A nil n is a residual network.
func (n *Net) Leaf(asked int) int { return n.Settled(games.SolverNodes{Leaf: asked}).Leaf }

// Settled returns the budgets as a search with n takes them.
func (n *Net) Settled(s games.SolverNodes) games.SolverNodes {
	return s.Settled(n != nil && n.Judges())
}

// Form returns what turns a position into a copy in the form on which a tree
// search with the network and solvers runs. What reads no patterns is faster
// where none are kept.
func (n *Net) Form(s games.SolverNodes) func(game.Position) game.Position {
	if s == (games.SolverNodes{}) && !n.Trained() {
		return game.Position.Clone
	}
	return n.variant.Searchable
}
