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
		o := alphabeta.Options{TableMiB: alphabeta.Off,
			PriorDepth: rapid.SampledFrom([]int{alphabeta.Off, 1, 2, 3}).Draw(rt, "prior")}.Exhaustive()
		if got, want := search(t, g, o, pos, alphabeta.Limits{Depth: depth}).Score, oracle(t, g, pos, depth); got != want {
			rt.Fatalf("%v, want %v", got, want)
		}
		if (asked > 0) != (o.PriorDepth > 0) {
			rt.Fatalf("%d moves were rated from depth %d on", asked, o.PriorDepth)
		}
	})
}
