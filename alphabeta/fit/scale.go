package fit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// ScoredPosition is a position of a finished game with the score of a search.
type ScoredPosition struct {
	Game   int     // positions of a game are fitted to, or held out, together
	Score  float64 // of the search, for the side to move; not a claim
	Result float64 // of the game, for the side to move: 1, 0.5 or 0
}

// Calibration is how the scores of searches turn into expected results under one rule
// set: score s is worth 1/(1+exp(-s/Units)) points. Losses are mean
// cross-entropies in nats: over the positions fitted to, and over those held out.
type Calibration struct {
	Rule      string     `json:"rule"`
	Units     float64    `json:"scale"` // the score at which the odds of winning are e to 1
	Games     int        `json:"games"`
	Positions int        `json:"positions"`
	Held      int        `json:"held_out"` // positions
	Loss      [2]float64 `json:"loss"`
}

// Bounds of scales.
const (
	leastUnits = 10
	mostUnits  = 10_000
)

// errFewScores says that nothing can be fitted.
var errFewScores = errors.New("want scored positions of at least 50 games")

// FitScale fits the scale to positions by logistic regression. Every tenth game
// is held out.
func FitScale(rule string, list []ScoredPosition) (Calibration, error) {
	s := Calibration{Rule: rule}
	var sets [2][]ScoredPosition
	games := map[int]bool{}
	for _, j := range list {
		games[j.Game] = true
		which := 0
		if j.Game%10 == 9 {
			which = 1
		}
		sets[which] = append(sets[which], j)
	}
	s.Games, s.Positions, s.Held = len(games), len(sets[0]), len(sets[1])
	if s.Games < LeastGames || s.Held == 0 {
		return s, fmt.Errorf("%s: %d games with %d scored positions: %w", rule, s.Games, len(list), errFewScores)
	}
	loss := func(set []ScoredPosition, units float64) float64 {
		sum := 0.0
		for _, j := range set {
			sum += crossEntropy(Scale*j.Score/units, j.Result)
		}
		return sum / float64(len(set))
	}
	s.Units = math.Round(math.Exp(goldenSection(func(logarithm float64) float64 {
		return loss(sets[0], math.Exp(logarithm))
	}, math.Log(leastUnits), math.Log(mostUnits))))
	for i, set := range sets {
		s.Loss[i] = loss(set, s.Units)
	}
	return s, nil
}

// ScaleSource returns the Go file, formatted, that declares the scales of rule
// sets for package alphabeta/gomoku. Notes are lines for its head.
func ScaleSource(scales []Calibration, notes []string) ([]byte, error) {
	scales = slices.Clone(scales)
	slices.SortFunc(scales, func(a, b Calibration) int { return strings.Compare(a.Rule, b.Rule) })
	for _, s := range scales {
		notes = append(notes, fmt.Sprintf("%s: %d games, %d positions and %d held out; loss %.4f, held out %.4f.",
			s.Rule, s.Games, s.Positions, s.Held, s.Loss[0], s.Loss[1]))
	}
	b := newSource(notes)
	b.WriteString(
		"\npackage gomoku\n\n// scales are the scales of rule sets by their names; see Scale.\nvar scales = " +
			"map[string]float64{\n",
	)
	for _, s := range scales {
		fmt.Fprintf(b, "%q: %g,\n", s.Rule, s.Units)
	}
	b.WriteString("}\n")
	return b.formatted()
}
