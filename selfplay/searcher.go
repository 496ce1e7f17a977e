package selfplay

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
)

// searcher searches the positions of a game in the order in which they are played,
// one game after the other. It belongs to one play.
type searcher interface {
	// start sets the first position of a game with that seed.
	start(pos game.Position, seed uint64) error

	// begin begins the search of the position, ply moves into the game.
	begin(ply int)

	// step continues the search until it is done or waits for the evaluator, and
	// reports whether it waits. absorb takes in the results that it waited for.
	step(ctx context.Context) (waits bool, err error)
	absorb()

	// decision returns the result of the search that is done. It is valid until the
	// next begin.
	decision(ply int) (*decision, error)

	// advance plays m, which leads to pos.
	advance(m game.Move, pos game.Position) error
}

// decision is the result of searching a position: the values of its row, and the move
// to play.
type decision struct {
	move   game.Move
	moves  []searchedMove // at least one, in any order
	rootQ  float32        // value for the side to move, -1..1
	netQ   float32        // the same without a search
	proven mcts.Proof
	full   bool    // not a cheap search
	weight float32 // of the row; 0: none is recorded
}

// searchedMove is a move with its share of the policy target.
type searchedMove struct {
	move   game.Move
	visits uint32
	target float32 // of the policy; the targets of a decision sum to 1
}
