package arena

import (
	"context"
	"errors"
	"testing"
	"time"

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

// A player with a nanosecond left on the clock has a limit, and oversteps it.
func TestTheLastNanosecond(t *testing.T) {
	for _, c := range []struct {
		took, allowed time.Duration
		want          bool
	}{{2, 1, false}, {1, 1, true}, {2, 0, true}, {3, 2, false}} {
		var r table
		if ok := r.judge(game.First, nil, t.Context(), c.took, c.allowed, "a move"); ok != c.want {
			t.Errorf("%d ns of %d: in time is %t", c.took, c.allowed, ok)
		}
		if f := r.result.Forfeit; (f == nil) != c.want || f != nil && f.Fault != Timeout {
			t.Errorf("%d ns of %d: %+v", c.took, c.allowed, f)
		}
	}
}

// A match that is interrupted says so; one whose last game is over when that happens
// does not.
func TestInterruptedMatches(t *testing.T) {
	for _, games := range []int{2, 40} {
		ctx, cancel := context.WithCancel(t.Context())
		opts := options(games, entrant("a", drawn), entrant("b", drawn))
		recorded := 0
		opts.Record = func(*Result, [2]string) error {
			if recorded++; recorded == 2 {
				cancel()
			}
			return nil
		}
		_, report, err := tryRun(ctx, opts)
		cancel()
		if played := report.Summary().Games; played < 2 || (played < games) != errors.Is(err, context.Canceled) || played == games && err != nil {
			t.Errorf("%d games of %d: %v", played, games, err)
		}
	}
}
