package arena

import (
	"context"
	"errors"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// ErrResign is returned by a player's Think to give the game up. It loses the
// game and is no forfeit.
var ErrResign = errors.New("resigned")

// Start describes a new game to one of its players.
type Start struct {
	Game int    // the game's number in the match, from 0
	Seed uint64 // a function of the match's seed, Game and the player's side
}

// Player plays one game at a time. It belongs to one goroutine at a time. All
// methods must return soon after their context ends, because the referee
// cannot stop them otherwise.
type Player interface {
	// NewGame prepares for a game. Earlier games must not influence this one.
	// An error forfeits the game.
	NewGame(ctx context.Context, start Start) error

	// Think answers for pos, which is undecided and a copy that the player may
	// change and keep, as a [engine.Engine] does. Of limits only the clock is
	// given. The context ends when the player has overstepped its time. An
	// illegal move and any error but [ErrResign] forfeit the game.
	Think(ctx context.Context, pos game.Position, limits engine.Limits) (*engine.Answer, error)

	// Close ends the player and frees what it holds.
	Close() error
}

// Entrant is one participant of a match.
type Entrant struct {
	// Name names the entrant in records and summaries.
	Name string

	// Description is the player's full description, and Parts returns the
	// files that it uses, nil for none. A match resumes from a journal only if
	// both are unchanged.
	Description string
	Parts       func() ([]Part, error)

	// New makes a player. Each worker makes its own, and makes another in
	// place of one that forfeited. It is called by several goroutines at once.
	New func(ctx context.Context) (Player, error)

	// Control limits the entrant's time. The zero value sets no limit.
	Control TimeControl
}
