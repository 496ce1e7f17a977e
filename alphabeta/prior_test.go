package alphabeta_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
)

// rated is a rough game with a Prior of hashes; asked counts the moves that it has
// rated.
type rated struct {
	rough
	asked *int
}

func (g rated) Bind(pos game.Position) (alphabeta.Heuristics, error) {
	parts, err := g.rough.Bind(pos)
	parts.Prior = &roughPrior{g, pos}
	return parts, err
}

type roughPrior struct {
	rated
	pos game.Position
}

func (p *roughPrior) Rate(moves []alphabeta.ScoredMove) {
	*p.asked += len(moves)
	for i := range moves {
		if e := &moves[i]; e.Kind == alphabeta.Quiet {
			h := mix(p.seed+3, p.pos.Hash()^uint64(e.Move))
			e.Hint, e.Behind = int32(h>>40%64), int16(h>>8%(8*alphabeta.BehindUnit))
		}
	}
}

// A Prior orders moves and reduces them, so that it changes nothing of the value of
// an exhaustive search: that is minimax's, whatever the least depth.
func TestPriorIsSound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		asked := 0
		g := rated{rough{seed: rapid.Uint64().Draw(rt, "seed")}, &asked}
		pos := gametest.NewMNK(4, 3, 3)
		for range rapid.IntRange(0, 4).Draw(rt, "plies") {
			if m := rapid.SampledFrom(pos.Moves(nil)).Draw(rt, "move"); pos.Outcome() == game.Undecided {
				pos.Play(m)
			}
		}
		if pos.Outcome() != game.Undecided || len(pos.Wins(nil)) > 0 {
			return
		}
		depth := rapid.IntRange(1, 4).Draw(rt, "depth")
		o := alphabeta.Options{TableMiB: alphabeta.Off, PriorDepth: rapid.SampledFrom([]int{alphabeta.Off, 1, 2, 3}).Draw(rt, "prior")}.Exhaustive()
		if got, want := search(t, g, o, pos, alphabeta.Limits{Depth: depth}).Score, oracle(t, g, pos, depth); got != want {
			rt.Fatalf("%v, want %v", got, want)
		}
		if (asked > 0) != (o.PriorDepth > 0) {
			rt.Fatalf("%d moves were rated from depth %d on", asked, o.PriorDepth)
		}
	})
}

// The search asks a Prior the less often the more depth it wants, and can do without
// it. Where it is asked, it changes what is searched.
func TestPriorDepth(t *testing.T) {
	pos := gametest.NewMNK(6, 6, 4)
	nodes := func(o alphabeta.Options) (n int64, asked int) {
		r := search(t, rated{rough{seed: 1}, &asked}, o, pos, alphabeta.Limits{Depth: 5})
		return r.Stats.Nodes, asked
	}
	_, last := nodes(alphabeta.Options{PriorDepth: 1})
	for depth := 2; depth <= 5; depth++ {
		_, asked := nodes(alphabeta.Options{PriorDepth: depth})
		if asked >= last {
			t.Errorf("from depth %d on %d moves are rated, from %d on %d", depth, asked, depth-1, last)
		}
		last = asked
	}
	without, asked := nodes(alphabeta.Options{PriorDepth: alphabeta.Off})
	plain := search(t, rough{seed: 1}, alphabeta.Options{}, pos, alphabeta.Limits{Depth: 5}).Stats.Nodes
	if asked != 0 || without != plain {
		t.Errorf("a Prior that is off rates %d moves: %d nodes, want the %d without one", asked, without, plain)
	}
	on, _ := nodes(alphabeta.Options{})
	unreduced, _ := nodes(alphabeta.Options{PriorReduction: alphabeta.Off})
	if on == unreduced || on == without {
		t.Errorf("%d nodes with a Prior, %d with its reductions off, %d without it", on, unreduced, without)
	}
}
