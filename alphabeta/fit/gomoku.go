package fit

import (
	"context"
	"math"
	"strings"

	"github.com/carozero/carozero/alphabeta"
	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Gomoku returns the [Game] of a rule set.
func Gomoku(r gomoku.Rules) Game { return &gomokuGame{r, vcf.New(vcf.Options{})} }

type gomokuGame struct {
	rules  gomoku.Rules
	solver *vcf.Solver // of Quiet
}

// Features implements [Game].
func (*gomokuGame) Features(pos game.Position, count func(feature, n int)) float32 {
	b := pos.(*pattern.Board)
	classical.Features(b, count)
	return float32(classical.Phase(b)) / classical.FullPhase
}

// solverNodes bounds the search for a win by fours in one position.
const solverNodes = 500

// Quiet reports whether the game has begun and goes on, neither side completes a winning line
// or takes the last stones with its next move, and the side to move is not found to win by
// continuous fours.
func (g *gomokuGame) Quiet(ctx context.Context, pos game.Position) bool {
	b := pos.(*pattern.Board)
	if b.Outcome() != game.Undecided || b.Stones().Len() == 0 {
		return false
	}
	for _, side := range []game.Side{game.First, game.Second} {
		if t := b.Threats(side); !t.Five.Empty() {
			return false
		}
	}
	return g.solver.Solve(ctx, b, vcf.VCF, solverNodes).Outcome != vcf.Win
}

// ScalesScores implements [Game].
func (*gomokuGame) ScalesScores() bool { return false }

// Engine implements [Game].
func (g *gomokuGame) Engine(weights []float64) alphabeta.Game {
	model := classical.NewModel(g.rules, gomokuWeights(weights))
	return classical.Game{Models: func(gomoku.Rules) *classical.Model { return model }}
}

func gomokuWeights(v []float64) *classical.Weights {
	w := new(classical.Weights)
	split(v, w.Early[:], w.Late[:])
	return w
}

// Prior ties together the weights of cells that have lines in common: most of the thousands
// of combinations are too rare to be learnt one by one.
func (g *gomokuGame) Prior() Prior {
	hand := classical.HandWeights(g.rules)
	p := Prior{Mean: vector(hand.Early[:], hand.Late[:])}
	for _, base := range cellBases(&g.rules) {
		p.addCells(base)
	}
	p.addLevels()
	for f := classical.Contested + 1; f < classical.OwnCells; f++ {
		p.together(contestedDeviation, f)
	}
	for f := classical.OwnCells; f < classical.Taken; f++ {
		p.together(numberDeviation, f)
	}
	if g.rules.Captures {
		for f := classical.Taken + 1; f < classical.NumFeatures; f++ {
			p.together(10+math.Abs(p.Mean[f])/3, f)
		}
	}
	return p
}

// cellBases returns the numbers of the first cell features of the sides, which
// share theirs unless renju tells them apart.
func cellBases(r *gomoku.Rules) []int {
	if r.Renju[0] || r.Renju[1] {
		return []int{classical.FreeCells, classical.BoundCells}
	}
	return []int{classical.FreeCells}
}

// Deviations of the worth of a cell: by each of its four lines, by each pair of
// its lines, and by all four at once. The first grows with what a line is worth
// by hand.
const (
	lineDeviation = 2.0
	lineShare     = 0.25
	pairDeviation = 1.0
	cellDeviation = 1.5
)

// addCells adds the factors of the cells with the features from base on.
func (p *Prior) addCells(base int) {
	shapes := pattern.CodeShapes()
	byLine := newGroups[pattern.Shape]()
	byPair := newGroups[[2]pattern.Shape]()
	alone := map[pattern.Shape]float64{} // the worth of a cell with one line that is not void
	void := shapes[0][0]
	for code, s := range shapes {
		if s[1] == void {
			alone[s[0]] = math.Abs(p.Mean[base+code])
		}
	}
	for code, s := range shapes {
		f := base + code
		for i, a := range s {
			byLine.add(a, f, lineDeviation+lineShare*alone[a])
			for _, b := range s[i+1:] {
				byPair.add([2]pattern.Shape{a, b}, f, pairDeviation)
			}
		}
		p.together(cellDeviation, f)
	}
	byLine.addTo(p)
	byPair.addTo(p)
}

// Deviations of what levels are worth: by the level of each side, and by both.
const (
	levelDeviation = 20.0
	levelShare     = 0.25
	bothDeviation  = 15.0
)

// The deviation of what a cell is worth by its classes for both sides, beside
// what it is worth by its lines.
const contestedDeviation = 2.0

// The deviation of what a number of cells of one class is worth.
const numberDeviation = 7.5

// addLevels adds the factors of the strongest threats of both sides.
func (p *Prior) addLevels() {
	turn := p.Mean[classical.Standing]
	sides := newGroups[[2]int]()
	for own := range classical.Levels {
		for opp := range classical.Levels {
			ofOwn := classical.Standing + classical.Levels*own
			f := ofOwn + opp
			sides.add([2]int{0, own}, f, levelDeviation+levelShare*math.Abs(p.Mean[ofOwn]-turn))
			sides.add([2]int{1, opp}, f, levelDeviation+levelShare*math.Abs(p.Mean[classical.Standing+opp]-turn))
			p.together(bothDeviation, f)
		}
	}
	sides.addTo(p)
}

// sections returns the features that positions of a rule set can have.
func sections(r *gomoku.Rules) []section {
	list := []section{{"FreeCells:", classical.FreeCells, classical.BoundCells}}
	if len(cellBases(r)) > 1 {
		list = append(list, section{"BoundCells:", classical.BoundCells, classical.Standing})
	}
	list = append(list,
		section{"Standing:", classical.Standing, classical.Contested},
		section{"Contested:", classical.Contested, classical.OwnCells},
		section{"OwnCells:", classical.OwnCells, classical.OppCells},
		section{"OppCells:", classical.OppCells, classical.Taken})
	if r.Captures {
		list = append(list, section{"Taken:", classical.Taken, classical.NumFeatures})
	}
	return list
}

// identifier returns the name of a rule set as names of variables begin: caroEdge for
// caro-edge.
func identifier(rule string) string {
	words := strings.Split(rule, "-")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

// Source implements [Game]. Weights of features that no position of the rule set has are left
// out.
func (g *gomokuGame) Source(weights []float64, notes []string) ([]byte, error) {
	s := source{pkg: "gomoku", name: identifier(g.rules.Name) + "Weights", sections: sections(&g.rules), perLine: 20,
		about: "are fitted to the results of games under " + g.rules.Name}
	return s.write(weights, notes)
}
