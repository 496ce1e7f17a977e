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
func (q *quiescence) Noisy(depth int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	p := q.picker
	if p.rules.Captures {
		return q.captureAnswers(depth, list)
	}
	if p.board.Count(p.board.ToMove().Other(), pattern.Five) == 0 {
		return list, false
	}
	list, _ = p.Stage(0, list)
	return list, true
}

// deepestAnswers is how deep below the horizon answers are listed where stones
// are captured: there nothing uses itself up.
const deepestAnswers = 6

// captureAnswers does the work of Noisy where captures count.
func (q *quiescence) captureAnswers(depth int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	p := q.picker
	if depth > deepestAnswers {
		return list, false
	}
	cells, threat := p.answers()
	if threat != five || cells.Empty() {
		return list, false
	}
	urgency := p.alert()
	for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
		list = append(list, p.entry(c, urgency))
	}
	return list, true
}
