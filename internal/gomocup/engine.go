package gomocup

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Settings are what a client may ask of an engine beyond a move.
type Settings struct {
	Rule    string // name of the rule set
	Size    int    // side length of the board
	Memory  int64  // bytes that the program may use; 0: no limit was named
	Threads int    // 0: no number was named
}

// Limits bound one search.
type Limits struct {
	// Nodes is the exact number of playouts or nodes to spend; a proof of the
	// result may end the search earlier. With 0 the context ends it.
	Nodes int

	// Report, unless it is nil, is called by the searching goroutine now and
	// then with what is known so far; the Thought is valid during the call.
	Report func(*Thought)
}

// Engine finds moves. Its methods are never called at the same time.
type Engine interface {
	// Configure prepares for games under the settings; it may take a while if
	// they changed and nothing otherwise. An error, such as that of a network
	// that is missing, is told to the client in one line, and nothing is
	// thought about until a later Configure succeeds.
	Configure(Settings) error

	// Think returns a legal move for the side to move on board, which fits the
	// last settings, is undecided and may be kept. When ctx ends it returns
	// the best move so far, soon and without an error.
	Think(ctx context.Context, board *gomoku.Board, limits Limits) (*Thought, error)

	// Forget drops everything learned from earlier positions.
	Forget()
}

// Thought is what a search found. Values are in -1..1 for the side to move.
type Thought struct {
	Move     game.Move
	Value    float32
	Mate     int // plies to a proven end: positive a win, negative a loss, 0 unproven
	Nodes    int
	Depth    int
	SelDepth int
	Line     []game.Move // principal variation, from Move on
	Choices  []Choice    // best first
}

// Choice is one move that a search considered.
type Choice struct {
	Move   game.Move
	Value  float32
	Mate   int // as in Thought
	Visits int
}
