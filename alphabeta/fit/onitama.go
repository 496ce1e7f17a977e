package fit

import (
	"context"
	"fmt"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/onitama"
)

// Onitama returns the [Game] of Onitama.
func Onitama() Game { return new(onitamaGame) }

type onitamaGame struct{ moves []game.Move }

// Features implements [Game].
func (*onitamaGame) Features(pos game.Position, count func(feature, n int)) float32 {
	b := pos.(*rules.Board)
	onitama.Features(b, count)
	return float32(onitama.Phase(b)) / onitama.FullPhase
}

// Quiet reports whether the side to move can neither win at once nor take anything.
func (g *onitamaGame) Quiet(_ context.Context, pos game.Position) bool {
	b := pos.(*rules.Board)
	g.moves = b.Moves(g.moves[:0])
	return !slices.ContainsFunc(g.moves, b.Captures) && len(b.Wins(g.moves[:0])) == 0
}

// ScalesScores implements [Game].
func (*onitamaGame) ScalesScores() bool { return true }

// Engine implements [Game].
func (*onitamaGame) Engine(weights []float64) alphabeta.Game {
	return onitama.Game{Weights: onitamaWeights(weights)}
}

// The margins of fitted weights, whose unit is a 200th of the logarithm of the odds of
// winning: those set by hand for the weights set by hand, on that scale.
const (
	margin    = 110
	marginPly = 80
)

func onitamaWeights(v []float64) *onitama.Weights {
	w := &onitama.Weights{Margin: margin, MarginPly: marginPly}
	split(v, w.Early[:], w.Late[:])
	return w
}

// held are the features that are counted by card.
var held = []section{
	{"HandStudents", onitama.HandStudents, onitama.HandMasters},
	{"HandMasters", onitama.HandMasters, onitama.SideStudents},
	{"SideStudents", onitama.SideStudents, onitama.SideMasters},
	{"SideMasters", onitama.SideMasters, onitama.OwnTerms},
}

// Source implements [Game].
func (*onitamaGame) Source(weights []float64, notes []string) ([]byte, error) {
	s := source{pkg: "onitama", name: "fittedWeights", about: "are fitted to the results and scores of games",
		perLine: rules.Squares, tail: fmt.Sprintf("Margin: %d, MarginPly: %d,\n", margin, marginPly)}
	s.sections = []section{
		{"Tempo:", onitama.Tempo, onitama.Tempo + 1},
		{"Students:", onitama.Students, onitama.Masters}, {"Masters:", onitama.Masters, onitama.HandStudents},
	}
	for _, h := range held {
		for card := range rules.Card(rules.Cards) {
			from := h.from + rules.Squares*int(card)
			head := fmt.Sprintf("%s+%d*%d: // %v", h.head, rules.Squares, card, card)
			s.sections = append(s.sections, section{head, from, from + rules.Squares})
		}
	}
	s.sections = append(s.sections, section{"OwnTerms:", onitama.OwnTerms, onitama.OppTerms},
		section{"OppTerms:", onitama.OppTerms, onitama.NumFeatures})
	return s.write(weights, notes)
}

// By how much weights stray, in units of score, at a spread of 1: a student, or a card, on
// all cells alike; a cell; a step of cards on a cell; a card on a cell; a term.
const (
	kindDeviation     = 30
	cardDeviation     = 8
	placeDeviation    = 12
	stepDeviation     = 6
	cardCellDeviation = 4
	termDeviation     = 12
	tempoDeviation    = 20
)

// Prior lets the weights of a card on a cell stray with those of all cards that have the same
// step there, with those of the card on all cells, and a little by themselves: a card that
// few games have is judged by what it shares with others.
func (*onitamaGame) Prior() Prior {
	hand := onitama.HandWeights()
	p := Prior{Mean: vector(hand.Early[:], hand.Late[:])}
	p.together(tempoDeviation, onitama.Tempo)
	for t := range onitama.Terms {
		p.together(termDeviation, onitama.OwnTerms+t)
		p.together(termDeviation, onitama.OppTerms+t)
	}
	p.together(kindDeviation, squares(onitama.Students)...)
	for _, placed := range []int{onitama.Students, onitama.Masters} {
		for cell := range rules.Squares {
			p.together(placeDeviation, placed+cell)
		}
	}
	for _, h := range held {
		p.addCards(h.from)
	}
	return p
}

// squares returns the features of all cells, the first of which is given.
func squares(first int) []int {
	list := make([]int, rules.Squares)
	for cell := range list {
		list[cell] = first + cell
	}
	return list
}

// addCards lets the weights of cards on cells stray, the first of which is given.
func (p *Prior) addCards(first int) {
	type stepOn struct {
		step rules.Vector
		cell int
	}
	steps := newGroups[stepOn]()
	for card := range rules.Card(rules.Cards) {
		features := squares(first + rules.Squares*int(card))
		p.together(cardDeviation, features...)
		for _, f := range features {
			p.together(cardCellDeviation, f)
		}
		for _, v := range card.Vectors() {
			for cell, f := range features {
				steps.add(stepOn{v, cell}, f, stepDeviation)
			}
		}
	}
	steps.addTo(p)
}
