package games

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/game"
)

// DecideOptions bound Variant.Decide.
type DecideOptions struct {
	Nodes      int64       // moves that are played at most, about
	TableBytes int64       // bound on the table's memory, decided positions not counted; 0: 256 MiB
	Progress   func(int64) // unless nil, told now and then how many moves one of two searches has played
}

// Decision is the truth about a position, as far as it was found.
type Decision struct {
	Outcome     game.Outcome // Undecided: it is not known
	Nodes       int64        // moves played in all
	Certificate []byte       // that proves the outcome, or that one side does not lose; nil: nothing was found
}

// HasDecisions reports whether positions of the game can be decided.
func (v Variant) HasDecisions() bool { return v.game.Decide != nil }

// Decide finds out by all moves of both sides who wins an undecided position, or that
// nobody does. pos is the same afterwards. The error is that of ctx, or of a result that
// could not be certified.
func (v Variant) Decide(ctx context.Context, pos game.Position, o DecideOptions) (Decision, error) {
	if !v.HasDecisions() {
		return Decision{}, fmt.Errorf("there is no search that decides positions of %s", v.Game)
	}
	return v.game.Decide(ctx, pos, o)
}
