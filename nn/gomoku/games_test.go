package gomoku

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Along a game, captures and undone moves included, a plain board and one that keeps its
// patterns have the same planes and key, and now and then those of the reference.
func TestPlanesAlongGames(t *testing.T) {
	for _, name := range gomoku.Names() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, 0))
			for range 3 {
				r := rulesOf(t, name)
				r.OpenDistance = 3 * rng.IntN(2)
				p := pattern.FromBoard(newBoard(t, r, 9+rng.IntN(7)))
				e := newEncoderFor(t, p.Board())
				same := func() {
					sym := rng.IntN(8)
					if !encode(e, p.Board(), sym).equal(encode(e, p, sym)) || e.Key(p.Board()) != e.Key(p) {
						t.Fatalf("a plain board and its patterns differ under symmetry %d:\n%v", sym, p.Board())
					}
				}
				for range 70 {
					moves := p.Moves(nil)
					if near := p.Candidates(); !near.Empty() && rng.IntN(8) > 0 {
						moves = slices.DeleteFunc(moves, func(m game.Move) bool { return !near.Has(int(m)) })
					}
					if len(moves) == 0 {
						break
					}
					p.Play(moves[rng.IntN(len(moves))])
					same()
					if rng.IntN(6) == 0 {
						p.Undo()
						same()
						compare(t, p.Board())
					}
				}
			}
		})
	}
}
