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

func TestNetValueIsTheSideToMoves(t *testing.T) {
	pos := gametest.NewMNK(3, 3, 9)
	pos.Play(4)
	pos.Play(0)
	_, r := search(t, pos, Options{}, knows(4, 0), Limits{Playouts: 1})
	if r.NetValue != 0.8 || r.RootQ < 0.79 || r.Value != r.RootQ {
		t.Errorf("owner to move: net %v, mean %v", r.NetValue, r.RootQ)
	}
	pos.Play(1)
	if _, r := search(t, pos, Options{}, knows(4, 0), Limits{Playouts: 20}); r.NetValue != -0.8 || r.RootQ > -0.79 {
		t.Errorf("opponent to move: net %v, mean %v", r.NetValue, r.RootQ)
	}
}

// TestTactics needs only the proofs: the evaluator is uniform.
func TestTactics(t *testing.T) {
	tests := []struct {
		name, rule, moves string
		size, playouts    int
		want              []string
	}{
		{"take the win", "freestyle", "h8h9i8i9j8j9k8k9", 15, 10, []string{"g8", "l8"}},
		{"defend against a four", "freestyle", "h8g8i8a1j8a15k8", 15, 2000, []string{"l8"}},
		{"open four", "freestyle", "e5a1f5a9g5i1", 9, 20_000, []string{"d5", "h5"}},
		{"defend against an open three", "caro", "a1d5a9d6i2d7", 9, 100_000, []string{"d3", "d4", "d8", "d9"}},
	}
	for _, tt := range tests {
		for _, k := range []int{1, 16} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, k), func(t *testing.T) {
				pos := board(t, tt.rule, tt.size, tt.moves)
				_, r := search(t, pos, Options{InFlight: k}, nn.NewUniform(16), Limits{Playouts: tt.playouts})
				for _, m := range tt.want {
					if text(tt.size, r.Move) == m {
						return
					}
				}
				t.Errorf("%s after %d playouts, want %v; %+v", text(tt.size, r.Move), r.Playouts, tt.want, r.Children[:5])
			})
		}
	}
}

// TestDrawnMoveKeepsItsVisits searches a board on which every game is drawn,
// with an evaluator that trusts First's stone on cell 0 alone. Once that move
// is proven the search goes on below the others, but the visits are the drawn
// move's, and the value is the draw's.
func TestDrawnMoveKeepsItsVisits(t *testing.T) {
	e := &testEvaluator{eval: func(pos game.Position, moves []game.Move, out *nn.Result) {
		v := float32(-0.5)
		if pos.(*gametest.MNK).Stones(game.First)&1 != 0 || pos.Ply() == 0 {
			v = 0
		}
		if pos.ToMove() == game.Second {
			v = -v
		}
		equal(out, v)
		if moves[0] == 0 && len(moves) > 1 {
			for i := range out.Priors {
				out.Priors[i] = 0.1 / float32(len(out.Priors)-1)
			}
			out.Priors[0] = 0.9
		}
	}}
	pos := gametest.NewMNK(5, 1, 9)
	s, r := search(t, pos, Options{}, e, Limits{Playouts: 1})
	held := 0
	for r.Proven == Unknown {
		before, sum := *r.child(t, 0), s.tree.nodes[0].sum
		r = more(t, s, Limits{Playouts: 1})
		total := 0
		for _, c := range r.Children {
			total += int(c.Visits)
			if c.Visits > 1<<20 {
				t.Fatalf("%+v", c)
			}
		}
		if total != r.Visits-1 {
			t.Fatalf("children have %d visits of %d", total, r.Visits)
		}
		if before.Proven != Draw || r.Proven != Unknown {
			continue
		}
		if r.Move != 0 || r.Value != 0 {
			t.Fatalf("move %d, value %v, beside a proven draw", r.Move, r.Value)
		}
		if r.child(t, 0).Visits > before.Visits {
			held++
			if s.tree.nodes[0].sum != sum {
				t.Fatal("a visit held counts as something else than a draw")
			}
		}
	}
	if held < 20 || r.Proven != Draw {
		t.Errorf("%d visits held, then %v", held, r.Proven)
	}
}

// Playouts avoid nodes whose evaluation is pending, whatever their priors, while less
// than half of InFlight are in flight.
func TestPlayoutsGoRoundWhatWaits(t *testing.T) {
	const inFlight, playouts = 8, 300
	mock := nn.NewMock(3)
	mock.Sharp = true
	s := New(Options{InFlight: inFlight}, mock, nil)
	if err := s.SetPosition(gametest.NewMNK(5, 5, 4)); err != nil {
		t.Fatal(err)
	}
	s.Begin(t.Context(), Limits{Playouts: playouts})
	fewest := inFlight
	for runs := 0; !s.Done(); runs++ {
		if !s.Select() {
			continue
		}
		if runs > 0 && s.run.launched < playouts {
			fewest = min(fewest, s.queue.pending)
		}
		if err := s.eval.Wait(t.Context(), nn.All); err != nil {
			t.Fatal(err)
		}
		s.Backup(nn.All)
	}
	if fewest != inFlight/2 {
		t.Errorf("at least %d playouts were in flight, want %d: the board has more moves, and priors point at few", fewest, inFlight/2)
	}
	check(t, s)
}
