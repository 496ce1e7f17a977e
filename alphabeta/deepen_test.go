package alphabeta_test

import (
	"context"
	"testing"
	"time"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
)

// The iterations of a result tell how it came about.
func TestIterations(t *testing.T) {
	var seen []alphabeta.Result
	l := alphabeta.Limits{Depth: 5, Progress: func(r alphabeta.Result) { seen = append(seen, r) }}
	r := search(t, rough{seed: 2, quiesce: true, margin: 20}, alphabeta.Options{}, gametest.NewMNK(6, 6, 5), l)
	if len(r.Iterations) != r.Depth || len(seen) != r.Depth {
		t.Fatalf("%d iterations, %d calls of Progress, depth %d", len(r.Iterations), len(seen), r.Depth)
	}
	var before int64
	for i, it := range r.Iterations {
		s := seen[i]
		if it.Depth != i+1 || it.Nodes <= before || it.Nodes != s.Stats.Nodes || it.Move != s.Move || it.Score != s.Score || it.SelDepth != s.Stats.SelDepth {
			t.Errorf("iteration %d: %+v after %d nodes, reported as %+v", i+1, it, before, s)
		}
		if it.SelDepth < it.Depth || it.SelDepth > 36 {
			t.Errorf("iteration %d reached %d plies", it.Depth, it.SelDepth)
		}
		before = it.Nodes
	}
}

// ticking returns a clock on which every look takes step.
func ticking(step time.Duration) func() int64 {
	var now int64
	return func() int64 { now += int64(step); return now }
}

// With nothing to choose from, time is not wasted.
func TestSingleMoveTakesNoTime(t *testing.T) {
	pos := gametest.NewMNK(1, 5, 5)
	for range 4 {
		pos.Play(pos.Moves(nil)[0])
	}
	s := searcher(t, rough{}, alphabeta.Options{TableMiB: 1, Clock: ticking(time.Microsecond)})
	r, err := s.Search(context.Background(), pos, alphabeta.Limits{Time: time.Hour})
	if err != nil || r.Depth != 1 || r.Move != pos.Moves(nil)[0] {
		t.Errorf("depth %d, move %d, %v", r.Depth, r.Move, err)
	}
}

// The looks at the clock get rarer while they come too often, and come more
// often when nodes are slow, so that a deadline is never missed by much.
func TestClockIsLookedAtInTime(t *testing.T) {
	for _, perNode := range []time.Duration{200 * time.Nanosecond, 2 * time.Microsecond, 20 * time.Microsecond, 100 * time.Microsecond} {
		g := &slow{rough: rough{seed: 8}, perNode: perNode}
		looks := 0
		clock := func() int64 { looks++; return int64(g.now) }
		s := searcher(t, g, alphabeta.Options{TableMiB: 1, Clock: clock}.Exhaustive())
		const limit = 300 * time.Millisecond
		r, err := s.Search(context.Background(), gametest.NewMNK(7, 7, 5), alphabeta.Limits{Time: limit})
		if err != nil || r.Stats.Elapsed < limit || r.Stats.Elapsed > limit+2*time.Millisecond {
			t.Errorf("%v a node: %v after a limit of %v, %v", perNode, r.Stats.Elapsed-limit, limit, err)
		}
		if most := 60 + int(limit/(100*time.Microsecond)); looks > most {
			t.Errorf("%v a node: %d looks at the clock in %v", perNode, looks, limit)
		}
	}
}

// slow is a game on which every evaluation takes perNode of a clock of its own.
type slow struct {
	rough
	perNode, now time.Duration
}

func (g *slow) Bind(pos game.Position) (alphabeta.Heuristics, error) {
	heuristics, err := g.rough.Bind(pos)
	heuristics.Evaluation = &slowEvaluation{heuristics.Evaluation, g}
	return heuristics, err
}

type slowEvaluation struct {
	alphabeta.Evaluation
	game *slow
}

func (e *slowEvaluation) Evaluate() alphabeta.Score {
	e.game.now += e.game.perNode
	return e.Evaluation.Evaluate()
}
