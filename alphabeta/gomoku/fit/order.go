package fit

import (
	"context"
	"fmt"
	"math"

	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// OrderResult is what the fit of an order found, each pair over the positions
// fitted to and over those held out.
type OrderResult struct {
	Order *classical.Order `json:"-"`

	Loss  [2]float64 `json:"loss"`  // mean cross-entropy, in nats
	First [2]float64 `json:"first"` // share of positions where the chosen move comes first
}

// FitOrder fits the order of moves to choices by softmax regression (Bishop,
// Pattern Recognition and Machine Learning, 2006, section 4.3.4) under the
// OrderPrior with that spread.
func FitOrder(ctx context.Context, data *ChoiceData, spread float64) (OrderResult, error) {
	if data.Games < LeastGames || data.Held.Len() == 0 {
		return OrderResult{}, fmt.Errorf("%d games with %d choices: want at least %d games", data.Games, data.Fit.Len()+data.Held.Len(), LeastGames)
	}
	if !(spread > 0) || math.IsInf(spread, 1) {
		return OrderResult{}, fmt.Errorf("spread %v: want a positive number", spread)
	}
	fitted, err := regression.Minimise(ctx, &data.Fit, OrderPrior(spread))
	if err != nil {
		return OrderResult{}, err
	}
	r := OrderResult{Order: new(classical.Order)}
	for code := range pattern.Codes {
		r.Order.Own[code], r.Order.Opp[code] = roundHint(fitted[code]), roundHint(fitted[pattern.Codes+code])
	}
	for i, c := range []*Choices{&data.Fit, &data.Held} {
		r.Loss[i] = c.Loss(fitted) / float64(max(c.Len(), 1))
		r.First[i] = c.first(fitted)
	}
	return r, nil
}

// mostHint bounds the hints, in hundredths of logarithms of odds, to both sides
// of 0.
const mostHint = 2000

func roundHint(v float64) int16 {
	return int16(math.Round(math.Max(-mostHint, math.Min(mostHint, v))))
}

// Deviations of hints, in hundredths of logarithms of odds: by each of the four
// lines of a cell, each pair of its lines, its class, and all four lines at once.
const (
	orderLine  = 50.0
	orderPair  = 25.0
	orderClass = 100.0
	orderCell  = 25.0
)

// OrderPrior returns the prior of the hints, 0 for all: those of codes that have
// lines or the class in common stray together. Spread multiplies all amounts.
func OrderPrior(spread float64) regression.Prior {
	p := regression.Prior{Mean: make([]float64, 2*pattern.Codes)}
	shapes := pattern.CodeShapes()
	for side := range 2 {
		byLine, byPair := newGroups[pattern.Shape](), newGroups[[2]pattern.Shape]()
		byClass := newGroups[pattern.Class]()
		for code, s := range shapes {
			w := side*pattern.Codes + code
			for i, a := range s {
				byLine.add(a, w, orderLine)
				for _, b := range s[i+1:] {
					byPair.add([2]pattern.Shape{a, b}, w, orderPair)
				}
			}
			byClass.add(pattern.CodeClass(s), w, orderClass)
			p.Factors = append(p.Factors, []regression.Load{{Weight: w, Amount: spread * orderCell}})
		}
		for _, list := range [][][]member{byLine.list, byPair.list, byClass.list} {
			for _, group := range list {
				p.Factors = append(p.Factors, loads(group, spread))
			}
		}
	}
	return p
}

// loads turns the members of a group into a factor.
func loads(group []member, spread float64) []regression.Load {
	list := make([]regression.Load, len(group))
	for i, m := range group {
		list[i] = regression.Load{Weight: m.feature, Amount: spread * m.amount}
	}
	return list
}
