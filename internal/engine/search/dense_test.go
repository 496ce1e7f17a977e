package search

import (
	"flag"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine/enginetest"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/tactics"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

var (
	denseBoards = flag.Int("dense", 8, "random boards with a short win, of each rule set, that the engines play")
	claimBoards = flag.Int("claims", 15, "random boards of each rule set whose claims are held against proofs")
)

// classicalOn returns what asks a classical search of the level "hard".
func classicalOn(t *testing.T, v games.Variant) func(game.Position) (tactics.Claim, error) {
	c, err := NewClassical(v, ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return func(b game.Position) (tactics.Claim, error) {
		c.Forget()
		r, err := c.Search(t.Context(), b, alphabeta.Limits{Nodes: 20_000})
		claim := tactics.Claim{Move: r.Move}
		if plies, ok := r.Score.Claim(); ok && r.Score > 0 {
			claim.Plies = plies
		} else if ok {
			claim.Plies = -plies
		}
		return claim, err
	}
}

// treeOn returns what asks a tree search of 400 playouts that knows nothing but
// what its solvers prove.
func treeOn(t *testing.T, v games.Variant) func(game.Position) (tactics.Choice, error) {
	net, err := new(networks.Loader).Open(v, "uniform")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = net.Close() })
	eval, err := net.Evaluator(nn.EvaluatorOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := mcts.New(mcts.Options{}, eval, v.Solvers(games.SolverNodes{Leaf: 500, Root: 20_000, Replies: 500}))
	var r mcts.Result
	return func(b game.Position) (tactics.Choice, error) {
		if err := s.SetPosition(v.Searchable(b)); err != nil {
			return tactics.Choice{}, err
		}
		err := s.Search(t.Context(), mcts.Limits{Playouts: 400})
		s.Result(&r)
		return tactics.Choice{Move: r.Move}, err
	}
}

// Both engines play a winning move on boards with a short win, whatever else
// stands there.
func TestShortWinsAreFound(t *testing.T) {
	for _, o := range enginetest.AllRules() {
		o.Size = 15
		v := enginetest.Variant(t, o)
		classical := classicalOn(t, v)
		for name, choose := range map[string]func(game.Position) (tactics.Choice, error){
			"mcts": treeOn(t, v),
			"alphabeta": func(b game.Position) (tactics.Choice, error) {
				c, err := classical(b)
				return tactics.Choice{Move: c.Move}, err
			},
		} {
			boards := tactics.Dense{Rules: rulesOf(v), Size: v.Size, Seed: 3}
			s, missed, err := tactics.RunDense(t.Context(), &boards, *denseBoards, 20_000, choose)
			if err != nil {
				t.Fatal(err)
			}
			if s.Boards != *denseBoards || 100*(s.Boards-s.Won) > s.Boards {
				t.Errorf("%s, %s: %d of %d\n%v", name, v.Rule(), s.Won, s.Boards, missed)
			}
		}
	}
}

// No claim of the classical search is contradicted by a proof, and there are
// claims.
func TestClaimsHold(t *testing.T) {
	for _, o := range enginetest.AllRules() {
		o.Size = 15
		v := enginetest.Variant(t, o)
		boards := tactics.Dense{Rules: rulesOf(v), Size: v.Size, Seed: 4}
		s, wrong, err := tactics.RunClaims(t.Context(), &boards, *claimBoards, 20_000, classicalOn(t, v))
		if err != nil {
			t.Fatal(err)
		}
		if s.Wins == 0 || s.Losses == 0 || len(wrong) > 0 {
			t.Errorf("%+v\n%v", s, wrong)
		}
	}
}

// A claim gives way to the proof: a loss to a win, a longer win to a shorter
// one, and a win to the opponent's.
func TestClaimsGiveWay(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	c, err := NewClassical(v, ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
	if err != nil {
		t.Fatal(err)
	}
	line := func(text string, s alphabeta.Score) alphabeta.Line {
		moves, err := v.Notation().ParseMoves(text)
		if err != nil {
			t.Fatal(err)
		}
		return alphabeta.Line{Moves: moves, Score: s, Depth: 4}
	}
	for _, tt := range []struct {
		name, position string
		lines          []alphabeta.Line
		move           string
		score          alphabeta.Score
	}{
		{"a loss where an open four is at hand", "g8k3h8l3i8m3n3j4a15j5",
			[]alphabeta.Line{line("j3", alphabeta.LossIn(8))}, "f8", alphabeta.WinIn(3)},
		{"a longer win", "g8k3h8l3i8m3n3j4a15j5",
			[]alphabeta.Line{line("j3", alphabeta.WinIn(9)), line("a1", 5)}, "f8", alphabeta.WinIn(3)},
		{"a win that the opponent has", "h8a1i8a3j8",
			[]alphabeta.Line{line("o15", alphabeta.WinIn(9)), line("g8", 5)}, "g8", 5},
		{"a loss that stands", "h8a1i8a3j8a15k8",
			[]alphabeta.Line{line("g8", alphabeta.LossIn(2))}, "g8", alphabeta.LossIn(2)},
		{"no claim", "g8k3h8l3i8m3n3j4a15j5", []alphabeta.Line{line("j3", 5)}, "j3", 5},
	} {
		r := alphabeta.Result{Move: tt.lines[0].Moves[0], Score: tt.lines[0].Score, Lines: tt.lines}
		c.newClaims(t.Context(), enginetest.Parse(t, v, tt.position)).check(&r)
		if got := v.Notation().FormatMove(r.Move); got != tt.move || r.Score != tt.score || len(r.Lines) != len(tt.lines) || r.Lines[0].Moves[0] != r.Move {
			t.Errorf("%s: %s, %v, want %s, %v", tt.name, got, r.Score, tt.move, tt.score)
		}
	}
}

func rulesOf(v games.Variant) gomoku.Rules {
	rules, _ := v.Gomoku()
	return rules
}
