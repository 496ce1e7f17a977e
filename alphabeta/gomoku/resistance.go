package gomoku

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// What a move removes of what the opponent threatens; see Resist.
const (
	takesNothing = iota
	takesFour    // a four point
	takesFive    // a five point
)

// Resist rates a legal move of b among moves that lose equally late: highest if it removes
// a five point of the opponent, lower for a four point, 0 for neither. Five and four points
// are those of the network's input planes; captures may remove them too.
func Resist(b *pattern.Board, m game.Move) int {
	opp := b.ToMove().Other()
	before := b.Threats(opp)
	b.Play(m)
	defer b.Undo()
	if b.Outcome() != game.Undecided {
		return takesNothing
	}
	after := b.Threats(opp)
	switch five, four := before.Five.Without(&after.Five), before.Four.Without(&after.Four); {
	case !five.Empty():
		return takesFive
	case !four.Empty():
		return takesFour
	}
	return takesNothing
}

// resistance implements alphabeta.Resistance.
type resistance struct{ board *pattern.Board }

// Resist is the function of that name.
func (r *resistance) Resist(m game.Move) int { return Resist(r.board, m) }
