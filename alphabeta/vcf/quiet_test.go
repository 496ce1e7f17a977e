package vcf_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// quietWin is a position that the first player wins by a quiet move, g12, under renju.
const quietWin = `
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
. . . . . . . . O . . . . . .
. . . . . . . X . . . . . . .
. . . . . . O X X . . . . . .
. . . . . X X X O O . . . . .
. . . . X O O O O X . . . . .
. . . O . O X X . . . . . . .
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .
. . . . . . . . . . . . . . .`

// certifyQuiet looks for a win with quiet moves, has it certified, and checks that by the plain
// rules.
func certifyQuiet(t *testing.T, s *vcf.Solver, b *gomoku.Board, nodes int) (r vcf.Result) {
	t.Helper()
	ctx, before := context.Background(), b.Key()
	r = s.Solve(ctx, pattern.FromBoard(b), vcf.Quiet, nodes)
	if b.Key() != before || r.Outcome == vcf.None && !b.Rules().Captures {
		t.Errorf("%s: %v, and the position is %v", b.Rules().Name, r.Outcome, b)
	}
	if r.Outcome != vcf.Win {
		return r
	}
	c, err := vcf.WriteCertificate(ctx, s, b, vcf.Quiet, vcf.ProofLimits{Nodes: 100_000}, 100_000)
	if err != nil {
		t.Errorf("%s: %v\n%v", b.Rules().Name, err, b)
		return r
	}
	if err := c.Check(ctx); err != nil {
		t.Errorf("%s: %v\n%v", b.Rules().Name, err, b)
	}
	return r
}

// A quiet move that makes no three is found with few moves.
func TestQuietMove(t *testing.T) {
	b := diagram(t, "renju", game.First, quietWin)
	s := vcf.New(vcf.Options{})
	if r := s.Solve(t.Context(), pattern.FromBoard(b), vcf.VCT, plenty); r.Outcome != vcf.None {
		t.Errorf("by fours and threes: %v", r.Outcome)
	}
	r := certifyQuiet(t, s, b, 100_000)
	if n := (gomoku.Notation{Size: 15}); r.Outcome != vcf.Win || n.FormatMove(r.Line[0]) != "g12" {
		t.Errorf("%v by %v in %d moves, want a win by g12", r.Outcome, r.Line, r.Nodes)
	}
}

// guesser advises any legal move, and takes all moves that it may play.
type guesser struct {
	t   *testing.T
	rng *rand.Rand
}

func (g *guesser) Forget() { g.rng = rand.New(rand.NewPCG(9, 10)) }

func (g *guesser) Advise(_ context.Context, b *pattern.Board, nodes int) vcf.Advice {
	if nodes <= 0 || b.Outcome() != game.Undecided {
		g.t.Errorf("asked with %d moves, %v", nodes, b.Outcome())
	}
	moves := b.Moves(nil)
	return vcf.Advice{Move: moves[g.rng.IntN(len(moves))], Nodes: nodes}
}

// Advice counts for the budget, and equal searches are equal whatever came between them.
func TestAdviceBudget(t *testing.T) {
	b := pattern.FromBoard(diagram(t, "renju", game.First, quietWin))
	s := vcf.New(vcf.Options{Adviser: &guesser{t: t}})
	for _, nodes := range []int{0, 1, 23, 24, 100, 1_000, 30_000, 300_000} {
		r := s.Prove(t.Context(), b, vcf.Quiet, nodes)
		if again := s.Prove(t.Context(), b, vcf.Quiet, nodes); r.Nodes > nodes || r.Nodes != again.Nodes {
			t.Errorf("%d moves, then %d, of a budget of %d", r.Nodes, again.Nodes, nodes)
		}
	}
}

// quietMoves lead to positions that are won by quiet moves, under freestyle and where blocked
// ends count.
var quietMoves = map[bool]string{
	false: "j9l10m12m9k11l11l8k8j10l12l13j11h8i9h10i11g10f10g8i8i10k10h7h11g7g11",
	true:  "i6i4j2k8j5k4g5i5h7g6f7g7f6f8h4i3h6h5j3j4f4e3d5i2i1l4",
}

// disturb returns such a position with up to two stones put on or taken off, nil if it is
// over or its side to move may win by fours.
func disturb(t *testing.T, r gomoku.Rules, rng *rand.Rand) *gomoku.Board {
	from, err := gomoku.ParsePosition(rules(t, "caro"), 15, quietMoves[r.OpponentBlocks])
	if err != nil {
		t.Fatal(err)
	}
	s := from.Setup(0)
	for range rng.IntN(3) {
		s.Stones[(3+rng.IntN(11))*15+3+rng.IntN(11)] = gomoku.Stone(rng.IntN(3))
	}
	b, err := gomoku.NewSetup(r, from.Size(), s)
	if err != nil || b.Outcome() != game.Undecided || len(b.Wins(nil)) > 0 {
		return nil
	}
	if _, _, ok := vcf.NewProver(1000, vcf.Options{}).Prove(b); ok {
		return nil
	}
	return b
}

// No win with quiet moves is false, under any rules, on crowded boards and near to one that has
// such a win, whatever is advised.
func TestQuietWinsHold(t *testing.T) {
	for _, name := range gomoku.Names() {
		t.Run(name, func(t *testing.T) {
			rng, s := rand.New(rand.NewPCG(7, 8)), vcf.New(vcf.Options{})
			advised := vcf.New(vcf.Options{Adviser: &guesser{t: t}})
			wins, quiet := 0, 0
			for i := 0; i < *oraclePositions/3; i++ {
				b := scatter(rules(t, name), 8+i/4%4, []float64{0.2, 0.3, 0.4, 0.55}[i/16%4], rng)
				if i%4 > 0 {
					b = disturb(t, rules(t, name), rng)
				}
				if b == nil {
					continue
				}
				certifyQuiet(t, advised, b, 20_000)
				if r := certifyQuiet(t, s, b, 80_000); r.Outcome == vcf.Win {
					wins++
					if s.Prove(t.Context(), pattern.FromBoard(b), vcf.VCT, 50_000).Outcome != vcf.Win {
						quiet++
					}
				}
			}
			t.Logf("%d wins, %d with quiet moves", wins, quiet)
			if wins < 2 || quiet < 1 && !rules(t, name).Captures {
				t.Errorf("%d wins, %d of them quiet: too few to check", wins, quiet)
			}
		})
	}
}
