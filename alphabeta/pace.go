package alphabeta

import "github.com/carozero/carozero/game"

// pace says by how much of its Soft limit a search should go on, from how its
// iterations have come out so far.
type pace struct {
	unit  Score // of the evaluation: what a notable loss is
	move  game.Move
	score Score
	trend float64 // in units, downwards, fading
	turns float64 // changes of the best move, fading
	begun bool
}

// reset starts a new search.
func (p *pace) reset(unit Score) { *p = pace{unit: max(1, unit)} }

// note takes in the result of an iteration.
func (p *pace) note(m game.Move, s Score) {
	p.turns /= 2
	p.trend /= 2
	if p.begun {
		if m != p.move {
			p.turns++
		}
		p.trend += float64(p.score-s) / float64(p.unit)
	}
	p.move, p.score, p.begun = m, s, true
}

// factor returns what the Soft limit is to be multiplied by: 0.5 if the move
// has long been the same and its score has not fallen, up to 2.5 if the move
// changes with every iteration and the score falls.
func (p *pace) factor() float64 {
	fall := max(0, min(p.trend/2, 1))
	return min(0.5+0.75*p.turns+0.5*fall, 2.5)
}
