package fit

import (
	"context"
	"fmt"
	"math"

	"github.com/carozero/carozero/alphabeta"
	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Choices are positions in which a search has chosen one of the moves that it lists: the
// chosen one of each comes first.
type Choices [][]move

// move is a listed move: the codes of its cell for the side to move, and for the
// opponent, to which pattern.Codes is added.
type move [2]uint16

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
func (c Choices) Loss(w []float64) float64 {
	total := 0.0
	var p [gomoku.MaxSize * gomoku.MaxSize]float64
	for _, moves := range c {
		sum, top := likely(moves, w, p[:])
		total += top + math.Log(sum) - (w[moves[0][0]]+w[moves[0][1]])/100
	}
	return total
}

// AddSlope adds the derivative of Loss by each weight.
func (c Choices) AddSlope(w, gradient []float64) {
	var p [gomoku.MaxSize * gomoku.MaxSize]float64
	for _, moves := range c {
		likely(moves, w, p[:])
		p[0]--
		for k, m := range moves {
			gradient[m[0]] += p[k] / 100
			gradient[m[1]] += p[k] / 100
		}
	}
}

// first returns the share of positions where no move is ahead of the chosen one.
func (c Choices) first(w []float64) float64 {
	n := 0
	for _, moves := range c {
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
	return float64(n) / float64(max(len(c), 1))
}

// ChoiceData are the choices of games: those to fit an order to, and those of
// every tenth game, which are held out.
type ChoiceData struct {
	Games     int
	Fit, Held Choices
}

// ChoiceCollector turns games of one rule set of gomoku into ChoiceData. The zero value is
// ready. It belongs to one goroutine.
type ChoiceCollector struct {
	data ChoiceData
	list []alphabeta.ScoredMove
}

// Collected returns what has been collected so far. It belongs to c.
func (c *ChoiceCollector) Collected() *ChoiceData { return &c.data }

// Add adds the positions of a game after its opening, those left out in which a move wins at
// once or the game's scores claim that it is decided: there the order of moves hardly
// matters. The move of the game counts as the choice.
func (c *ChoiceCollector) Add(ctx context.Context, r Record) error {
	to := &c.data.Fit
	if c.data.Games%holdEvery == holdEvery-1 {
		to = &c.data.Held
	}
	var parts alphabeta.Heuristics
	err := r.replay(ctx, func(i int, pos game.Position) (err error) {
		b := pos.(*pattern.Board)
		if i == 0 {
			if parts, err = (classical.Game{}).Bind(b); err != nil {
				return err
			}
		}
		if i >= r.Opening && !r.decided(i) && b.Outcome() == game.Undecided && len(b.Wins(nil)) == 0 {
			c.list, _ = parts.Picker.Stage(0, c.list[:0])
			to.add(b, c.list, r.Moves[i])
		}
		return nil
	})
	if err == nil {
		c.data.Games++
	}
	return err
}

// decided reports whether the score of move i claims the end of the game.
func (r *Record) decided(i int) bool {
	if r.Scores == nil || math.IsNaN(r.Scores[i]) {
		return false
	}
	_, claim := alphabeta.Score(r.Scores[i]).Claim()
	return claim
}

// add adds a position in which m was chosen, if it is one of several on the list.
func (c *Choices) add(b *pattern.Board, list []alphabeta.ScoredMove, m game.Move) {
	own := b.ToMove()
	moves := make([]move, len(list))
	found := false
	for i, e := range list {
		cell := int(e.Move)
		moves[i] = move{uint16(b.Code(cell, own)), uint16(pattern.Codes + b.Code(cell, own.Other()))}
		if e.Move == m {
			found = true
			moves[0], moves[i] = moves[i], moves[0]
		}
	}
	if found && len(list) > 1 {
		*c = append(*c, moves)
	}
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
// orderPrior with that spread.
func FitOrder(ctx context.Context, data *ChoiceData, spread float64) (OrderResult, error) {
	if data.Games < LeastGames || len(data.Held) == 0 {
		return OrderResult{}, fmt.Errorf("%d games with %d choices: want at least %d games", data.Games,
			len(data.Fit)+len(data.Held), LeastGames)
	}
	if err := checkSpread(spread); err != nil {
		return OrderResult{}, err
	}
	fitted, err := minimise(ctx, data.Fit, orderPrior(spread))
	if err != nil {
		return OrderResult{}, err
	}
	r := OrderResult{Order: new(classical.Order)}
	for code := range pattern.Codes {
		r.Order.Own[code], r.Order.Opp[code] = roundHint(fitted[code]), roundHint(fitted[pattern.Codes+code])
	}
	for i, c := range []Choices{data.Fit, data.Held} {
		r.Loss[i] = c.Loss(fitted) / float64(max(len(c), 1))
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

// orderPrior returns the prior of the hints, 0 for all: those of codes that have
// lines or the class in common stray together. Spread multiplies all amounts.
func orderPrior(spread float64) Prior {
	p := Prior{Mean: make([]float64, 2*pattern.Codes)}
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
			p.Factors = append(p.Factors, []Load{{Weight: w, Amount: spread * orderCell}})
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
func loads(group []member, spread float64) []Load {
	list := make([]Load, len(group))
	for i, m := range group {
		list[i] = Load{Weight: m.feature, Amount: spread * m.amount}
	}
	return list
}

// OrderSource returns the Go file, formatted, that declares the order of moves
// of a rule set for package alphabeta/gomoku. Notes are lines for its head.
func OrderSource(r gomoku.Rules, o *classical.Order, notes []string) ([]byte, error) {
	b, name := newSource(notes), identifier(r.Name)+"Order"
	fmt.Fprintf(b, `
package gomoku

import "github.com/carozero/carozero/game/gomoku/pattern"

// %s is fitted to moves that searches chose under %s.
var %s = Order{
`, name, r.Name, name)
	for _, side := range []struct {
		name  string
		hints []int16
	}{{"Own", o.Own[:]}, {"Opp", o.Opp[:]}} {
		fmt.Fprintf(b, "%s: [pattern.Codes]int16{\n", side.name)
		b.numbers(side.hints, 20)
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	return b.formatted()
}
