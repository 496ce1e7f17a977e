package gomoku

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"sync"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// evaluation implements alphabeta.Evaluation by the model's values, whose sums the board
// keeps.
type evaluation struct {
	board    *pattern.Board
	weights  *Weights
	captures bool
	renju    bool
	traps    traps
}

func newEvaluation(b *pattern.Board, m *Model) *evaluation {
	r := b.Board().Rules()
	return &evaluation{board: b, weights: m.weights, captures: r.Captures, renju: r.Renju != [2]bool{},
		traps: traps{b, r.Renju}}
}

// Evaluate returns the worth of the board to its side to move; see Weights.
func (e *evaluation) Evaluate() alphabeta.Score {
	b, w := e.board, e.weights
	sum := b.Worth()
	early, late := int(sum.Early), int(sum.Late)
	if b.ToMove() == game.Second {
		early, late = -early, -late
	}
	pairs := b.PairWorth()
	early, late = early+int(pairs.Early), late+int(pairs.Late)
	f := standing(b)
	early, late = early+int(w.Early[f]), late+int(w.Late[f])
	own, opp := b.ToMove(), b.ToMove().Other()
	for class := countedFrom; class <= countedTo; class++ {
		one, two := OwnCells+number(b, own, class), OppCells+number(b, opp, class)
		early += int(w.Early[one]) + int(w.Early[two])
		late += int(w.Late[one]) + int(w.Late[two])
	}
	if e.captures {
		captureFeatures(b, func(f, count int) {
			early += count * int(w.Early[f])
			late += count * int(w.Late[f])
		})
	}
	return alphabeta.Score(taper(early, late, Phase(b)))
}

// Quiet reports whether the evaluation is a reliable lower bound; the threats of the side
// to move only improve its score. Elsewhere than below it always is: the evaluation
// includes the strongest threats of both sides (see game.go), and searching on under
// threats gained nothing in freestyle: -7 +- 33 Elo in 300 games.
//
// Under renju it is not if the opponent threatens to make an open four, two fours, or a
// trap. With captures it is not under those but traps, under a threat to win, to make a
// four and an open three, or to take the tenth stone; searching on under threats of the
// side to move as well cost 56 +- 40 Elo in 300 games of school42.
func (e *evaluation) Quiet() bool {
	if !e.captures && !e.renju {
		return true
	}
	b := e.board
	opp := b.ToMove().Other()
	if b.Count(opp, pattern.OpenFour)+b.Count(opp, pattern.DoubleFour) > 0 {
		return false
	}
	if e.renju {
		_, found := e.traps.find(opp)
		return !found
	}
	n := b.Count(opp, pattern.Five) + b.Count(opp, pattern.FourThree)
	return n == 0 && !b.Board().Pending() && !nearTenth(b, opp)
}

// Margin returns what so many plies of quiet play rarely gain.
func (*evaluation) Margin(depth int) alphabeta.Score {
	return alphabeta.Score(40 + 20*depth)
}

// Evaluator evaluates one board in place of the fitted weights and order, for
// example by a network. It belongs to the thread that searches and allocates nothing.
type Evaluator struct {
	// Value returns the worth of the board to its side to move, on the scale of the
	// fitted evaluation.
	Value func() alphabeta.Score

	// Policy computes the logits of one or more legal moves, in units of
	// 2^-PriorBits; only their differences count. Nil: the fitted order is used.
	Policy func(moves []game.Move, logits []int32)
}

// PriorBits is the number of fraction bits of an Evaluator's Policy: logits are in
// units of 2^-PriorBits.
const PriorBits = 15

// externalEvaluation is the evaluation of an Evaluator, with the margins of the
// model's.
type externalEvaluation struct {
	*evaluation
	value func() alphabeta.Score
}

// Evaluate implements alphabeta.Evaluation.
func (j *externalEvaluation) Evaluate() alphabeta.Score { return j.value() }

// prior implements alphabeta.Prior by an Evaluator's Policy.
type prior struct {
	policy func(moves []game.Move, logits []int32)
	moves  []game.Move // scratch
	logits []int32     // scratch
}

// natural is one unit of a natural logarithm on the scale of hints.
const natural = 100 * hintUnit

// Rate implements alphabeta.Prior: the hint of a quiet move is the logarithm of its
// odds against the best of the moves.
func (p *prior) Rate(moves []alphabeta.ScoredMove) {
	if len(moves) < 2 {
		return
	}
	p.moves = p.moves[:0]
	for i := range moves {
		p.moves = append(p.moves, moves[i].Move)
	}
	logits := p.logits[:len(moves)]
	p.policy(p.moves, logits)
	best := slices.Max(logits)
	for i := range moves {
		if e := &moves[i]; e.Kind == alphabeta.Quiet {
			behind := int64(best) - int64(logits[i])
			e.Hint = int32(-behind * natural >> PriorBits)
			e.Behind = int16(min(behind*alphabeta.BehindUnit>>PriorBits, math.MaxInt16))
		}
	}
}

