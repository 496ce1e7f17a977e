package alphabeta

import (
	"time"

	"github.com/carozero/carozero/game"
)

// Iteration is what the main thread had after one iteration. Nodes and Elapsed
// are those of the whole search up to its end, of this thread alone.
type Iteration struct {
	Depth    int
	SelDepth int // the longest path from the root, in plies
	Move     game.Move
	Score    Score
	Nodes    int64
	Elapsed  time.Duration // 0 without a clock
}

// Branching returns the effective branching factor of the iteration i: how
// many times as many nodes it took as the one before. It is 0 for the first
// two and where the one before took none.
func Branching(iterations []Iteration, i int) float64 {
	if i < 2 || i >= len(iterations) {
		return 0
	}
	return share(iterations[i].Nodes-iterations[i-1].Nodes, iterations[i-1].Nodes-iterations[i-2].Nodes)
}
