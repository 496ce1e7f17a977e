package fit

import (
	"math"

	"github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/alphabeta/regression"
	rules "github.com/carozero/carozero/game/onitama"
)

// By how much weights stray, in units of score, at a spread of 1: a student, or a card, on
// all cells alike; a cell; a step of cards on a cell; a card on a cell; a term.
const (
	kindDeviation  = 30
	cardDeviation  = 8
	placeDeviation = 12
	stepDeviation  = 6
	cellDeviation  = 4
	termDeviation  = 12
	tempoDeviation = 20

	// lateShare is how far the early and the late weight stray apart, by how far they
	// stray together.
	lateShare = 0.5
)

// HandPrior returns the prior whose mean are the weights set by hand. Spread multiplies all
// deviations; 1 is usual.
func HandPrior(spread float64) regression.Prior {
	hand := onitama.HandWeights()
	p := priorBuilder{spread: spread, Prior: regression.Prior{Mean: make([]float64, 2*onitama.NumFeatures)}}
	for f := range onitama.NumFeatures {
		p.Mean[f] = float64(hand.Early[f])
		p.Mean[onitama.NumFeatures+f] = float64(hand.Late[f])
	}
	p.add(tempoDeviation, onitama.Tempo)
	for t := range onitama.Terms {
		p.add(termDeviation, onitama.OwnTerms+t)
		p.add(termDeviation, onitama.OppTerms+t)
	}
	p.add(kindDeviation, squares(onitama.Students)...)
	for _, placed := range []int{onitama.Students, onitama.Masters} {
		for cell := range rules.Squares {
			p.add(placeDeviation, placed+cell)
		}
	}
	for _, held := range []int{onitama.HandStudents, onitama.HandMasters, onitama.SideStudents, onitama.SideMasters} {
		p.addCards(held)
	}
	return p.Prior
}

// squares returns the features of all cells, the first of which is given.
func squares(first int) []int {
	list := make([]int, rules.Squares)
	for cell := range list {
		list[cell] = first + cell
	}
	return list
}

// priorBuilder is a Prior in the making.
type priorBuilder struct {
	regression.Prior
	spread float64
}

// add lets features stray together by the deviation, and their early weights against their
// late ones.
func (p *priorBuilder) add(deviation float64, features ...int) {
	both, apart := make([]regression.Load, 0, 2*len(features)), make([]regression.Load, 0, 2*len(features))
	for _, f := range features {
		a := p.spread * deviation
		early, late := f, onitama.NumFeatures+f
		both = append(both, regression.Load{Weight: early, Amount: a}, regression.Load{Weight: late, Amount: a})
		apart = append(apart, regression.Load{Weight: early, Amount: -lateShare * a}, regression.Load{Weight: late, Amount: lateShare * a})
	}
	p.Factors = append(p.Factors, both, apart)
}

// addCards lets the weights of cards on cells stray, the first of which is given.
func (p *priorBuilder) addCards(first int) {
	with := map[rules.Vector][]rules.Card{}
	var steps []rules.Vector // in the order met
	for card := range rules.Card(rules.Cards) {
		p.add(cardDeviation, squares(first+rules.Squares*int(card))...)
		for cell := range rules.Squares {
			p.add(cellDeviation, first+rules.Squares*int(card)+cell)
		}
		for _, v := range card.Vectors() {
			if with[v] == nil {
				steps = append(steps, v)
			}
			with[v] = append(with[v], card)
		}
	}
	for _, v := range steps {
		for cell := range rules.Squares {
			features := make([]int, len(with[v]))
			for i, card := range with[v] {
				features[i] = first + rules.Squares*int(card) + cell
			}
			p.add(stepDeviation, features...)
		}
	}
}

// mostWeight bounds a weight to both sides of 0.
const mostWeight = 30000

// The margins of fitted weights, whose unit is a 200th of the logarithm of the odds of
// winning: those set by hand for the weights set by hand, on that scale.
const (
	margin    = 110
	marginPly = 80
)

// rounded returns the weights of a vector.
func rounded(v []float64) *onitama.Weights {
	w := &onitama.Weights{Margin: margin, MarginPly: marginPly}
	for f := range onitama.NumFeatures {
		w.Early[f], w.Late[f] = round(v[f]), round(v[onitama.NumFeatures+f])
	}
	return w
}

func round(v float64) int16 {
	return int16(math.Round(math.Max(-mostWeight, math.Min(mostWeight, v))))
}

// vector returns weights in the order of rows: early ones first.
func vector(w *onitama.Weights) []float64 {
	v := make([]float64, 2*onitama.NumFeatures)
	for f := range onitama.NumFeatures {
		v[f], v[onitama.NumFeatures+f] = float64(w.Early[f]), float64(w.Late[f])
	}
	return v
}