// HandWeights returns weights by a formula: every line of a cell is worth
// something by itself, and a cell the sum, raised where lines meet.
func HandWeights(r rules.Rules) *Weights {
	w := new(Weights)
	for code, lines := range pattern.CodeShapes() {
		v := handCell(lines)
		for _, base := range [...]int{FreeCells, BoundCells} {
			w.Early[base+code], w.Late[base+code] = int16(v), int16(v)
		}
	}
	for own := range Levels {
		for opp := range Levels {
			v := handStanding(own, opp)
			w.Early[Standing+Levels*own+opp], w.Late[Standing+Levels*own+opp] = v, v
		}
	}
	if r.Captures {
		w.handCaptures()
	}
	return w
}

// handLine is the worth of a line by its pattern and stage.
var handLine = [pattern.Lines][3]int{
	pattern.Dead:         {0, 1, 2},
	pattern.ClosedTwo:    {2, 2, 2},
	pattern.OpenTwo:      {4, 5, 6},
	pattern.ClosedThree:  {5, 5, 5},
	pattern.OpenThree:    {10, 12, 12},
	pattern.SimpleFour:   {14, 14, 14},
	pattern.StraightFour: {30, 30, 30},
	pattern.FiveLine:     {40, 40, 40},
	pattern.Foul:         {0, 0, 0},
}

// handCell returns the worth of a cell with these lines, the strongest first:
// half of the second line is added once more for where it meets the first.
func handCell(lines [4]pattern.Shape) int {
	if lines[0].Line == pattern.Foul {
		return 0
	}
	sum := 0
	for i, s := range lines {
		v := handLine[s.Line][s.Stage]
		sum += v
		if i == 1 {
			sum += v / 2
		}
	}
	return sum
}

// handLevel is the worth of a level to the side to move, and to its opponent.
var handLevel = [Levels][2]int16{
	levelThree:         {30, 10},
	levelThrees:        {45, 20},
	levelManyThrees:    {45, 20},
	levelMostThrees:    {45, 20},
	levelDoubleThree:   {160, 60},
	levelDoubleThrees:  {160, 60},
	levelFour:          {30, 15},
	levelFours:         {30, 15},
	levelFourAndThree:  {70, 45},
	levelFoursAndThree: {70, 45},
	levelFourAndTwice:  {70, 45},
	levelFoursAndTwice: {70, 45},
	levelFourThree:     {400, 120},
	levelOpenFour:      {1500, 150},
	levelFive:          {3000, 200},
}

func handStanding(own, opp int) int16 {
	const turn = 100
	return turn + handLevel[own][0] - handLevel[opp][1]
}

// handCaptures sets the weights of the capture rule.
func (w *Weights) handCaptures() {
	for f, v := range map[int]int16{
		Taken + 1: 60, Taken + 2: 140, Taken + 3: 260, Taken + 4: 500,
		OwnPrey: -20, OppPrey: 40, OwnBreak: -10, OppBreak: 25,
	} {
		w.Early[f], w.Late[f] = v, v
	}
}

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

// usualScale is the scale of a rule set to which none was fitted.
const usualScale = 200

// Scale returns the score of a search with the fitted weights at which the odds of
// winning are e to 1, as it was fitted to games of the rule set.
func Scale(r rules.Rules) float64 {
	if s, ok := scales[r.Name]; ok {
		return s
	}
	return usualScale
}

// Digest returns the SHA-256, in hexadecimal digits, of the numbers that the search uses
// for a rule set: the evaluation's weights, fitted or set by hand, and the order of moves.
func Digest(r rules.Rules, byHand bool) string {
	w := fitted(r)
	if byHand {
		w = HandWeights(r)
	}
	sum := sha256.New()
	// A hash takes all bytes, and all of these have a fixed size.
	_ = binary.Write(sum, binary.LittleEndian, w)
	_ = binary.Write(sum, binary.LittleEndian, fittedOrders[orderName(&r)])
	return hex.EncodeToString(sum.Sum(nil))
}

