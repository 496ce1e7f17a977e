package vcf_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// positions returns random positions of one rule set in the middle of a game.
func positions(t testing.TB, name string, n int, seed uint64) (boards []*pattern.Board) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for len(boards) < n {
		if b := cluster(rules(t, name), 12, 20+rng.IntN(20), rng); b != nil {
			boards = append(boards, pattern.FromBoard(b))
		}
	}
	return boards
}

func TestBudgets(t *testing.T) {
	for _, name := range gomoku.Names() {
		for _, b := range positions(t, name, 5, 3) {
			full := vcf.New(vcf.Options{}).Solve(context.Background(), b, vcf.VCT, plenty)
			solver := vcf.New(vcf.Options{})
			for _, nodes := range []int{-1, 0, 1, 7, 60, 1000} {
				before := b.Board().Key()
				got := solver.Solve(context.Background(), b, vcf.VCT, nodes)
				if b.Board().Key() != before {
					t.Fatalf("%s: a budget of %d leaves the position changed", name, nodes)
				}
				if got.Nodes > 2*max(nodes, 0) {
					t.Errorf("%s: %d nodes under a budget of %d", name, got.Nodes, nodes)
				}
				if got.Outcome != vcf.Unknown && (got.Outcome != full.Outcome || got.Plies != full.Plies) {
					t.Errorf("%s: %v in %d plies within %d nodes, %v in %d without end", name,
						got.Outcome, got.Plies, nodes, full.Outcome, full.Plies)
				}
				if got.Outcome == vcf.Win && len(got.Line) == 0 {
					t.Errorf("%s: a win without a move", name)
				}
				if bare := vcf.New(vcf.Options{}).Decide(context.Background(), b, vcf.VCT, nodes); bare.Outcome != got.Outcome ||
					bare.Plies != got.Plies ||
					bare.Nodes > max(nodes, 0) || bare.Outcome == vcf.Win && (len(bare.Line) != 1 || bare.Line[0] != got.Line[0]) {
					t.Errorf("%s: without the line %+v, with it %+v", name, bare, got)
				}
				again := vcf.New(vcf.Options{}).Solve(context.Background(), b, vcf.VCT, nodes)
				if again.Outcome != got.Outcome || again.Nodes != got.Nodes || !slices.Equal(again.Line, got.Line) {
					t.Errorf("%s: a solver used before finds %+v, a fresh one %+v", name, got, again)
				}
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := positions(t, "freestyle", 1, 9)[0]
	s := vcf.New(vcf.Options{})
	if r := s.Solve(ctx, b, vcf.VCT, plenty); r.Outcome != vcf.Unknown || r.Nodes != 0 {
		t.Errorf("a cancelled search finds %+v", r)
	}
}

// other is a position of no game that the prover knows.
type other struct{ game.Position }

func TestProver(t *testing.T) {
	p, s := vcf.NewProver(5000, vcf.Options{}), vcf.New(vcf.Options{})
	for _, name := range gomoku.Names() {
		for _, b := range positions(t, name, 20, 4) {
			want := s.Solve(context.Background(), b, vcf.VCF, 5000)
			for _, pos := range []game.Position{b, b.Board()} {
				m, plies, ok := p.Prove(pos)
				if ok != (want.Outcome == vcf.Win) || ok && (m != want.Line[0] || plies != want.Plies) {
					t.Errorf("%s: proof %v, %d, %v; the solver says %+v", name, m, plies, ok, want)
				}
			}
			if _, _, ok := p.Prove(other{b}); ok {
				t.Error("a proof for a position of another game")
			}
		}
	}
}
