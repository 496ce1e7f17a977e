package game_test

import (
	"testing"

	"github.com/carozero/carozero/game"
)

func TestOutcome(t *testing.T) {
	tests := []struct {
		outcome       game.Outcome
		text          string
		first, second int
	}{
		{game.Undecided, "undecided", 0, 0},
		{game.FirstWins, "first", 1, -1},
		{game.SecondWins, "second", -1, 1},
		{game.Draw, "draw", 0, 0},
	}
	for _, tt := range tests {
		if got := tt.outcome.String(); got != tt.text {
			t.Errorf("outcome %d is written %q, want %q", tt.outcome, got, tt.text)
		}
		if a, b := tt.outcome.Value(game.First), tt.outcome.Value(game.Second); a != tt.first || b != tt.second {
			t.Errorf("%v is worth %d and %d, want %d and %d", tt.outcome, a, b, tt.first, tt.second)
		}
	}
	for _, s := range []game.Side{game.First, game.Second} {
		if game.WinFor(s).Value(s) != 1 {
			t.Errorf("WinFor(%v) is no win for it", s)
		}
	}
	var zero game.Outcome
	if zero != game.Undecided {
		t.Error("the zero outcome is not Undecided")
	}
}

func TestProof(t *testing.T) {
	for _, c := range []struct {
		proof  game.Proof
		text   string
		signed int
		before game.Proof
	}{
		{game.Proof{}, "", 0, game.Proof{}},
		{game.Proof{game.Won, 5, true}, "win in 5", 5, game.Proof{game.Lost, 6, true}},
		{game.Proof{game.Won, 0, false}, "win in 0", 1, game.Proof{game.Lost, 1, false}},
		{game.Proof{game.Lost, 4, false}, "loss in 4", -4, game.Proof{game.Won, 5, false}},
		{game.Proof{game.Drawn, 7, false}, "draw in 7", 0, game.Proof{game.Drawn, 8, false}},
		{game.Proof{game.Drawn, 0, false}, "draw", 0, game.Proof{game.Drawn, 0, false}},
	} {
		if c.proof.String() != c.text || c.proof.Signed() != c.signed || c.proof.Before() != c.before {
			t.Errorf("%+v: %q, %d, %+v", c.proof, c.proof.String(), c.proof.Signed(), c.proof.Before())
		}
	}
}

// A result and an outcome say the same of a side, and are read as they are written.
func TestResult(t *testing.T) {
	for _, r := range []game.Result{game.Unproven, game.Won, game.Drawn, game.Lost} {
		for _, s := range []game.Side{game.First, game.Second} {
			o := r.Winner(s)
			if o.For(s) != r || o.For(s.Other()) != r.Flip() || float32(o.Value(s)) != r.Value() {
				t.Errorf("%v for %v is %v", r, s, o)
			}
		}
		var read game.Result
		if text, err := r.MarshalText(); err != nil || read.UnmarshalText(text) != nil || read != r {
			t.Errorf("%v is read as %v", r, read)
		}
	}
	if new(game.Result).UnmarshalText([]byte("won")) == nil {
		t.Error("won is a result")
	}
}
