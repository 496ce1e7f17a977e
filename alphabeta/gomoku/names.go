package gomoku

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carozero/carozero/alphabeta/shift"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// FeatureName returns the name of a feature: free.17 and bound.17 are the cells of a code,
// standing.3.0 the threats of levels 3 and 0, contested.three.four the cells where one side
// makes the one class and the other the other, own.four.2 and opp.four.2 two cells of a
// class, and taken.1, own.prey, opp.prey, own.break and opp.break speak of captures.
func FeatureName(feature int) string {
	class := func(c int) string { return strings.ReplaceAll(pattern.Class(c).String(), " ", "-") }
	counted := func(f int) string { return class(f/Numbers) + "." + strconv.Itoa(f%Numbers) }
	switch f := feature; {
	case f < BoundCells:
		return "free." + strconv.Itoa(f)
	case f < Standing:
		return "bound." + strconv.Itoa(f-BoundCells)
	case f < Contested:
		return fmt.Sprintf("standing.%d.%d", (f-Standing)/Levels, (f-Standing)%Levels)
	case f < OwnCells:
		f -= Contested
		return "contested." + class(f/int(pattern.Classes)) + "." + class(f%int(pattern.Classes))
	case f < OppCells:
		return "own." + counted(f-OwnCells)
	case f < Taken:
		return "opp." + counted(f-OppCells)
	case f < OwnPrey:
		return "taken." + strconv.Itoa(f-Taken)
	}
	return [...]string{"own.prey", "opp.prey", "own.break", "opp.break"}[feature-OwnPrey]
}

// InUse reports whether positions under a rule set may have a feature.
func InUse(r rules.Rules, feature int) bool {
	switch f := feature; {
	case f < BoundCells:
		return !r.Renju[0] || !r.Renju[1]
	case f < Standing:
		return r.Renju[0] || r.Renju[1]
	case f == Contested:
		return false // counts nothing
	case f >= OwnCells && f < Taken:
		class := pattern.Class((f - OwnCells) % (Numbers * int(pattern.Classes)) / Numbers)
		return class >= countedFrom && class <= countedTo
	case f >= Taken:
		return r.Captures
	}
	return true
}

// Weighed returns the model whose weights are those of another with some of them changed.
func (m *Model) Weighed(r rules.Rules, by shift.Shifts) (*Model, error) {
	changed := *m.weights
	if err := by.Apply(shift.Weights{Feature: FeatureName, Early: changed.Early[:], Late: changed.Late[:]}); err != nil {
		return nil, err
	}
	return NewModel(r, &changed), nil
}
