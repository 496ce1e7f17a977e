package mcts

import (
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
	"pgregory.net/rapid"
)

// drawn returns a restriction by a table of draws: which moves are barred may
// depend on the side and on the ply.
func drawn(t *rapid.T, moves int) *Restriction {
	plies := rapid.IntRange(1, 4).Draw(t, "plies")
	bars := rapid.SliceOfN(rapid.Bool(), 2*plies*moves, 2*plies*moves).Draw(t, "bars")
	return &Restriction{Plies: plies, Barred: func(ply int, side game.Side, m game.Move) bool {
		return bars[(2*ply+int(side))*moves+int(m)]
	}}
}

// allowed returns the moves that may be searched, by the definition of Restriction.
func (r *Restriction) allowed(ply int, pos game.Position) map[game.Move]bool {
	moves := map[game.Move]bool{}
	for _, m := range pos.Moves(nil) {
		if ply >= r.Plies || !r.Barred(ply, pos.ToMove(), m) {
			moves[m] = true
		}
	}
	if len(moves) == 0 {
		for _, m := range pos.Moves(nil) {
			moves[m] = true
		}
	}
	return moves
}

// restricted checks of all nodes below a node that the edges are the moves that may be
// searched, and that proofs are true.
func restricted(t *rapid.T, s *Searcher, r *Restriction, id uint32, pos game.Position, ply int) {
	nd := &s.tree.nodes[id]
	if nd.proof() != Unknown {
		exactly(t, pos, nd.proof(), nd.plies())
	}
	if nd.n == 0 {
		return
	}
	want := r.allowed(ply, pos)
	sum := float32(0)
	for i := range int(nd.n) {
		m := s.tree.moves[nd.edges+uint32(i)]
		if sum += s.tree.priors[nd.edges+uint32(i)]; !want[m] {
			t.Fatalf("%d plies below the root the barred move %d has an edge", ply, m)
		}
	}
	if len(want) != int(nd.n) || sum < 0.999 || sum > 1.001 {
		t.Fatalf("%d edges whose priors sum to %v, want %d", nd.n, sum, len(want))
	}
	for i := range int(nd.nKids) {
		m := s.tree.moves[nd.edges+uint32(i)]
		pos.Play(m)
		restricted(t, s, r, s.tree.kids[nd.kids+uint32(i)].node, pos, ply+1)
		pos.Undo()
	}
}

func TestBarredMovesAreNotLookedAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos := game.Position(gametest.NewMNK(3, 3, 3))
		playOn(t, pos, 6)
		if pos.Outcome() != game.Undecided {
			return
		}
		r := drawn(t, 9)
		var solver Solver
		if rapid.Bool().Draw(t, "solver") {
			solver = shallow{plies: 3}
		}
		s := New(genOptions(t), nn.NewMock(rapid.Uint64().Draw(t, "net")), solver)
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		l := Limits{Playouts: rapid.IntRange(1, 300).Draw(t, "playouts"), Restrict: r}
		if err := s.Search(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		restricted(t, s, r, 0, pos.Clone(), 0)
		var result Result
		s.Result(&result)
		if want := r.allowed(0, pos); !want[result.Move] || result.Playouts != l.Playouts && result.Proven == Unknown {
			t.Fatalf("move %d, %d of %d playouts", result.Move, result.Playouts, l.Playouts)
		}
		for _, c := range result.Children {
			line, visits := s.Line(c.Move, nil, nil)
			if line[0] != c.Move || len(line) != len(visits) || c.Proven == Unknown && c.Visits > 0 && visits[0] < int(c.Visits) {
				t.Fatalf("line %v with visits %v of a move with %d", line, visits, c.Visits)
			}
		}
	})
}

// A restriction that bars nothing changes only what can be proven.
func TestNothingBarred(t *testing.T) {
	pos := board(t, "caro", 9, "e5e6d5")
	none := &Restriction{Plies: 1, Barred: func(int, game.Side, game.Move) bool { return false }}
	eval := func() nn.Evaluator { return &testEvaluator{eval: mocked(3, true), capacity: 16} }
	free, _ := search(t, pos, Options{}, eval(), Limits{Playouts: 300})
	held, _ := search(t, pos, Options{}, eval(), Limits{Playouts: 300, Restrict: none})
	if free.tree.digest(0) != held.tree.digest(0) {
		t.Error("the trees differ")
	}
}
