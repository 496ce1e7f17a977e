package alphabeta_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
)

// A search that pauses finds what one finds that does not, to the node, and pauses no
// earlier than asked and soon after.
func TestPausesChangeNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := rough{seed: rapid.Uint64().Draw(rt, "seed"), quiesce: true, margin: 15}
		if rapid.Bool().Draw(rt, "solver") {
			g.solver = &greedy{}
		}
		l := alphabeta.Limits{Nodes: rapid.Int64Range(1, 4000).Draw(rt, "nodes")}
		pos := gametest.NewMNK(6, 6, 5)
		want := search(t, g, alphabeta.Options{}, pos, l)
		if g.solver != nil {
			g.solver = &greedy{}
		}
		step := rapid.Int64Range(1, 700).Draw(rt, "step")
		pauses, next := 0, int64(0)
		l.Pause = func(nodes int64) int64 {
			const most = 64 + 200 // a chunk, or what is reserved for the solver
			if nodes < next || nodes > next+most {
				rt.Fatalf("a pause at %d nodes, asked for at %d", nodes, next)
			}
			pauses++
			next = nodes + step
			return next
		}
		if got := search(t, g, alphabeta.Options{}, pos, l); !reflect.DeepEqual(got, want) {
			rt.Fatalf("%+v with %d pauses, %+v without", got, pauses, want)
		}
		if least := int(want.Stats.Nodes / (step + 64 + 200)); pauses < max(1, least) {
			rt.Fatalf("%d pauses in %d nodes", pauses, want.Stats.Nodes)
		}
	})
}

// A search may be cancelled in a pause, and still has a move.
func TestCancelledInAPause(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	pos := gametest.NewMNK(6, 6, 5)
	r, err := searcher(t, rough{seed: 3}, alphabeta.Options{TableMiB: 1}).Search(ctx, pos, alphabeta.Limits{Pause: func(nodes int64) int64 {
		if nodes >= 500 {
			cancel()
			return math.MaxInt64
		}
		return 500
	}})
	if err != context.Canceled || r.Stats.Nodes < 500 || r.Stats.Nodes > 600 {
		t.Errorf("%v after %d nodes", err, r.Stats.Nodes)
	}
	checkResult(t, pos, r)
}

// Whatever order the moves of the root are asked to have, an exhaustive search has the same
// score, and the order is asked for before every iteration.
func TestOrderOfTheRoot(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := rough{seed: rapid.Uint64().Draw(rt, "seed")}
		pos := gametest.NewMNK(4, 4, 3)
		l := alphabeta.Limits{Depth: 4}
		o := alphabeta.Options{}.Exhaustive()
		want := search(t, g, o, pos, l)
		asked := 0
		l.Order = func() []game.Move {
			asked++
			return rapid.Permutation(append(pos.Moves(nil), 99)).Draw(rt, "order")
		}
		if got := search(t, g, o, pos, l); got.Score != want.Score {
			rt.Fatalf("%v, without an order %v", got.Score, want.Score)
		}
		if asked < want.Depth || asked > l.Depth {
			rt.Fatalf("asked %d times in %d iterations", asked, want.Depth)
		}
	})
}
