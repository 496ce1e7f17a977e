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
