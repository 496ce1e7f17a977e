package gomocup

import (
	"context"

	"github.com/carozero/carozero/internal/engine"
)

// Settings are what a client may ask of an engine beyond a move.
type Settings struct {
	Rule    string // name of the rule set
	Size    int    // side length of the board
	Memory  int64  // bytes that the program may use; 0: no limit was named
	Table   int64  // bytes for what is remembered of searches; 0: no number was named
	Threads int    // 0: no number was named

	// Hurry says that a clock runs or may run soon: what can wait, such as the memory
	// of a larger table, is left to the engine's Settle, if it is a Settler.
	Hurry bool
}

// Settler is an engine that postpones a part of what new settings ask for until no client
// waits.
type Settler interface {
	// Settle goes on with that. It returns soon when ctx ends.
	Settle(ctx context.Context)
}

// Open returns an engine for games under the settings. It may take a while if
// they changed, and otherwise returns the engine of before, which is no longer
// used after any other call. An error, such as that of a network that is
// missing, is sent to the client in one line, and there are no searches until
// a later call succeeds. What a first Think would have to set up belongs here:
// it may take as long as a client waits for the answer to START.
type Open func(Settings) (engine.Engine, error)
