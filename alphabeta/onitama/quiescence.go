package onitama

import (
	"github.com/carozero/carozero/alphabeta"
	rules "github.com/carozero/carozero/game/onitama"
)

// quiescence lists captures; it implements alphabeta.Quiescence. There are at
// most eight in a row.
type quiescence struct{ board *rules.Board }

// Noisy lists the captures. None is forced: a side may stand pat.
func (q *quiescence) Noisy(_ int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	b := q.board
	return appendMoves(b, b.Pieces(b.ToMove().Other()), alphabeta.Tactical, list), false
}
