// Package fit fits the weights of the classical evaluation of a game to games, by regression
// on their results ([Regress]) or by TD-Leaf ([TDLeaf]). TECHNIQUES.md of package alphabeta
// says how the shipped ones were made, and what they are worth.
package fit

import (
	"context"
	"errors"
	"fmt"
	"go/format"
	"math"
	"strings"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
)

// LeastGames is how many games a fit needs.
const LeastGames = 50

// holdEvery is the number of games of which one is held out.
const holdEvery = 10

// ErrNoResult says that a game has no result to learn from: it was not finished, or lost by
// a forfeit.
var ErrNoResult = errors.New("the game has no result on the board")

// Game is a game whose evaluation is linear in weights: a feature has one for the beginning
// of a game and one for its end. Weights are [2*features], those of the beginning first.
type Game interface {
	// Features calls count for the features of a position, for the side to move, and
	// returns its phase, 0..1: how far it is from the beginning to the end.
	Features(pos game.Position, count func(feature, n int)) (phase float32)

	// Quiet reports whether the search would leave pos to its evaluation. One goroutine at
	// a time may call it.
	Quiet(ctx context.Context, pos game.Position) bool

	// Prior returns the distribution of weights around those set by hand.
	Prior() Prior

	// Engine returns the game for a search with these weights.
	Engine(weights []float64) alphabeta.Game

	// ScalesScores reports whether the scores of recorded searches are multiplied by the
	// factor that suits the results best before they become targets.
	ScalesScores() bool

	// Source returns the generated Go file that declares these weights. Notes are lines for
	// its head.
	Source(weights []float64, notes []string) ([]byte, error)
}

// Record is a recorded game.
type Record struct {
	Start   func() (game.Position, error) // a new position before the first move
	Moves   []game.Move
	Opening int // leading moves that no player chose

	// Scores are those of the searches that chose the moves, for the first player; NaN
	// where there was none, nil if there are none.
	Scores  []float64
	Outcome game.Outcome
	Reason  game.Reason
}

// replay calls visit for the positions of the game before each of its moves.
func (r *Record) replay(ctx context.Context, visit func(ply int, pos game.Position) error) error {
	pos, err := r.Start()
	if err != nil {
		return err
	}
	for i, m := range r.Moves {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !pos.Legal(m) {
			return fmt.Errorf("move %d is illegal", i+1)
		}
		if err := visit(i, pos); err != nil {
			return err
		}
		pos.Play(m)
	}
	return nil
}

// forFirst turns a score for a side into one for the first player, and back.
func forFirst(score float64, side game.Side) float64 {
	if side == game.Second {
		return 0 - score // not -0
	}
	return score
}

// Data are the quiet positions of games from the end of the opening on: those to fit weights
// to, and those of every tenth game, which are held out to see what the weights are worth in
// games that they have not seen. A position counts once, for the side to move: swapping
// colours or turning the board adds nothing, because sides share weights if the rules treat
// them alike. Targets are results. Data belong to one goroutine.
type Data struct {
	Games     int
	Fit, Held Rows

	game   Game
	played []Record  // whose positions are in Fit
	scores []float64 // of the positions in Fit, for the side to move; NaN where there was none
}

// NewData returns data of no games of g yet.
func NewData(g Game) *Data { return &Data{game: g} }

// Add adds the quiet positions of a game. It takes nothing from a game without a result, for
// which it returns ErrNoResult.
func (d *Data) Add(ctx context.Context, r Record) error {
	if r.Outcome == game.Undecided || r.Reason == game.Forfeit {
		return ErrNoResult
	}
	held := d.Games%holdEvery == holdEvery-1
	err := r.replay(ctx, func(i int, pos game.Position) error {
		if i < r.Opening || !d.game.Quiet(ctx, pos) {
			return nil
		}
		row, score := newRow(d.game, pos, r.Outcome), math.NaN()
		if held {
			d.Held = append(d.Held, row)
			return nil
		}
		if i < len(r.Scores) {
			score = forFirst(r.Scores[i], pos.ToMove())
		}
		d.Fit, d.scores = append(d.Fit, row), append(d.scores, score)
		return nil
	})
	if err != nil {
		return err
	}
	d.Games++
	if !held {
		d.played = append(d.played, r)
	}
	return nil
}

