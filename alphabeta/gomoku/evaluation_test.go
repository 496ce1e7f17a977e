package gomoku

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// randomWeights returns weights that tell all features apart.
func randomWeights(rng *rand.Rand) *Weights {
	w := new(Weights)
	for i := range w.Early {
		w.Early[i], w.Late[i] = int16(rng.IntN(61)-30), int16(rng.IntN(61)-30)
	}
	return w
}

// What is kept up to date under plays and undos is what the features
// and weights say, and as it was before once all is undone.
func TestEvaluationIsTheSumOfItsFeatures(t *testing.T) {
	eachRule(t, func(rt *rapid.T, b *pattern.Board, rng *rand.Rand) {
		w := randomWeights(rng)
		model := NewModel(b.Board().Rules(), w)
		parts, err := Game{Models: func(rules.Rules) *Model { return model }}.Bind(b)
		if err != nil {
			rt.Fatal(err)
		}
		start := parts.Evaluation.Evaluate()
		var undo []func()
		for range 12 {
			if got, want := parts.Evaluation.Evaluate(), alphabeta.Score(w.Score(b)); got != want {
				rt.Fatalf("%v, want %v\n%v", got, want, b.Board())
			}
			if len(undo) > 0 && rng.IntN(4) == 0 {
				undo[len(undo)-1]()
				undo = undo[:len(undo)-1]
				continue
			}
			moves := b.Moves(nil)
			b.Play(moves[rng.IntN(len(moves))])
			undo = append(undo, b.Undo)
			if b.Outcome() != game.Undecided {
				undo[len(undo)-1]()
				undo = undo[:len(undo)-1]
			}
		}
		for len(undo) > 0 {
			undo[len(undo)-1]()
			undo = undo[:len(undo)-1]
		}
		if got := parts.Evaluation.Evaluate(); got != start {
			rt.Fatalf("%v after everything was undone, %v before", got, start)
		}
	})
}

// swapped returns the position with the stones of the sides exchanged and the
// other side to move.
func swapped(tb testing.TB, b *pattern.Board) *pattern.Board {
	board := b.Board()
	s := rules.Setup{
		Stones:   make([]rules.Stone, b.MaxMoves()),
		ToMove:   board.ToMove().Other(),
		Captured: [2]int{board.Captured(game.Second), board.Captured(game.First)},
	}
	for c := range s.Stones {
		if stone := board.At(c); stone != rules.Empty {
			s.Stones[c] = rules.StoneOf(stone.Side().Other())
		}
	}
	other, err := rules.NewSetup(board.Rules(), board.Size(), s)
	if err != nil {
		tb.Fatal(err)
	}
	return pattern.FromBoard(other)
}

// Where the rules treat both sides alike, so does the evaluation.
func TestEvaluationIsSymmetric(t *testing.T) {
	eachRule(t, func(rt *rapid.T, b *pattern.Board, _ *rand.Rand) {
		if r := b.Board().Rules(); r.Renju[game.First] {
			return
		}
		here, there := bind(t, b).Evaluation.Evaluate(), bind(t, swapped(t, b)).Evaluation.Evaluate()
		if here != there || here > alphabeta.MaxEval || here < -alphabeta.MaxEval {
			rt.Fatalf("%v, and %v for the other side\n%v", here, there, b.Board())
		}
	})
}

// Under the capture rule and under renju a node that faces a threat is not quiet, so that
// no margin leaves it; elsewhere the evaluation knows the threats.
func TestThreatsAreNotQuiet(t *testing.T) {
	for _, tt := range []struct {
		name, rule, position string
		quiet                bool
	}{
		{"nothing", "school42", "h8a1i9", true},
		{"an open three of First", "school42", "h8a1i8a3j8", false},
		{"an open three of the side to move", "school42", "h8a1i8a3j8a15", true},
		{"a four", "school42", "h8g8i8a3j8a15k8", false},
		{"nothing", "renju", "h8a1i9", true},
		{"an open three of First", "renju", "h8a1i8a3j8", false},
		{"an open three of Second", "renju", "a1h8a3i8a15j8", false},
		{"an open three of the side to move", "renju", "h8a1i8a3j8a15", true},
		{"the same where stones stay", "freestyle", "h8a1i8a3j8", true},
	} {
		b, err := rules.ParsePosition(lookup(t, tt.rule), 15, tt.position)
		if err != nil {
			t.Fatal(err)
		}
		parts := bind(t, b)
		if got := parts.Evaluation.Quiet(); got != tt.quiet {
			t.Errorf("%s: quiet %v, want %v", tt.name, got, tt.quiet)
		}
	}
}

