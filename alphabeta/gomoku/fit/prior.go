package fit

import (
	"math"

	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// HandPrior returns the prior whose mean is the weights set by hand for a rule set. spread
// multiplies all amounts; 1 is usual.
func HandPrior(r gomoku.Rules, spread float64) regression.Prior {
	hand := classical.HandWeights(r)
	p := priorBuilder{spread: spread, Prior: regression.Prior{Mean: make([]float64, 2*classical.NumFeatures)}}
	for f := range classical.NumFeatures {
		p.Mean[f] = float64(hand.Early[f])
		p.Mean[classical.NumFeatures+f] = float64(hand.Late[f])
	}
	for _, base := range cellBases(&r) {
		p.addCells(base)
	}
	p.addLevels()
	for f := classical.Contested + 1; f < classical.OwnCells; f++ {
		p.add([]member{{f, contestedDeviation}})
	}
	for f := classical.OwnCells; f < classical.Taken; f++ {
		p.add([]member{{f, numberDeviation}})
	}
	if r.Captures {
		for f := classical.Taken + 1; f < classical.NumFeatures; f++ {
			p.add([]member{{f, 10 + math.Abs(p.Mean[f])/3}})
		}
	}
	return p.Prior
}

// cellBases returns the numbers of the first cell features of the sides, which
// share theirs unless renju tells them apart.
func cellBases(r *gomoku.Rules) []int {
	if r.Renju[0] || r.Renju[1] {
		return []int{classical.FreeCells, classical.BoundCells}
	}
	return []int{classical.FreeCells}
}

// priorBuilder is a Prior in the making.
type priorBuilder struct {
	regression.Prior
	spread float64
}

// member is a feature of a factor.
type member struct {
	feature int
	amount  float64
}

// lateShare is the deviation of the difference between the end and the
// beginning of a game, in parts of that of both.
const lateShare = 0.5

// add adds two factors for some features: one for both weights of each, one
// that moves them apart.
func (p *priorBuilder) add(members []member) {
	both, apart := make([]regression.Load, 0, 2*len(members)), make([]regression.Load, 0, 2*len(members))
	for _, m := range members {
		a := p.spread * m.amount
		early, late := m.feature, classical.NumFeatures+m.feature
		both = append(both, regression.Load{Weight: early, Amount: a}, regression.Load{Weight: late, Amount: a})
		apart = append(apart, regression.Load{Weight: early, Amount: -lateShare * a}, regression.Load{Weight: late, Amount: lateShare * a})
	}
	p.Factors = append(p.Factors, both, apart)
}

// Deviations of the worth of a cell: by each of its four lines, by each pair of
// its lines, and by all four at once. The first grows with what a line is worth
// by hand.
const (
	lineDeviation = 2.0
	lineShare     = 0.25
	pairDeviation = 1.0
	cellDeviation = 1.5
)

// addCells adds the factors of the cells with the features from base on.
func (p *priorBuilder) addCells(base int) {
	shapes := pattern.CodeShapes()
	byLine := newGroups[pattern.Shape]()
	byPair := newGroups[[2]pattern.Shape]()
	alone := map[pattern.Shape]float64{} // the worth of a cell with one line that is not void
	void := shapes[0][0]
	for code, s := range shapes {
		if s[1] == void {
			alone[s[0]] = math.Abs(p.Mean[base+code])
		}
	}
	for code, s := range shapes {
		f := base + code
		for i, a := range s {
			byLine.add(a, f, lineDeviation+lineShare*alone[a])
			for _, b := range s[i+1:] {
				byPair.add([2]pattern.Shape{a, b}, f, pairDeviation)
			}
		}
		p.add([]member{{f, cellDeviation}})
	}
	for _, g := range byLine.list {
		p.add(g)
	}
	for _, g := range byPair.list {
		p.add(g)
	}
}

// Deviations of what levels are worth: by the level of each side, and by both.
const (
	levelDeviation = 20.0
	levelShare     = 0.25
	bothDeviation  = 15.0
)

// The deviation of what a cell is worth by its classes for both sides, beside
// what it is worth by its lines.
const contestedDeviation = 2.0

// The deviation of what a number of cells of one class is worth.
const numberDeviation = 7.5

// addLevels adds the factors of the strongest threats of both sides.
func (p *priorBuilder) addLevels() {
	turn := p.Mean[classical.Standing]
	sides := newGroups[[2]int]()
	for own := range classical.Levels {
		for opp := range classical.Levels {
			f := classical.Standing + classical.Levels*own + opp
			sides.add([2]int{0, own}, f, levelDeviation+levelShare*math.Abs(p.Mean[classical.Standing+classical.Levels*own]-turn))
			sides.add([2]int{1, opp}, f, levelDeviation+levelShare*math.Abs(p.Mean[classical.Standing+opp]-turn))
			p.add([]member{{f, bothDeviation}})
		}
	}
	for _, g := range sides.list {
		p.add(g)
	}
}

// groups collects the features that have something in common, in the order in
// which it is first met. What a feature has several times counts as often.
type groups[K comparable] struct {
	list [][]member
	at   map[K]int
}

func newGroups[K comparable]() *groups[K] { return &groups[K]{at: map[K]int{}} }

func (g *groups[K]) add(key K, feature int, amount float64) {
	i, known := g.at[key]
	if !known {
		i = len(g.list)
		g.at[key] = i
		g.list = append(g.list, nil)
	}
	if last := len(g.list[i]) - 1; last >= 0 && g.list[i][last].feature == feature {
		g.list[i][last].amount += amount
		return
	}
	g.list[i] = append(g.list[i], member{feature, amount})
}
