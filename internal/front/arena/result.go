package arena

import (
	"fmt"
	"time"

	"github.com/carozero/carozero/game"
)

// Result is a finished game.
type Result struct {
	Game    int         // its number in the match, from 0
	Players [2]int      // the entrants by side
	Opening int         // how many of Moves are the opening
	Moves   []game.Move // from the match's start; an illegal move is not among them
	Outcome game.Outcome
	Reason  game.Reason
	Forfeit *Forfeit // how the loser forfeited, nil if it did not

	Timing [2]Timing
}

// Timing is how a side used its clock; the zero value for one without a clock.
type Timing struct {
	Slowest time.Duration // its longest move, in whole milliseconds
	Late    int           // moves that exceeded the limit, even within the margin
}

// note counts a move by its time and limit.
func (t *Timing) note(took, allowed time.Duration) {
	t.Slowest = max(t.Slowest, took.Truncate(time.Millisecond))
	if took > allowed {
		t.Late++
	}
}

// add adds another game's timing.
func (t *Timing) add(o Timing) {
	t.Slowest = max(t.Slowest, o.Slowest)
	t.Late += o.Late
}

// Fault is a way to forfeit a game.
type Fault string

// The faults.
const (
	Illegal Fault = "illegal" // a move that the rules do not allow
	Failed  Fault = "error"   // the player returned an error
	Timeout Fault = "timeout" // it overstepped its time
)

// Forfeit says how a player lost a game other than on the board.
type Forfeit struct {
	Side  game.Side
	Fault Fault
	Text  string // one line that explains it
}

// verify replays the game from start and returns an error if it breaks the
// rules, or the limit of moves, 0 for none.
func (r *Result) verify(start game.Position, maxPlies int) error {
	pos := start.Clone()
	for i, m := range r.Moves {
		if !pos.Legal(m) {
			return fmt.Errorf("move %d is illegal", i+1)
		}
		pos.Play(m)
	}
	limited := r.Reason == game.MoveLimit
	if limited && (maxPlies == 0 || len(r.Moves) < maxPlies) || !limited && maxPlies > 0 && len(r.Moves) > maxPlies {
		return fmt.Errorf("%d moves, reason %q: the move limit is %d", len(r.Moves), r.Reason, maxPlies)
	}
	var outcome game.Outcome
	switch r.Reason {
	case game.Forfeit:
		if r.Forfeit == nil {
			return fmt.Errorf("a forfeit without its explanation")
		}
		outcome = game.WinFor(r.Forfeit.Side.Other())
	case game.Resigned:
		outcome = game.WinFor(pos.ToMove().Other())
	case game.MoveLimit:
		outcome = game.Draw
	default:
		if pos.Outcome() == game.Undecided || pos.Reason() != r.Reason {
			return fmt.Errorf("reason %q, where the rules say %q", r.Reason, pos.Reason())
		}
		if r.Outcome != pos.Outcome() {
			return fmt.Errorf("result %s, where the rules say %s", r.Outcome, pos.Outcome())
		}
		return nil
	}
	if pos.Outcome() != game.Undecided {
		return fmt.Errorf("reason %q in a game that the rules had ended", r.Reason)
	}
	if r.Outcome != outcome {
		return fmt.Errorf("result %s by %q, which gives %s", r.Outcome, r.Reason, outcome)
	}
	return nil
}
