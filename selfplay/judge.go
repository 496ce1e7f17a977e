package selfplay

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
)

// judge searches the positions of one game after the other, in the order in which
// they are played. It belongs to one play.
type judge interface {
	// start sets it to the first position of a game with that seed.
	start(pos game.Position, seed uint64) error

	// begin begins the search of the position, ply moves into the game.
	begin(ply int)

	// step goes on with the search until it is over or waits for the evaluator,
	// and reports whether it waits. absorb takes in what it waited for.
	step(ctx context.Context) (waits bool, err error)
	absorb()

	// verdict returns what the search that is over says of the position. It is
	// valid until the next begin.
	verdict(ply int) (*verdict, error)

	// advance plays m, which leads to pos.
	advance(m game.Move, pos game.Position) error
}

// verdict is what a judge says of a position: what its row records, and the move
// that is played.
type verdict struct {
	move   game.Move
	moves  []judged // at least one, in any order
	rootQ  float32  // value for the side to move, -1..1
	netQ   float32  // the same without a search
	proven mcts.Proof
	full   bool    // not a cheap search
	weight float32 // of the row; 0: none is recorded

	surprise float64 // of a full search: how far the target is from the network's policy, in nats
}

// judged is a move that the judge has looked at.
type judged struct {
	move   game.Move
	visits uint32
	target float32 // of the policy; the targets of a verdict sum to 1
}
