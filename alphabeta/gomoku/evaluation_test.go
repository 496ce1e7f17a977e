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
