package gomoku

import (
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// HandWeights returns weights by a formula: every line of a cell is worth
// something by itself, and a cell the sum, raised where lines meet.
func HandWeights(r rules.Rules) *Weights {
	w := new(Weights)
	for code, lines := range pattern.CodeShapes() {
		v := handCell(lines)
		for _, base := range [...]int{FreeCells, BoundCells} {
			w.Early[base+code], w.Late[base+code] = int16(v), int16(v)
		}
	}
	for own := range Levels {
		for opp := range Levels {
			v := handStanding(own, opp)
			w.Early[Standing+Levels*own+opp], w.Late[Standing+Levels*own+opp] = v, v
		}
	}
	if r.Captures {
		w.handCaptures()
	}
	return w
}

// handLine is the worth of a line by its pattern and stage.
var handLine = [pattern.Lines][3]int{
	pattern.Dead:         {0, 1, 2},
	pattern.ClosedTwo:    {2, 2, 2},
	pattern.OpenTwo:      {4, 5, 6},
	pattern.ClosedThree:  {5, 5, 5},
	pattern.OpenThree:    {10, 12, 12},
	pattern.SimpleFour:   {14, 14, 14},
	pattern.StraightFour: {30, 30, 30},
	pattern.FiveLine:     {40, 40, 40},
	pattern.Foul:         {0, 0, 0},
}

// handCell returns the worth of a cell with these lines, the strongest first:
// half of the second line is added once more for where it meets the first.
func handCell(lines [4]pattern.Shape) int {
	if lines[0].Line == pattern.Foul {
		return 0
	}
	sum := 0
	for i, s := range lines {
		v := handLine[s.Line][s.Stage]
		sum += v
		if i == 1 {
			sum += v / 2
		}
	}
	return sum
}

// handLevel is the worth of a level to the side to move, and to its opponent.
var handLevel = [Levels][2]int16{
	levelThree:         {30, 10},
	levelThrees:        {45, 20},
	levelManyThrees:    {45, 20},
	levelMostThrees:    {45, 20},
	levelDoubleThree:   {160, 60},
	levelDoubleThrees:  {160, 60},
	levelFour:          {30, 15},
	levelFours:         {30, 15},
	levelFourAndThree:  {70, 45},
	levelFoursAndThree: {70, 45},
	levelFourAndTwice:  {70, 45},
	levelFoursAndTwice: {70, 45},
	levelFourThree:     {400, 120},
	levelOpenFour:      {1500, 150},
	levelFive:          {3000, 200},
}

func handStanding(own, opp int) int16 {
	const turn = 100
	return turn + handLevel[own][0] - handLevel[opp][1]
}

// handCaptures sets the weights of the capture rule.
func (w *Weights) handCaptures() {
	for f, v := range map[int]int16{
		Taken + 1: 60, Taken + 2: 140, Taken + 3: 260, Taken + 4: 500,
		OwnPrey: -20, OppPrey: 40, OwnBreak: -10, OppBreak: 25,
	} {
		w.Early[f], w.Late[f] = v, v
	}
}
