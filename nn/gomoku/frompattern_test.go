package gomoku

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// The planes of a board with patterns are those of the board, bit for bit.
func TestPatternPlanesAreTheSame(t *testing.T) {
	for _, name := range gomoku.Names() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				r := rulesOf(t, name)
				r.OpenDistance = 3 * rng.IntN(2)
				b := clutter(rng, r, rapid.IntRange(gomoku.MinSize, gomoku.MaxSize).Draw(t, "size"))
				if b == nil {
					return
				}
				samePatternPlanes(t, b, pattern.FromBoard(b), rng.IntN(8))
			})
		})
	}
}

// So they are when the patterns were kept up to date along a game, captures
// and undone moves included.
func TestPatternPlanesAlongGames(t *testing.T) {
	for _, name := range gomoku.Names() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, 0))
			for range 3 {
				r := rulesOf(t, name)
				r.OpenDistance = 3 * rng.IntN(2)
				p := pattern.FromBoard(newBoard(t, r, 9+rng.IntN(7)))
				for range 70 {
					moves := p.Moves(nil)
					if near := p.Candidates(); !near.Empty() && rng.IntN(8) > 0 {
						moves = slices.DeleteFunc(moves, func(m game.Move) bool { return !near.Has(int(m)) })
					}
					if len(moves) == 0 {
						break
					}
					p.Play(moves[rng.IntN(len(moves))])
					samePatternPlanes(t, p.Board(), p, rng.IntN(8))
					if rng.IntN(6) == 0 {
						p.Undo()
						samePatternPlanes(t, p.Board(), p, 0)
					}
				}
			}
		})
	}
}

func samePatternPlanes(t tester, b *gomoku.Board, p *pattern.Board, sym int) {
	t.Helper()
	e := newEncoderFor(t, b)
	want, got := encode(e, b, sym), encode(e, p, sym)
	n := b.Size() * b.Size()
	for i, v := range want.planes {
		if got.planes[i] != v {
			t.Fatalf("%s at %d under symmetry %d: %v from patterns, %v from stones\n%v",
				planeNames[i/n], i%n, sym, got.planes[i], v, b)
		}
	}
	if !slices.Equal(got.globals, want.globals) {
		t.Fatalf("globals %v from patterns, %v from stones\n%v", got.globals, want.globals, b)
	}
	if e.Key(b) != e.Key(p) {
		t.Fatal("the key depends on the kind of board")
	}
}

func BenchmarkEncodePattern(b *testing.B) {
	for _, name := range gomoku.Names() {
		b.Run(name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(7, 7))
			boards := make([]*pattern.Board, 32)
			for i := range boards {
				boards[i] = pattern.FromBoard(playout(b, rng, rulesOf(b, name), 15, 10+3*i))
			}
			e := newEncoderFor(b, boards[0].Board())
			in := encode(e, boards[0], 0)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e.Encode(boards[i%len(boards)], i%8, in.planes, in.globals)
			}
		})
	}
}
