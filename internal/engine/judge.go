package engine

import (
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
)

// NoNetwork names, where a network that judges may be named, that none does.
const NoNetwork = "none"

// Judge returns who judges for a classical search by the name that a user gave: a
// shipped network that judges or the path of one, NoNetwork for the fitted weights, ""
// for BestWeights.
func Judge(name string) (Weights, nn.IncrementalNetwork, error) {
	switch name {
	case "":
		return BestWeights, nil, nil
	case NoNetwork:
		return FittedWeights, nil, nil
	}
	n, err := loadJudge(name)
	return FittedWeights, n, err
}

// loadJudge loads a network that judges: a shipped one by its name, or a file.
func loadJudge(model string) (nn.IncrementalNetwork, error) {
	n, _, err := judging().load(model, "")
	if err != nil {
		return nil, err
	}
	return n.(nn.IncrementalNetwork), nil
}

// judged returns the options with BestWeights replaced by what they are for the
// variant. A level means the same strength in every release, and keeps the fitted
// ones.
func (o ClassicalOptions) judged(v Variant) (ClassicalOptions, error) {
	if o.Judge != nil {
		return o, o.Judge.Suits(v)
	}
	if o.Weights != BestWeights {
		return o, nil
	}
	o.Weights = FittedWeights
	if o.Level.Nodes > 0 {
		return o, nil
	}
	entry, found, err := models.ForClassical(v.Rule(), v.Size)
	if err != nil || !found {
		return o, err
	}
	best, err := loadJudge(entry.Name)
	if err == nil && best.Suits(v) == nil { // and is of this game, not of one with a rule set of the same name
		o.Judge = best
	}
	return o, err
}
