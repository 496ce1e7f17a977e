package gomoku

import (
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// must returns v, which comes without an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// encoderFor returns the encoder for b.
func encoderFor(b *gomoku.Board) *Encoder { return must(New(b.Rules(), b.Size())) }

// playout plays up to plies random moves near the stones, none of which ends
// the game.
func playout(rng *rand.Rand, r gomoku.Rules, size, plies int) *gomoku.Board {
	b := must(gomoku.New(r, size))
	for plies > 0 && playNear(rng, b) {
		plies--
	}
	return b
}

// playNear plays a move up to three steps from one of the last stones, or
// anywhere; false if it found none after which the game goes on.
func playNear(rng *rand.Rand, b *gomoku.Board) bool {
	n := b.Size()
	for range 40 {
		c := rng.IntN(n * n)
		if h := b.History(); len(h) > 0 && rng.IntN(12) > 0 {
			from := int(h[len(h)-1-rng.IntN(min(len(h), 10))])
			k := 1 + rng.IntN(3)
			x, y := from%n+k*(rng.IntN(3)-1), from/n+k*(rng.IntN(3)-1)
			if x < 0 || y < 0 || x >= n || y >= n {
				continue
			}
			c = y*n + x
		}
		if !b.Legal(game.Move(c)) {
			continue
		}
		b.Play(game.Move(c))
		if b.Outcome() == game.Undecided {
			return true
		}
		b.Undo()
	}
	return false
}

// clutter sets up a board with stones of either side at random, dense or
// sparse, and lines of one side with gaps laid over them, which makes fives,
// overlines, blocked ends and pairs at every edge. It may be a finished game;
// it is nil if the draw makes no position.
func clutter(rng *rand.Rand, r gomoku.Rules, size int) *gomoku.Board {
	s := gomoku.Setup{Stones: make([]gomoku.Stone, size*size), ToMove: game.Side(rng.IntN(2))}
	percent := rng.IntN(70)
	for c := range s.Stones {
		if rng.IntN(100) < percent {
			s.Stones[c] = gomoku.Stone(1 + rng.IntN(2))
		}
	}
	for range rng.IntN(6) {
		x, y, side := rng.IntN(size), rng.IntN(size), gomoku.Stone(1+rng.IntN(2))
		dx, dy, gap := rng.IntN(3)-1, rng.IntN(3)-1, 2+rng.IntN(5)
		for range 4 + rng.IntN(6) {
			if x < 0 || y < 0 || x >= size || y >= size {
				break
			}
			s.Stones[y*size+x] = side
			if rng.IntN(gap) == 0 {
				s.Stones[y*size+x] = gomoku.Empty
			}
			x, y = x+dx, y+dy
		}
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
