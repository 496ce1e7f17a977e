package gomoku

import (
	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// quiescence goes on where the opponent threatens a five, which the evaluation
// says nothing of; it implements alphabeta.Quiescence. The wins by fours are
// the solver's.
type quiescence struct{ picker *picker }

// Noisy lists the defences against a five, one of which must be played. A four uses
// up two cells of its line, so that this comes to an end.
func (q *quiescence) Noisy(depth int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	p := q.picker
	if p.rules.Captures {
		return q.captureDefences(depth, list)
	}
	if p.board.Count(p.board.ToMove().Other(), pattern.Five) == 0 {
		return list, false
	}
	list, _ = p.Stage(0, list)
	return list, true
}

// deepestDefence is how deep below the horizon defences are listed where stones
// are captured: there nothing uses itself up.
const deepestDefence = 6

// captureDefences does the work of Noisy where captures count.
func (q *quiescence) captureDefences(depth int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	p := q.picker
	if depth > deepestDefence {
		return list, false
	}
	cells, against := p.defences()
	if against != five || cells.Empty() {
		return list, false
	}
	against = p.prepare()
	for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
		list = append(list, p.scoredMove(c, against))
	}
	return list, true
}
