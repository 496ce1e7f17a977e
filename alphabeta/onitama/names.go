package onitama

import (
	"github.com/carozero/carozero/alphabeta/shift"
	rules "github.com/carozero/carozero/game/onitama"
)

// termNames are the names of the terms of a side.
var termNames = [Terms]string{"mobility", "attacked", "hanging", "guarded", "escapes"}

// FeatureName returns the name of a feature, such as tempo, students.c3, masters.a1,
// hand.students.Tiger.c3, side.masters.Ox.a1 or own.mobility.
func FeatureName(feature int) string {
	cell := func(f int) string { return string(rune('a'+f%5)) + string(rune('1'+f/5)) }
	onCard := func(f int) string {
		return rules.Card(f/rules.Squares).String() + "." + cell(f%rules.Squares)
	}
	switch f := feature; {
	case f == Tempo:
		return "tempo"
	case f < Masters:
		return "students." + cell(f-Students)
	case f < HandStudents:
		return "masters." + cell(f-Masters)
	case f < HandMasters:
		return "hand.students." + onCard(f-HandStudents)
	case f < SideStudents:
		return "hand.masters." + onCard(f-HandMasters)
	case f < SideMasters:
		return "side.students." + onCard(f-SideStudents)
	case f < OwnTerms:
		return "side.masters." + onCard(f-SideMasters)
	case f < OppTerms:
		return "own." + termNames[f-OwnTerms]
	default:
		return "opp." + termNames[f-OppTerms]
	}
}

// CardOf returns the card that a feature is about; ok is false if it is about none.
func CardOf(feature int) (card rules.Card, ok bool) {
	if feature < HandStudents || feature >= OwnTerms {
		return 0, false
	}
	return rules.Card((feature - HandStudents) % cardCells / rules.Squares), true
}

// Shifted returns the weights with some of them changed.
func (w *Weights) Shifted(by shift.Shifts) (*Weights, error) {
	changed := *w
	return &changed, by.Apply(shift.Weights{Feature: FeatureName, Early: changed.Early[:], Late: changed.Late[:]})
}