// mix moves the targets of positions from the results towards the scores of their searches,
// by the share trust: so the fit learns what the search finds a few plies later.
func (d *Data) mix(trust float64, scaled bool) {
	factor := 1.0
	if scaled {
		var scores []float64
		var results []float32
		for i, s := range d.scores {
			if math.Abs(s) < float64(alphabeta.MaxEval) { // neither NaN nor a claim
				scores, results = append(scores, s), append(results, d.Fit[i].Target)
			}
		}
		factor = bestFactor(scores, results)
	}
	for i, s := range d.scores {
		if !math.IsNaN(s) {
			result := float64(d.Fit[i].Target)
			d.Fit[i].Target = float32(float64((1-trust)*result) + float64(trust*Probability(factor*s)))
		}
	}
}

// check returns an error if there are too few games.
func (d *Data) check() error {
	if d.Games < LeastGames || len(d.Held) == 0 {
		return fmt.Errorf("%d games with %d quiet positions: want at least %d games", d.Games, len(d.Fit)+len(d.Held),
			LeastGames)
	}
	return nil
}

// Result is what a fit found. Losses are mean cross-entropies in nats; the first of each pair
// is over the positions fitted to, the second over those held out.
type Result struct {
	Weights  []float64  `json:"-"`         // whole numbers
	Loss     [2]float64 `json:"loss"`      // of the fitted weights
	HandLoss [2]float64 `json:"hand_loss"` // of those set by hand
}

// measured returns the result that these weights are.
func (d *Data) measured(weights []float64) Result {
	r := Result{Weights: weights}
	for i, rows := range []Rows{d.Fit, d.Held} {
		r.Loss[i], r.HandLoss[i] = rows.MeanLoss(weights), rows.MeanLoss(d.game.Prior().Mean)
	}
	return r
}

// Regress fits weights to data by logistic regression, unless ctx ends: they make the
// results of the games as probable as they can be under the prior (Bishop, Pattern
// Recognition and Machine Learning, 2006, sections 3.3.1 and 4.3.2), whose deviations spread
// multiplies. trust, 0..1, is the share that the score of a search has in the target of a
// position where there was one; the result has the rest. It changes the targets of data.
func Regress(ctx context.Context, data *Data, spread, trust float64) (Result, error) {
	if err := data.check(); err != nil {
		return Result{}, err
	}
	if trust > 0 {
		data.mix(trust, data.game.ScalesScores())
	}
	prior := data.game.Prior()
	prior.spread(spread)
	fitted, err := minimise(ctx, data.Fit, prior)
	if err != nil {
		return Result{}, err
	}
	return data.measured(rounded(fitted)), nil
}

// mostWeight bounds a weight to both sides of 0.
const mostWeight = 30000

// rounded returns weights that the evaluation can have: whole, and within bounds.
func rounded(v []float64) []float64 {
	w := make([]float64, len(v))
	for i := range v {
		w[i] = math.Round(math.Max(-mostWeight, math.Min(mostWeight, v[i])))
	}
	return w
}

// vector returns weights of the beginning and of the end as one list.
func vector(early, late []int16) []float64 {
	v := make([]float64, 0, len(early)+len(late))
	for _, list := range [][]int16{early, late} {
		for _, w := range list {
			v = append(v, float64(w))
		}
	}
	return v
}

// split is the inverse of vector.
func split(v []float64, early, late []int16) {
	for f := range early {
		early[f], late[f] = int16(v[f]), int16(v[len(early)+f])
	}
}

// section is a run of features in a generated file, and what stands before their weights.
type section struct {
	head     string
	from, to int
}

// source is a generated Go file that declares Weights.
type source struct {
	pkg, name, about string // of the package, and of the variable
	sections         []section
	perLine          int    // numbers
	tail             string // behind the sections
}

// write returns the file for these weights, formatted.
func (s *source) write(weights []float64, notes []string) ([]byte, error) {
	var b strings.Builder
	b.WriteString("// Code generated by carozero fit; DO NOT EDIT.\n\n")
	for _, note := range notes {
		fmt.Fprintf(&b, "// %s\n", strings.Join(strings.Fields(note), " "))
	}
	fmt.Fprintf(&b, "\npackage %s\n\n// %s %s.\nvar %[2]s = Weights{\n", s.pkg, s.name, s.about)
	half := len(weights) / 2
	for i, phase := range []string{"Early", "Late"} {
		fmt.Fprintf(&b, "%s: [NumFeatures]int16{\n", phase)
		for _, part := range s.sections {
			b.WriteString(part.head)
			numbers := weights[i*half+part.from : i*half+part.to]
			for k, v := range numbers {
				if k%s.perLine == 0 && len(numbers) > 1 {
					b.WriteByte('\n')
				}
				fmt.Fprintf(&b, " %d,", int(v))
			}
			b.WriteByte('\n')
		}
		b.WriteString("},\n")
	}
	b.WriteString(s.tail + "}\n")
	return format.Source([]byte(b.String()))
}
