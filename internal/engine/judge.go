package engine

import (
	"sync"

	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn/line"
)

// NoNetwork names, where a line network may be named, that none judges.
const NoNetwork = "none"

// Judge returns who judges for a classical search by the name that a user gave: a
// shipped line network or the path of one, NoNetwork for the fitted weights, "" for
// BestWeights.
func Judge(name string) (Weights, *line.Network, error) {
	switch name {
	case "":
		return BestWeights, nil, nil
	case NoNetwork:
		return FittedWeights, nil, nil
	}
	n, err := LineNetwork(name)
	return FittedWeights, n, err
}

// judged returns the options with BestWeights replaced by what they are for the
// variant. A level means the same strength in every release, and keeps the fitted
// ones.
func (o ClassicalOptions) judged(v Variant) (ClassicalOptions, error) {
	if o.Line != nil {
		return o, v.takesLines(o.Line)
	}
	if o.Weights != BestWeights {
		return o, nil
	}
	o.Weights = FittedWeights
	if o.Level.Nodes > 0 || v.game.lineEvaluator == nil {
		return o, nil
	}
	entry, found, err := models.Judge(v.Rule(), v.Size)
	if err == nil && found {
		o.Line, err = shippedLine(entry.Name)
	}
	return o, err
}

// shippedLines holds the shipped line networks that were asked for, by their names.
// They are read-only, and many searches share one.
var shippedLines sync.Map

// shippedLine returns a shipped line network.
func shippedLine(name string) (*line.Network, error) {
	if n, loaded := shippedLines.Load(name); loaded {
		return n.(*line.Network), nil
	}
	data, entry, err := models.Open(name)
	if err != nil {
		return nil, err
	}
	n, err := line.Load(entry.Name, data, entry.SHA256)
	if err != nil {
		return nil, err
	}
	shared, _ := shippedLines.LoadOrStore(name, n)
	return shared.(*line.Network), nil
}
