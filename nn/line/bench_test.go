package line

import (
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// benchmarks runs f on positions of the middle game, 15x15, with either number of
// channels; pairs are two moves each to play from there.
func benchmarks(b *testing.B, f func(b *testing.B, boards []*pattern.Board, accumulators []*Accumulator,
	moves [][2]game.Move)) {
	for _, k := range []struct {
		name     string
		channels int
	}{{"K=16", 16}, {"K=32", 32}} {
		n := sharedNetwork(k.channels)
		r := rand.New(rand.NewPCG(3, 3))
		var boards []*pattern.Board
		var accumulators []*Accumulator
		var moves [][2]game.Move
		for len(boards) < 16 {
			board := randomBoard(r, "freestyle", 15, 30+r.IntN(31))
			list := board.Moves(nil)
			if len(list) < 2 {
				continue
			}
			near := board.Candidates()
			var pair []game.Move
			for _, m := range list {
				if near.Has(int(m)) {
					pair = append(pair, m)
				}
			}
			r.Shuffle(len(pair), func(i, j int) { pair[i], pair[j] = pair[j], pair[i] })
			boards = append(boards, board)
			moves = append(moves, [2]game.Move{pair[0], pair[1]})
			accumulators = append(accumulators, NewAccumulator(n, board))
		}
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			f(b, boards, accumulators, moves)
		})
	}
}

// A move and its takeback, with nothing asked: the cost of the board alone.
func BenchmarkPlay(b *testing.B) {
	benchmarks(b, func(b *testing.B, boards []*pattern.Board, _ []*Accumulator, moves [][2]game.Move) {
		for i := 0; b.Loop(); i++ {
			at := i & 15
			boards[at].Play(moves[at][i>>4&1])
			boards[at].Undo()
		}
	})
}

// A move, the value of it, and its takeback: siblings in turn, so that two stones
// differ from one value to the next.
func BenchmarkPlayValue(b *testing.B) {
	benchmarks(b, func(b *testing.B, boards []*pattern.Board, accumulators []*Accumulator, moves [][2]game.Move) {
		for i := 0; b.Loop(); i++ {
			at := i & 15
			boards[at].Play(moves[at][i>>4&1])
			accumulators[at].Value()
			boards[at].Undo()
		}
	})
}

// The value and the policy of a position to which everything is up to date.
func BenchmarkValue(b *testing.B) {
	benchmarks(b, func(b *testing.B, _ []*pattern.Board, accumulators []*Accumulator, _ [][2]game.Move) {
		for i := 0; b.Loop(); i++ {
			accumulators[i&15].Value()
		}
	})
}
