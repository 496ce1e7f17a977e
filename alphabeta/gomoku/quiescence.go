package gomoku

import (
	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// quiescence goes on where the opponent threatens a five, which the evaluation
// says nothing of; it implements alphabeta.Quiescence. The wins by fours are
// the solver's.
type quiescence struct{ picker *picker }

// Noisy lists the answers to a five, one of which must be played. A four uses
// up two cells of its line, so that this comes to an end.
func (q *quiescence) Noisy(_ int, list []alphabeta.Entry) ([]alphabeta.Entry, bool) {
	p := q.picker
	if p.rules.Captures || p.board.Count(p.board.ToMove().Other(), pattern.Five) == 0 {
		return list, false
	}
	list, _ = p.Stage(0, list)
	return list, true
}
