package games

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/carozero/carozero/alphabeta/pn"
	"github.com/carozero/carozero/game"
)

// Decider finds out by all moves of both sides who wins a position of one game, or that
// nobody does. It leaves positions as they are and belongs to one goroutine.
type Decider interface {
	// Solve searches an undecided position until about so many moves have been played in
	// all. Its error is that of ctx, or of a state that was loaded and cannot be one.
	Solve(ctx context.Context, pos game.Position, nodes int64) (Decision, error)

	// Certify returns the certificate of what the last call of Solve has found, nil for
	// nothing and in games without certificates. The error is that of ctx, wraps
	// ErrTooLarge, or says that the result does not hold.
	Certify(ctx context.Context, pos game.Position, d Decision) ([]byte, error)
}

// ErrTooLarge: the certificate of what was found would have too many positions.
var ErrTooLarge = errors.New("no certificate")

// KeptDecider is a Decider whose search can be saved, and go on later.
type KeptDecider interface {
	Decider

	// Save writes the state of the search, and Load takes it over for a search of pos.
	Save(w io.Writer) error
	Load(data []byte, pos game.Position) error
}

// DecideOptions configure a Decider.
type DecideOptions struct {
	TableBytes int64       // bound on the memory of the tables; 0: 256 MiB
	Progress   func(int64) // unless nil, told now and then how many moves one of two searches has played
}

// Decision is the truth about a position, as far as it was found.
type Decision struct {
	Outcome game.Outcome // Undecided: it is not known
	Holds   [2]bool      // the sides that were found not to lose
	Nodes   int64        // moves played in all
	Ended   bool         // Undecided: the search ended before its budget

	// Plies is how many plies a win takes at most, and Line one of so many as far as it is
	// known; 0 and nil where they stand in the certificate.
	Plies int
	Line  []game.Move
}

// Decider returns a new decider. The error says that the game has none.
func (v Variant) Decider(o DecideOptions) (Decider, error) {
	if v.game.Decider == nil {
		return nil, fmt.Errorf("there is no search that decides positions of %s", v.Game)
	}
	return v.game.Decider(o), nil
}

// IsDeciderState reports whether a file that begins with head means to be the state of a
// Decider.
func IsDeciderState(head []byte) bool { return pn.DecisionBegins(head) }
