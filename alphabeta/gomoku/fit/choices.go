package fit

import (
	"context"
	"fmt"
	"math"

	"github.com/carozero/carozero/alphabeta"
	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Choices are positions in which a search has chosen one of the moves that it
// lists. The zero value has none.
type Choices struct {
	moves []move // of all positions, the chosen one of each first
	ends  []uint32
}

// move is a listed move: the codes of its cell for the side to move, and for the
// opponent, to which pattern.Codes is added.
type move [2]uint16

// Len returns the number of positions.
func (c *Choices) Len() int { return len(c.ends) }

// at returns the moves of a position, the chosen one first.
func (c *Choices) at(i int) []move {
	from := uint32(0)
	if i > 0 {
		from = c.ends[i-1]
	}
	return c.moves[from:c.ends[i]]
}

// likely writes to p how likely each move is under weights [2*Codes] in
// hundredths of logarithms of odds, and returns the sum that they were divided by
// and the largest exponent, which was taken off all.
func likely(moves []move, w []float64, p []float64) (sum, top float64) {
	top = math.Inf(-1)
	for i, m := range moves {
		p[i] = (w[m[0]] + w[m[1]]) / 100
		top = math.Max(top, p[i])
	}
	for i := range moves {
		p[i] = math.Exp(p[i] - top)
		sum += p[i]
	}
	for i := range moves {
		p[i] /= sum
	}
	return sum, top
}

// Loss returns the sum of the cross-entropies of all choices, in nats.
func (c *Choices) Loss(w []float64) float64 {
	total := 0.0
	var p [gomoku.MaxSize * gomoku.MaxSize]float64
	for i := range c.ends {
		moves := c.at(i)
		sum, top := likely(moves, w, p[:])
		total += top + math.Log(sum) - (w[moves[0][0]]+w[moves[0][1]])/100
	}
	return total
}

// AddSlope adds the derivative of Loss by each weight.
func (c *Choices) AddSlope(w, gradient []float64) {
	var p [gomoku.MaxSize * gomoku.MaxSize]float64
	for i := range c.ends {
		moves := c.at(i)
		likely(moves, w, p[:])
		p[0]--
		for k, m := range moves {
			gradient[m[0]] += p[k] / 100
			gradient[m[1]] += p[k] / 100
		}
	}
}

// first returns the share of positions where no move is ahead of the chosen one.
func (c *Choices) first(w []float64) float64 {
	n := 0
	for i := range c.ends {
		moves := c.at(i)
		chosen, ahead := w[moves[0][0]]+w[moves[0][1]], 0
		for _, m := range moves[1:] {
			if w[m[0]]+w[m[1]] > chosen {
				ahead++
			}
		}
		if ahead == 0 {
			n++
		}
	}
	return float64(n) / float64(max(c.Len(), 1))
}

// ChoiceData are the choices of games: those to fit an order to, and those of
// every tenth game, which are held out.
type ChoiceData struct {
	Games     int
	Fit, Held Choices
}

// ChoiceCollector turns games of one rule set into ChoiceData. It belongs to one
// goroutine.
type ChoiceCollector struct {
	rules gomoku.Rules
	data  ChoiceData
	list  []alphabeta.ScoredMove
}

// NewChoiceCollector returns a ChoiceCollector for games under r.
func NewChoiceCollector(r gomoku.Rules) *ChoiceCollector { return &ChoiceCollector{rules: r} }

// Collected returns what has been collected so far. It belongs to c.
func (c *ChoiceCollector) Collected() *ChoiceData { return &c.data }

// Add adds the positions of a game after its opening, those left out in which a
// move wins at once or the game's scores claim that it is decided: there the
// order of moves hardly matters. The move of the game counts as the choice.
func (c *ChoiceCollector) Add(ctx context.Context, g Game) error {
	if g.Rules != c.rules {
		return fmt.Errorf("a game of %s: want %s like the others", g.Rules.Name, c.rules.Name)
	}
	b, err := pattern.New(g.Rules, g.Size)
	if err != nil {
		return err
	}
	parts, err := classical.Game{}.Bind(b)
	if err != nil {
		return err
	}
	to := &c.data.Fit
	if c.data.Games%holdEvery == holdEvery-1 {
		to = &c.data.Held
	}
	for i, m := range g.Moves {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !b.Legal(m) {
			return fmt.Errorf("move %d is illegal", i+1)
		}
		if i >= g.Opening && !g.decided(i) && b.Outcome() == game.Undecided && len(b.Wins(nil)) == 0 {
			c.list, _ = parts.Picker.Stage(0, c.list[:0])
			to.add(b, c.list, m)
		}
		b.Play(m)
	}
	c.data.Games++
	return nil
}

// decided reports whether the score of move i claims the end of the game.
func (g *Game) decided(i int) bool {
	if g.Scores == nil || math.IsNaN(g.Scores[i]) {
		return false
	}
	_, claim := alphabeta.Score(g.Scores[i]).Claim()
	return claim
}

// add adds a position in which m was chosen, if it is one of several on the list.
func (c *Choices) add(b *pattern.Board, list []alphabeta.ScoredMove, m game.Move) {
	from := len(c.moves)
	own := b.ToMove()
	found := false
	for _, e := range list {
		cell := int(e.Move)
		c.moves = append(c.moves, move{uint16(b.Code(cell, own)), uint16(pattern.Codes + b.Code(cell, own.Other()))})
		if e.Move == m {
			found = true
			last := len(c.moves) - 1
			c.moves[from], c.moves[last] = c.moves[last], c.moves[from]
		}
	}
	if !found || len(list) < 2 {
		c.moves = c.moves[:from]
		return
	}
	c.ends = append(c.ends, uint32(len(c.moves)))
}

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
