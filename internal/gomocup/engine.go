package gomocup

import (
	"context"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Settings are what a client may ask of an engine beyond a move.
type Settings struct {
	Rule    string // name of the rule set
	Size    int    // side length of the board
	Memory  int64  // bytes that the program may use; 0: no limit was named
	Table   int64  // bytes for what is remembered of searches; 0: no number was named
	Threads int    // 0: no number was named
}

// Limits bound one search.
type Limits struct {
	// Nodes is the exact number of playouts or nodes to spend; a proof of the
	// result may end the search earlier. With 0 the context ends it.
	Nodes int

	// Depth is the number of plies to look ahead, for engines that search by
	// iterations; 0 bounds nothing.
	Depth int

	// Choices is how many of the best moves the client wants to be judged; 0
	// means 1. Engines that judge all moves anyway ignore it.
	Choices int

	// Clock is the time from which ctx's deadline was taken, for engines that
	// manage time themselves.
	Clock Clock
	asked time.Time // when the Clock was that

	// Last, unless it is nil, ends somewhat after the context of Think, when
	// the answer has to be on its way: until then an engine may check the move
	// that its search has chosen.
	Last context.Context

	// Report, unless it is nil, is called by the searching goroutine now and
	// then with what is known so far; the Thought is valid during the call.
	Report func(*Thought)
}

// LastContext returns Last, and a context that never ends if it is nil.
func (l *Limits) LastContext() context.Context {
	if l.Last == nil {
		return context.Background()
	}
	return l.Last
}

// Clock is a client's time for a move when its search begins. Zero bounds
// nothing; what has run out is a nanosecond.
type Clock struct {
	Turn, Left, Increment time.Duration // for the move, for the rest of the game, and added after each move
	Moves                 int           // the engine's own stones on the board
}

// after returns the clock when some more time has passed.
func (c Clock) after(d time.Duration) Clock {
	if c.Turn > 0 {
		c.Turn = max(c.Turn-d, 1)
	}
	if c.Left > 0 {
		c.Left = max(c.Left-d, 1)
	}
	return c
}

// Engine finds moves. Its methods are never called at the same time.
type Engine interface {
	// Configure prepares for games under the settings; it may take a while if
	// they changed and nothing otherwise. An error, such as that of a network
	// that is missing, is told to the client in one line, and nothing is
	// thought about until a later Configure succeeds. What a first Think would
	// have to set up belongs here: it may take as long as a client waits for
	// the answer to START.
	Configure(Settings) error

	// Think returns a legal move for the side to move on board, which fits the
	// last settings, is undecided and may be kept. When ctx ends it returns
	// the best move so far, soon and without an error.
	Think(ctx context.Context, board *gomoku.Board, limits Limits) (*Thought, error)

	// Forget drops everything learned from earlier positions.
	Forget()

	// Ponder thinks about board, on which the opponent of the last Think is to
	// move and which is undecided, until ctx ends, and returns soon then. What
	// it finds may speed up or change later answers.
	Ponder(ctx context.Context, board *gomoku.Board)
}

// Thought is what a search found. Values are in -1..1 for the side to move.
type Thought struct {
	Move     game.Move
	Value    float32
	Mate     int // plies to a proven or claimed end: positive a win, negative a loss, 0 none
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
	Line   []game.Move // from Move on; nil if only Move is known
}
