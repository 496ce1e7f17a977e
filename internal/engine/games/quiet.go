package games

import (
	"context"
	"io"

	"github.com/carozero/carozero/alphabeta/pn"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
)

// QuietProver proves wins with quiet moves in positions of one game, by a search that can
// be saved and go on later. It leaves positions as they are and belongs to one goroutine.
type QuietProver interface {
	// Solve searches until that many moves have been played in all. Its errors are those
	// of ctx and of QuietOptions.Round, and of a win that could not be certified.
	Solve(ctx context.Context, pos game.Position, nodes int64) (QuietResult, error)

	// Save writes the state of the search, and Load takes it over for a search of pos, which
	// finds what the other would have found if it was saved in QuietOptions.Round.
	Save(w io.Writer) error
	Load(data []byte, pos game.Position) error
}

// QuietOptions configure a QuietProver.
type QuietOptions struct {
	TableBytes int64        // bound on the memory of tables; 0: 256 MiB
	Round      func() error // unless nil, called now and then, which is the time to Save; its error ends Solve
	Progress   func(int64)  // unless nil, told now and then how many moves have been played
}

// QuietResult is what a QuietProver has found.
type QuietResult struct {
	Outcome     vcf.Outcome
	Nodes       int64  // moves played in all
	Certificate []byte // of the win
}

// QuietProver returns a new prover of wins with quiet moves, nil if the game has none.
func (v Variant) QuietProver(o QuietOptions) QuietProver {
	if v.game.QuietProver == nil {
		return nil
	}
	return v.game.QuietProver(o)
}

// IsQuietState reports whether a file that begins with head means to be the state of a
// QuietProver.
func IsQuietState(head []byte) bool { return pn.Begins(head) }
