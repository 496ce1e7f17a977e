package gomoku

import (
	"sync"

	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Model is a set of weights ready for use under one rule set. It never changes
// and may be shared.
type Model struct {
	weights *Weights
	values  *pattern.Values
}

// NewModel makes a model for a rule set from weights, which it keeps and which
// must not change any more. It takes a millisecond or less and half a megabyte.
func NewModel(r rules.Rules, w *Weights) *Model {
	return &Model{weights: w, values: pattern.NewValues(func(side game.Side, code int) (early, late int16) {
		f := cellBase(&r, side) + code
		return w.Early[f], w.Late[f]
	}, func(own, opp pattern.Class) (early, late int16) {
		f := contested(own, opp)
		if f == Contested {
			return 0, 0 // nothing
		}
		return w.Early[f], w.Late[f]
	})}
}

// Shipped returns the model with the fitted weights of a rule set, or with
// those of Hand where none are fitted.
func Shipped(r rules.Rules) *Model { return shippedModels.of(r, fitted) }

// Hand returns the model with the weights that follow from the definitions of
// the lines alone.
func Hand(r rules.Rules) *Model { return handModels.of(r, HandWeights) }

// shipped and byHand remember the models made so far: they are pure functions
// of the rules, and few.
var shippedModels, handModels models

type models struct {
	mu   sync.Mutex
	made map[rules.Rules]*Model
}

// of returns the model of a rule set with the weights of a source. It is safe
// for concurrent use.
func (m *models) of(r rules.Rules, source func(rules.Rules) *Weights) *Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	model := m.made[r]
	if model == nil {
		if m.made == nil {
			m.made = map[rules.Rules]*Model{}
		}
		model = NewModel(r, source(r))
		m.made[r] = model
	}
	return model
}

// fitted returns the fitted weights of a rule set, those of HandWeights where
// there are none.
func fitted(r rules.Rules) *Weights {
	if w := fittedWeights[r.Name]; w != nil {
		return w
	}
	return HandWeights(r)
}
