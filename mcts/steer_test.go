package mcts

import (
	"fmt"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
)

// knows returns an evaluator that values a position in favour of the owner of the cell
// key, from the given ply on. Before, and while the cell is empty, the value is even.
func knows(key, ply int) *testEvaluator {
	return &testEvaluator{capacity: 16, eval: func(pos game.Position, _ []game.Move, out *nn.Result) {
		p := pos.(*gametest.MNK)
		v := float32(0)
		if p.Ply() >= ply {
			if p.Stones(p.ToMove())>>key&1 != 0 {
				v = 0.8
			} else if p.Stones(p.ToMove().Other())>>key&1 != 0 {
				v = -0.8
			}
		}
		equal(out, v)
	}}
}

// TestSigns searches boards on which nobody can win for a cell whose worth
// shows one, two or three plies ahead only.
func TestSigns(t *testing.T) {
	for _, first := range []int{0, 1} {
		for depth := 1; depth <= 3; depth++ {
			for _, k := range []int{1, 2, 8} {
				t.Run(fmt.Sprintf("%d plies played/%d ahead/%d in flight", first, depth, k), func(t *testing.T) {
					pos := gametest.NewMNK(3, 3, 9)
					for m := range first {
						pos.Play(game.Move(m))
					}
					key := game.Move(5)
					_, r := search(t, pos, Options{InFlight: k}, knows(int(key), first+depth), Limits{Playouts: 300})
					if r.Move != key || r.Value <= 0.3 || r.RootQ <= 0 || r.NetValue != 0 {
						t.Errorf("move %d, value %v, mean %v, net %v", r.Move, r.Value, r.RootQ, r.NetValue)
					}
					for _, c := range r.Children {
						if c.Move != key && c.Visits > 0 && c.Q >= 0.5 {
							t.Errorf("move %d is held to be worth %v", c.Move, c.Q)
						}
					}
				})
			}
		}
	}
}

// The larger the virtual loss, the more playouts are in flight when the evaluator is waited
// for; without one they wait for what they would follow. Evaluations and visits are the same
// in number.
func TestVirtualLossKeepsMoreInFlight(t *testing.T) {
	const inFlight, playouts = 32, 600
	last := 0
	for _, loss := range []float32{-1, 0.25, 1} {
		mock := nn.NewMock(3)
		mock.Sharp = true
		s := New(Options{InFlight: inFlight, VirtualLoss: loss}, mock, nil)
		if err := s.SetPosition(gametest.NewMNK(8, 8, 5)); err != nil {
			t.Fatal(err)
		}
		s.Begin(t.Context(), Limits{Playouts: playouts})
		waits := 0
		for !s.Done() {
			if !s.Select() {
				continue
			}
			waits++
			if err := s.eval.Wait(t.Context(), nn.All); err != nil {
				t.Fatal(err)
			}
			s.Backup(nn.All)
		}
		if last > 0 && waits >= last {
			t.Errorf("%d waits with a virtual loss of %v, %d with a smaller one", waits, loss, last)
		}
		last = waits
		check(t, s)
	}
}

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
	{"plain", func() game.Position { return gametest.NewMNK(7, 7, 5) }, Options{}, false, Limits{Playouts: 2000}, 0,
		0x32fcbaeb4bdb3a66, 16},
	{"even", func() game.Position { return gametest.NewMNK(7, 7, 5) }, Options{Spread: -1}, false, Limits{Playouts: 2000},
		0, 0xbb44849235b77ce9, 2},
	{"one in flight", func() game.Position { return gametest.NewMNK(7, 7, 5) }, Options{InFlight: 1}, true,
		Limits{Playouts: 2000}, 0, 0xca61f1397f4a901e, 30},
	{"many in flight", func() game.Position { return gametest.NewMNK(7, 7, 4) }, Options{InFlight: 16}, true,
		Limits{Playouts: 3000}, 0, 0xbb682bd94ac5970c, 10},
	{"virtual loss", func() game.Position { return gametest.NewMNK(7, 7, 4) },
		Options{InFlight: 16, VirtualLoss: 0.3}, true, Limits{Playouts: 3000}, 0, 0xe32d943695c4759e, 10},
	{"noise", func() game.Position { return gametest.NewMNK(8, 8, 5) }, Options{}, true,
		Limits{Playouts: 1000, Noise: true, Seed: 42}, 0, 0x3ddea1ee13f33b96, 22},
	{"reuse", func() game.Position { return gametest.NewMNK(6, 6, 5) }, Options{}, true,
		Limits{Visits: 1500, Noise: true, Seed: 7}, 4, 0xe35551a9ab318c69, 29},
	{"forced", func() game.Position { return gametest.NewMNK(8, 8, 5) }, Options{}, true,
		Limits{Playouts: 1000, Noise: true, Seed: 42, Root: Forced(2)}, 0, 0xa0ff7012a012d7e8, 43},
	{"gumbel", func() game.Position { return gametest.NewMNK(8, 8, 5) }, Options{InFlight: 4}, true,
		Limits{Playouts: 300, Seed: 42, Root: Gumbel{Considered: 16}.Policy()}, 2, 0x9f66941a227fb6ff, 10},
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