// Fitted weights belong to a rule set, stay within what sums over a board can
// hold, and know nothing of features that its positions do not have: cells of a
// side that renju binds, by which the sides would differ, and captures.
func TestFittedWeights(t *testing.T) {
	const most = 30000
	for rule, w := range fittedWeights {
		r, err := rules.Lookup(rule)
		if err != nil {
			t.Error(err)
			continue
		}
		if *w == *HandWeights(r) {
			t.Errorf("%s: the weights are those set by hand", rule)
		}
		bound := r.Renju[0] || r.Renju[1]
		for f := range NumFeatures {
			early, late := w.Early[f], w.Late[f]
			if max(early, late) > most || min(early, late) < -most {
				t.Errorf("%s, feature %d: %d and %d are out of range", rule, f, early, late)
			}
			absent := f >= BoundCells && f < Standing && !bound || f >= Taken && !r.Captures
			if absent && (early != 0 || late != 0) {
				t.Errorf("%s, feature %d: %d and %d, but no position has it", rule, f, early, late)
			}
		}
	}
}

// levelNeeds are the least numbers of cells that a level takes.
var levelNeeds = [Levels]map[pattern.Class]int{
	levelDoubleTwo:     {pattern.DoubleTwo: 1},
	levelStrongThree:   {pattern.StrongThree: 1},
	levelThree:         {pattern.Three: 1},
	levelThrees:        {pattern.Three: 2},
	levelManyThrees:    {pattern.Three: 3},
	levelMostThrees:    {pattern.Three: 5},
	levelDoubleThree:   {pattern.DoubleThree: 1},
	levelDoubleThrees:  {pattern.DoubleThree: 2},
	levelFour:          {pattern.Four: 1},
	levelFours:         {pattern.Four: 3},
	levelFourAndThree:  {pattern.Four: 1, pattern.Three: 1},
	levelFoursAndThree: {pattern.Four: 3, pattern.Three: 1},
	levelFourAndTwice:  {pattern.Four: 1, pattern.DoubleThree: 1},
	levelFoursAndTwice: {pattern.Four: 3, pattern.DoubleThree: 1},
	levelFourThree:     {pattern.FourThree: 1},
	levelOpenFour:      {pattern.OpenFour: 1}, // cells of DoubleFour count as well
	levelFive:          {pattern.Five: 1},
}

// The level is the highest for which there are cells enough.
func TestLevel(t *testing.T) {
	eachRule(t, func(rt *rapid.T, b *pattern.Board, _ *rand.Rand) {
		for side := range game.Side(2) {
			cells := map[pattern.Class]int{}
			for c := range b.MaxMoves() {
				class := b.LineClass(c, side)
				if class == pattern.DoubleFour {
					class = pattern.OpenFour
				}
				cells[class]++
			}
			want := levelNone
			for l, needs := range levelNeeds {
				enough := true
				for class, least := range needs {
					enough = enough && cells[class] >= least
				}
				if enough {
					want = l
				}
			}
			if got := level(b, side); got != want {
				rt.Fatalf("%v has level %d, want %d\n%v", side, got, want, b.Board())
			}
		}
	})
}

// The hint of a move is the sum of what the order says of the codes of its cell.
func TestHintsAreTheOrder(t *testing.T) {
	eachRule(t, func(rt *rapid.T, b *pattern.Board, _ *rand.Rand) {
		if len(b.Wins(nil)) > 0 {
			return
		}
		r := b.Board().Rules()
		order := fittedOrders[r.Name]
		if order == nil {
			order = fittedOrders["freestyle"]
		}
		parts := bind(t, b)
		own := b.ToMove()
		for _, e := range listed(&parts) {
			c := int(e.Move)
			want := hintUnit * (int32(order.Own[b.Code(c, own)]) + int32(order.Opp[b.Code(c, own.Other())]))
			if e.Hint != want {
				rt.Fatalf("cell %d: hint %d, want %d", c, e.Hint, want)
			}
		}
	})
}
