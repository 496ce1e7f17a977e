package mcts

import (
	"math/rand/v2"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/support/exactmath"
)

// Schedule is a temperature that falls exponentially with the plies played, from Start
// towards End; the difference halves every HalfLife plies. With a HalfLife of zero it
// is always End.
type Schedule struct {
	Start, End float64
	HalfLife   float64 // in plies
}

// At returns the temperature after ply plies.
func (s Schedule) At(ply int) float64 {
	if s.HalfLife <= 0 {
		return s.End
	}
	left := exactmath.Exp(max(-700, -float64(exactmath.Ln(2)*float64(ply))/s.HalfLife))
	return s.End + float64((s.Start-s.End)*left)
}

// Pick chooses a move among the children of a Result: the shortest proven win if there
// is one, the longest proven loss only if all moves lose. Otherwise it draws a move with
// probability proportional to visits^(1/temperature), or to the priors in the same way
// if no child has visits. A temperature of 0 takes the child with most visits; rng is
// then unused and may be nil. It returns NoMove without children.
func Pick(children []Child, temperature float64, rng *rand.Rand) game.Move {
	if len(children) == 0 {
		return game.NoMove
	}
	best := slices.MinFunc(children, comparison(children))
	if temperature <= 0 || best.Proven == Win || best.Proven == Loss {
		return best.Move
	}
	most := Child{}
	for _, c := range children {
		most.Visits, most.Prior = max(most.Visits, c.Visits), max(most.Prior, c.Prior)
	}
	weight := func(c *Child) float64 {
		switch {
		case c.Proven == Loss:
			return 0
		case most.Visits == 0:
			return power(float64(c.Prior), float64(most.Prior), temperature)
		}
		return power(float64(c.Visits), float64(most.Visits), temperature)
	}
	sum := 0.0
	for i := range children {
		sum += weight(&children[i])
	}
	mark := float64(rng.Float64() * sum)
	for i := range children {
		if mark -= weight(&children[i]); mark < 0 {
			return children[i].Move
		}
	}
	return best.Move
}

// power returns (x/most)^(1/temperature) for 0 <= x <= most.
func power(x, most, temperature float64) float64 {
	switch x {
	case 0:
		return 0
	case most:
		return 1
	}
	return exactmath.Exp(max(-701, (exactmath.Ln(x)-exactmath.Ln(most))/temperature))
}
