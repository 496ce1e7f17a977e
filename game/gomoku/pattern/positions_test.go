package pattern_test

import (
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// tester is a *testing.T, *testing.B, *testing.F or *rapid.T.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

var sides = [2]game.Side{game.First, game.Second}

func rulesOf(t tester, name string) gomoku.Rules {
	t.Helper()
	r, err := gomoku.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newBoard(t tester, r gomoku.Rules, size int) *gomoku.Board {
	t.Helper()
	b, err := gomoku.New(r, size)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// step returns a legal move: mostly one near the last stones, so that lines
// form.
func step(rng *rand.Rand, b *gomoku.Board) game.Move {
	n, history := b.Size(), b.History()
	for range 100 {
		c := rng.IntN(n * n)
		if len(history) > 0 && rng.IntN(15) > 0 {
			from := int(history[len(history)-1-rng.IntN(min(len(history), 12))])
			k := 1 + rng.IntN(3)
			x, y := from%n+k*(rng.IntN(3)-1), from/n+k*(rng.IntN(3)-1)
			if x < 0 || y < 0 || x >= n || y >= n {
				continue
			}
			c = y*n + x
		}
		if b.Legal(game.Move(c)) {
			return game.Move(c)
		}
	}
	moves := b.Moves(nil)
	return moves[rng.IntN(len(moves))]
}

// sequence plays a game of some length near its own stones and returns its
// moves.
func sequence(tb tester, r gomoku.Rules, size, plies int) []game.Move {
	rng := rand.New(rand.NewPCG(3, uint64(size)))
	b := newBoard(tb, r, size)
	for len(b.History()) < plies {
		if b.Play(step(rng, b)); b.Outcome() != game.Undecided {
			b.Undo()
		}
	}
	return b.History()
}

// clutter returns a board of random density with lines of one side, with gaps,
// laid over it: fives, overlines, blocked ends and pairs everywhere, at edges
// too. The game may be over; nil if the draw makes no position.
func clutter(rng *rand.Rand, r gomoku.Rules, size int) *gomoku.Board {
	s := gomoku.Setup{Stones: make([]gomoku.Stone, size*size), ToMove: game.Side(rng.IntN(2))}
	density := rng.IntN(60)
	for c := range s.Stones {
		if rng.IntN(100) < density {
			s.Stones[c] = gomoku.Stone(1 + rng.IntN(2))
		}
	}
	for range rng.IntN(7) {
		lay(rng, s.Stones, size)
	}
	if r.Captures {
		s.Captured = [2]int{2 * rng.IntN(5), 2 * rng.IntN(5)}
	}
	b, err := gomoku.NewSetup(r, size, s)
	if err != nil {
		return nil
	}
	return b
}

func lay(rng *rand.Rand, stones []gomoku.Stone, size int) {
	slopes := [4][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}}
	x, y, d := rng.IntN(size), rng.IntN(size), slopes[rng.IntN(4)]
	side, gap := gomoku.Stone(1+rng.IntN(2)), 2+rng.IntN(4)
	for range 4 + rng.IntN(6) {
		if x < 0 || y < 0 || x >= size || y >= size {
			return
		}
		stones[y*size+x] = side
		if rng.IntN(gap) == 0 {
			stones[y*size+x] = gomoku.Empty
		}
		x, y = x+d[0], y+d[1]
	}
}
