package mcts

import (
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
)

// goldenTrees are digests of whole trees. They must come out the same on every
// processor and with every build, GOAMD64=v1 and v3 among them. A change here
// means that the search plays differently: say why in the commit.
var goldenTrees = []struct {
	name     string
	pos      func() game.Position
	options  Options
	sharp    bool
	limits   Limits
	advance  int // moves played, with a search after each
	want     uint64
	bestMove game.Move
}{
	{"plain", func() game.Position { return gametest.NewMNK(7, 7, 5) }, Options{}, false, Limits{Playouts: 2000}, 0, 0x32fcbaeb4bdb3a66, 16},
	{"even", func() game.Position { return gametest.NewMNK(7, 7, 5) }, Options{Spread: -1}, false, Limits{Playouts: 2000}, 0, 0xbb44849235b77ce9, 2},
	{"one in flight", func() game.Position { return gametest.NewMNK(7, 7, 5) }, Options{InFlight: 1}, true, Limits{Playouts: 2000}, 0, 0xca61f1397f4a901e, 30},
	{"many in flight", func() game.Position { return gametest.NewMNK(7, 7, 4) }, Options{InFlight: 16}, true, Limits{Playouts: 3000}, 0, 0xb3ed61a9b8c0cf9f, 30},
	{"noise", func() game.Position { return gametest.NewMNK(8, 8, 5) }, Options{}, true, Limits{Playouts: 1000, Noise: true, Seed: 42}, 0, 0x3ddea1ee13f33b96, 22},
	{"reuse", func() game.Position { return gametest.NewMNK(6, 6, 5) }, Options{}, true, Limits{Visits: 1500, Noise: true, Seed: 7}, 4, 0xe35551a9ab318c69, 29},
	{"forced", func() game.Position { return gametest.NewMNK(8, 8, 5) }, Options{}, true, Limits{Playouts: 1000, Noise: true, Seed: 42, Forced: 2}, 0, 0xa0ff7012a012d7e8, 43},
	{"gumbel", func() game.Position { return gametest.NewMNK(8, 8, 5) }, Options{InFlight: 4}, true, Limits{Playouts: 300, Seed: 42, Gumbel: Gumbel{Considered: 16}}, 2, 0x9f66941a227fb6ff, 10},
}

func TestGoldenTrees(t *testing.T) {
	for _, tt := range goldenTrees {
		t.Run(tt.name, func(t *testing.T) {
			mock := nn.NewMock(2024)
			mock.Sharp = tt.sharp
			s, r := search(t, tt.pos(), tt.options, mock, tt.limits)
			for range tt.advance {
				if err := s.Advance(r.Move); err != nil {
					t.Fatal(err)
				}
				r = more(t, s, tt.limits)
			}
			if got := s.tree.digest(0); got != tt.want || r.Move != tt.bestMove {
				t.Errorf("digest %#x and move %d, want %#x and %d", got, r.Move, tt.want, tt.bestMove)
			}
		})
	}
}
