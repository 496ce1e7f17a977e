package games

import "github.com/carozero/carozero/nn"

// Weights names the weights of the evaluation, in gomoku.
type Weights uint8

// The weights.
const (
	FittedWeights Weights = iota // to results of games
	HandWeights                  // by a formula
	BestWeights                  // of the shipped line network that is stronger at equal time; FittedWeights where none is
)

// Evaluation says what judges positions for a classical search. The zero value is the
// fitted evaluation.
type Evaluation struct {
	Weights Weights
	Judge   nn.IncrementalNetwork // judges in place of Weights; nil: none

	Endgames Endgames // nil: none
}