// The features of a position, in the order of their numbers.
const (
	// FreeCells and the Codes-1 features after it count the empty cells of a
	// side by pattern.Board.Code, those of the side to move less those of its
	// opponent. A side that renju restricts has BoundCells instead.
	FreeCells  = 0
	BoundCells = FreeCells + pattern.Codes

	// Standing+Levels*own+opp is 1 for the strongest threats own of the side
	// to move and opp of its opponent, both 0..Levels-1; it holds the worth of
	// the turn as well.
	Standing = BoundCells + pattern.Codes

	// Contested+Classes*own+opp counts the empty cells where a stone of the
	// side to move makes the class own and one of its opponent the class opp,
	// by pattern.Board.LineClass. Those where neither makes anything are left
	// out; they are as many as the board is large.
	Contested = Standing + Levels*Levels

	// OwnCells+Numbers*class+n is 1 if the side to move has n cells where its stone
	// makes that class, countedFrom..countedTo, or at least n if that is
	// Numbers-1; OppCells+Numbers*class+n says the same of its opponent.
	OwnCells = Contested + int(pattern.Classes)*int(pattern.Classes)
	OppCells = OwnCells + Numbers*int(pattern.Classes)

	// Under the capture rule: Taken+n, n of 1..4, is what a side has captured
	// in pairs, those of the side to move less those of its opponent; OwnPrey
	// and OppPrey count the stones of the side to move and of its opponent
	// that the other could capture now, OwnBreak and OppBreak those of them
	// that stand in a line of three or more, all at most mostPrey.
	Taken    = OppCells + Numbers*int(pattern.Classes)
	OwnPrey  = Taken + takenSteps
	OppPrey  = OwnPrey + 1
	OwnBreak = OppPrey + 1
	OppBreak = OwnBreak + 1

	NumFeatures = OppBreak + 1
)

// The classes whose cells are counted, and the different numbers of them.
const (
	countedFrom = pattern.HalfTwo
	countedTo   = pattern.OpenFour

	Numbers = 16
)

const (
	takenSteps = 5 // captured pairs, 0..4
	mostPrey   = 6
)

// FullPhase is the number of stones on the board from which on the late weights
// count alone.
const FullPhase = 60

// Weights are those of the evaluation for one rule set, in units of score by
// feature. With s the stones on the board, at most FullPhase, and n[f] the
// count of feature f, the score for the side to move is
//
//	sum over f of n[f] * ((FullPhase-s)*Early[f] + s*Late[f]) / FullPhase
//
// rounded towards zero once, at the end. A score is about 200 times the
// logarithm of the odds of winning.
type Weights struct {
	Early, Late [NumFeatures]int16
}

// Phase returns the s of a position; see Weights.
func Phase(b *pattern.Board) int { return min(b.Stones().Len(), FullPhase) }

// taper returns the score of two sums of weights.
func taper(early, late, phase int) int {
	return (early*(FullPhase-phase) + late*phase) / FullPhase
}

// Score returns what an evaluation of b returns, computed from its Features.
func (w *Weights) Score(b *pattern.Board) int {
	early, late := 0, 0
	Features(b, func(feature, count int) {
		early += count * int(w.Early[feature])
		late += count * int(w.Late[feature])
	})
	return taper(early, late, Phase(b))
}

// Features calls visit for the features of a position that is not over, some of
// them several times.
func Features(b *pattern.Board, visit func(feature, count int)) {
	r := b.Board().Rules()
	stones := b.Stones()
	own := b.ToMove()
	for c := range b.MaxMoves() {
		if stones.Has(c) {
			continue
		}
		visit(cellBase(&r, own)+b.Code(c, own), 1)
		visit(cellBase(&r, own.Other())+b.Code(c, own.Other()), -1)
		if f := contested(b.LineClass(c, own), b.LineClass(c, own.Other())); f != Contested {
			visit(f, 1)
		}
	}
	visit(standing(b), 1)
	for class := countedFrom; class <= countedTo; class++ {
		visit(OwnCells+number(b, own, class), 1)
		visit(OppCells+number(b, own.Other(), class), 1)
	}
	if r.Captures {
		captureFeatures(b, visit)
	}
}

// contested returns the feature of an empty cell by what both sides make there.
func contested(own, opp pattern.Class) int {
	return Contested + int(pattern.Classes)*int(own) + int(opp)
}

// number returns the feature, counted from the first, of how many cells of a
// class a side has.
func number(b *pattern.Board, side game.Side, class pattern.Class) int {
	return Numbers*int(class) + min(b.Count(side, class), Numbers-1)
}

// cellBase returns the feature of a side's cells with code 0.
func cellBase(r *rules.Rules, side game.Side) int {
	if r.Renju[side] {
		return BoundCells
	}
	return FreeCells
}

// fittedWeights holds the generated weights by the name of the rule set. Package
// fit has the recipe.
var fittedWeights = map[string]*Weights{
	"caro":      &caroWeights,
	"freestyle": &freestyleWeights,
	"renju":     &renjuWeights,
	"school42":  &school42Weights,
	"standard":  &standardWeights,

	// The kinds of caro play so much alike that one set of weights serves all.
	"caro-overline":      &caroWeights,
	"caro-edge":          &caroWeights,
	"caro-edge-overline": &caroWeights,
}

// fittedOrders holds the generated orders of moves by the name of the rule set,
// that of freestyle for all others.
var fittedOrders = map[string]*Order{
	"freestyle": &freestyleOrder,
}
