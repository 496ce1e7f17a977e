package gomoku

import (
	"fmt"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Game plugs the gomoku family into an alphabeta.Searcher, under the rules of
// the position that is searched. The zero value is ready.
type Game struct {
	// Models returns the model for a rule set. Nil stands for Shipped. It may
	// be called by several goroutines at a time.
	Models func(rules.Rules) *Model

	// Evaluator returns what evaluates a board in place of the model and of the
	// fitted order of moves. Nil: these are used.
	Evaluator func(*pattern.Board) Evaluator
}

// Techniques leaves all at their usual values, which were found in games of gomoku.
func (Game) Techniques() alphabeta.Options { return alphabeta.Options{} }

// Bind returns the heuristics of a search from pos, a gomoku.Board, which it copies,
// or a pattern.Board, which it keeps.
func (g Game) Bind(pos game.Position) (alphabeta.Heuristics, error) {
	var b *pattern.Board
	switch pos := pos.(type) {
	case *pattern.Board:
		b = pos
	case *rules.Board:
		b = pattern.FromBoard(pos)
	default:
		return alphabeta.Heuristics{}, fmt.Errorf("gomoku: %T is not a board of gomoku", pos)
	}
	models := g.Models
	if models == nil {
		models = Shipped
	}
	model := models(b.Board().Rules())
	known, picker := newEvaluation(b, model), newPicker(b)
	heuristics := alphabeta.Heuristics{
		Position:   b,
		Evaluation: known,
		Picker:     picker,
		Quiescence: &quiescence{picker},
		Solver:     newSolver(b),
		Resistance: &resistance{b},
		Slots:      b.MaxMoves(),
	}
	if b.Board().Rules().Captures {
		heuristics.SolverShare = captureShare
	}
	if g.Evaluator == nil {
		b.SetValues(model.values)
		return heuristics, nil
	}
	b.SetValues(nil)
	j := g.Evaluator(b)
	heuristics.Evaluation = &externalEvaluation{known, j.Value}
	if j.Policy != nil {
		heuristics.Prior = &prior{j.Policy, make([]game.Move, 0, b.MaxMoves()), make([]int32, b.MaxMoves())}
	}
	return heuristics, nil
}
