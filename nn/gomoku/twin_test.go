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

// From a plain board and from one that keeps its patterns the encoder writes
// what the twin finds, bit for bit: on setups of every rule set and size, finished
// ones too, given to one encoder after the other.
func TestPlanesAreTheTwins(t *testing.T) {
	for _, name := range gomoku.Names() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				r := rulesOf(t, name)
				r.OpenDistance = 3 * rng.IntN(2)
				size := rapid.IntRange(gomoku.MinSize, gomoku.MaxSize).Draw(t, "size")
				both := newPair(t, r, size)
				for range 3 {
					if b := clutter(rng, r, size); b != nil {
						both.compare(t, b, pattern.FromBoard(b), rng.IntN(8))
					}
				}
			})
		})
	}
}

// So it does along a game, captures and undone moves included.
func TestPlanesAlongGamesAreTheTwins(t *testing.T) {
	for _, name := range gomoku.Names() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, 0))
			for range 3 {
				r := rulesOf(t, name)
				r.OpenDistance = 3 * rng.IntN(2)
				p := pattern.FromBoard(newBoard(t, r, 9+rng.IntN(7)))
				both := newPair(t, r, p.Board().Size())
				for range 70 {
					moves := p.Moves(nil)
					if near := p.Candidates(); !near.Empty() && rng.IntN(8) > 0 {
						moves = slices.DeleteFunc(moves, func(m game.Move) bool { return !near.Has(int(m)) })
					}
					if len(moves) == 0 {
						break
					}
					p.Play(moves[rng.IntN(len(moves))])
					both.compare(t, p.Board(), p, rng.IntN(8))
					if rng.IntN(6) == 0 {
						p.Undo()
						both.compare(t, p.Board(), p, 0)
					}
				}
			}
		})
	}
}

// pair is an encoder and its twin.
type pair struct {
	encoder *Encoder
	twin    *twin
}

func newPair(t tester, r gomoku.Rules, size int) pair {
	t.Helper()
	e, err := New(r, size)
	if err != nil {
		t.Fatal(err)
	}
	return pair{e, newTwin(r, size)}
}

// compare fails unless the encoder writes for b, and for p in the same
// position, what the twin finds.
func (both pair) compare(t tester, b *gomoku.Board, p *pattern.Board, sym int) {
	t.Helper()
	e, n := both.encoder, b.Size()*b.Size()
	want, stones := both.twin.planes(b, sym)
	plain, kept := encode(e, b, sym), encode(e, p, sym)
	for i, v := range want {
		if plain.planes[i] != v || kept.planes[i] != v {
			t.Fatalf("%s at %d under symmetry %d: %v from the plain board, %v from patterns, %v from the twin\n%v",
				planeNames[i/n], i%n, sym, plain.planes[i], kept.planes[i], v, b)
		}
	}
	if !slices.Equal(plain.globals, kept.globals) || plain.globals[GlobalFill] != float32(stones)/float32(n) {
		t.Fatalf("globals %v from the plain board, %v from patterns, of %d stones\n%v", plain.globals, kept.globals, stones, b)
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
