package arena

import (
	"testing"

	"github.com/carozero/carozero/game"
)

// Games of the same two are the same if their moves are, and told apart by any one of
// them, by their number and by who plays first.
func TestGamesAreToldApart(t *testing.T) {
	games := []Result{
		{Players: [2]int{0, 1}}, {Players: [2]int{1, 0}}, {Players: [2]int{0, 2}},
		{Players: [2]int{0, 1}, Moves: []game.Move{1}}, {Players: [2]int{0, 1}, Moves: []game.Move{2}},
		{Players: [2]int{0, 1}, Moves: []game.Move{1, 2}}, {Players: [2]int{0, 1}, Moves: []game.Move{2, 1}},
		{Players: [2]int{0, 1}, Moves: []game.Move{1, 258}},
	}
	for i := range games {
		for j := range games {
			if same := digestOf(&games[i]) == digestOf(&games[j]); same != (i == j) {
				t.Errorf("%+v and %+v are the same: %t", games[i], games[j], same)
			}
		}
	}
}

// What a player that fails says of it is one line, whatever it says.
func TestForfeitsAreOneLine(t *testing.T) {
	var r table
	r.forfeit(game.First, Failed, "move 3:\n\tpanic: \r\n  nothing  left\n")
	if f := r.result.Forfeit; f == nil || f.Text != "move 3: panic: nothing left" || f.Side != game.First || f.Fault != Failed {
		t.Errorf("%+v", r.result.Forfeit)
	}
	if r.result.Outcome != game.SecondWins || r.result.Reason != game.Forfeit {
		t.Errorf("%v by %v", r.result.Outcome, r.result.Reason)
	}
}
