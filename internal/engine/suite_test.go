package engine_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/tactics"
	"github.com/carozero/carozero/nn"
)

// bothEngines returns what asks both engines for an answer: a classical search of the level
// "hard", and a tree search of 400 playouts that knows nothing but what its solvers prove.
func bothEngines(t *testing.T, v games.Variant) map[string]engine.Engine {
	t.Helper()
	c := classical(t, v)
	net, err := new(networks.Loader).Open(v, "uniform")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := engine.NewTree(net, engine.TreeOptions{Eval: nn.EvaluatorOptions{Seed: 1},
		Solvers: games.SolverNodes{Leaf: 500, Root: 20_000, Replies: 500}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(tree.Close(), net.Close()) })
	return map[string]engine.Engine{"alphabeta": c, "mcts": tree}
}

// Both engines play a winning move where there is a short win, and no win or loss that the
// classical one claims is contradicted by a solver of forced wins.
func TestShortWinsAreFoundAndClaimsHold(t *testing.T) {
	problems, err := tactics.Suite()
	if err != nil {
		t.Fatal(err)
	}
	holds, err := tactics.Holds()
	if err != nil {
		t.Fatal(err)
	}
	short := slices.DeleteFunc(slices.Clone(problems), func(p tactics.Problem) bool { return p.Plies > 5 })
	byVariant := map[games.VariantOptions]map[string]engine.Engine{}
	of := func(rule string, size int) map[string]engine.Engine {
		o := games.VariantOptions{Rule: rule, Size: size}
		if byVariant[o] == nil {
			byVariant[o] = bothEngines(t, enginetest.Variant(t, o))
		}
		return byVariant[o]
	}
	limits := map[string]engine.Limits{"alphabeta": {Nodes: 20_000}, "mcts": {Nodes: 400}}
	solver := vcf.New(vcf.Options{})
	wins := func(b *gomoku.Board) bool {
		return slices.ContainsFunc([]vcf.Kind{vcf.VCF, vcf.VCT}, func(k vcf.Kind) bool {
			return solver.Decide(t.Context(), pattern.FromBoard(b), k, 20_000).Outcome == vcf.Win
		})
	}
	winning := func(b *gomoku.Board, m game.Move) bool { // against every reply
		side := b.ToMove()
		b.Play(m)
		won := b.Outcome() == game.WinFor(side)
		if b.Outcome() == game.Undecided {
			won = !slices.ContainsFunc(b.Moves(nil), func(reply game.Move) bool {
				b.Play(reply)
				defer b.Undo()
				return b.Outcome() != game.Undecided || !wins(b)
			})
		}
		return won
	}
	won := 0
	for _, p := range short {
		for name, l := range limits {
			b, err := p.Board()
			if err != nil || p.Outcome != vcf.Win {
				continue
			}
			e := of(p.Rule, p.Size)[name]
			e.Forget()
			a, err := e.Think(t.Context(), b.Copy(), l)
			if err != nil || !winning(b, a.Move) {
				t.Errorf("%v: %s plays %+v, %v", p, name, a, err)
			}
			won++
		}
	}
	if won < 40 {
		t.Errorf("%d short wins", won)
	}
	claimed := 0
	for i, h := range holds {
		if i%3 != 0 {
			continue
		}
		b, err := h.Board()
		if err != nil {
			t.Fatal(err)
		}
		c := of(h.Rule, h.Size)["alphabeta"].(*engine.Classical)
		c.Forget()
		r, _, err := c.Search(t.Context(), b.Copy(), alphabeta.Limits{Nodes: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := r.Score.Claim(); !ok {
			continue
		}
		claimed++
		wrong := r.Score < 0 && wins(b)
		if r.Score > 0 {
			b.Play(r.Move)
			wrong = b.Outcome() == game.Undecided && wins(b)
		}
		if wrong {
			t.Errorf("%v: claims %v by %d, and a proof speaks against it", h, r.Score, r.Move)
		}
	}
	if claimed < 3 {
		t.Errorf("%d claims", claimed)
	}
}

// A claim gives way to the proof: a loss to a win, a longer win to a shorter
// one, and a win to the opponent's.
func TestClaimsGiveWay(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	c := classical(t, v)
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
		engine.CheckClaims(t.Context(), c, enginetest.Parse(t, v, tt.position), &r)
		if got := v.Notation().FormatMove(r.Move); got != tt.move || r.Score != tt.score || len(r.Lines) != len(tt.lines) ||
			r.Lines[0].Moves[0] != r.Move {
			t.Errorf("%s: %s, %v, want %s, %v", tt.name, got, r.Score, tt.move, tt.score)
		}
	}
}
