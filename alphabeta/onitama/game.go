package onitama

import (
	"fmt"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/onitama"
)

// Game plugs Onitama into an alphabeta.Searcher. The zero value is ready.
type Game struct {
	Weights *Weights // of the evaluation; nil: FittedWeights
}

// lateMoves is how strongly late moves are reduced, in percent.
const lateMoves = 170

// Techniques are those that games speak for (TECHNIQUES.md). Reverse futility hides long
// wins; without improving, which cost games, late moves are reduced by more.
func (Game) Techniques() alphabeta.Options {
	return alphabeta.Options{ReverseFutility: alphabeta.Off, Improving: alphabeta.Off, LateMoves: lateMoves}
}

// Bind returns the heuristics that search from pos, which must be a Board of
// Onitama.
func (g Game) Bind(pos game.Position) (alphabeta.Heuristics, error) {
	b, ok := pos.(*rules.Board)
	if !ok {
		return alphabeta.Heuristics{}, fmt.Errorf("onitama: %T is not a board of Onitama", pos)
	}
	weights := g.Weights
	if weights == nil {
		weights = FittedWeights()
	}
	return alphabeta.Heuristics{
		Position:   b,
		Evaluation: newEvaluation(b, weights),
		Picker:     &picker{board: b, passes: make([]game.Move, 0, 2)},
		Quiescence: &quiescence{board: b},
		Slots:      slots,
	}, nil
}

// quiescence lists captures; it implements alphabeta.Quiescence. There are at
// most eight in a row.
type quiescence struct{ board *rules.Board }

// Noisy lists the captures. None is forced: a side may stand pat.
func (q *quiescence) Noisy(_ int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	b := q.board
	return appendMoves(b, b.Pieces(b.ToMove().Other()), alphabeta.Tactical, list), false
}
