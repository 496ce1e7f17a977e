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

const plenty = 1 << 20

func rules(t testing.TB, name string) gomoku.Rules {
	t.Helper()
	r, err := gomoku.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// strategy plays by a solver of its own.
func strategy(kind vcf.Kind) vcf.Strategy { return following(vcf.New(vcf.Options{}), kind) }

// following plays as the win of the solver's last Solve goes on.
func following(s *vcf.Solver, kind vcf.Kind) vcf.Strategy {
	return func(b *gomoku.Board) (game.Move, int, bool) {
		return s.Follow(context.Background(), pattern.FromBoard(b), kind, plenty)
	}
}

// verify replays a win that s has just claimed against every defence, and its
// line.
func verify(t testing.TB, b *gomoku.Board, kind vcf.Kind, r vcf.Result, s *vcf.Solver) {
	t.Helper()
	n := gomoku.Notation{Size: b.Size()}
	r.Line = slices.Clone(r.Line)
	if _, err := vcf.Replay(b, r.Plies, following(s, kind)); err != nil {
		t.Errorf("%s, %v, %v to move, %d and %d captured: %v\n%v", b.Rules().Name, kind, b.ToMove(), b.Captured(game.First),
			b.Captured(game.Second), err, b)
	}
	if len(r.Line) != r.Plies {
		t.Errorf("%s: the line %s has not the %d plies of the win in %d nodes\n%v", b.Rules().Name, n.FormatMoves(r.Line),
			r.Plies, r.Nodes, b)
	}
	c := b.Clone()
	for _, m := range r.Line {
		if !c.Legal(m) {
			t.Fatalf("%s: the line %s is not legal\n%v", b.Rules().Name, n.FormatMoves(r.Line), b)
		}
		c.Play(m)
	}
	if c.Outcome() != game.WinFor(b.ToMove()) {
		t.Errorf("%s: the line %s ends %v\n%v", b.Rules().Name, n.FormatMoves(r.Line), c.Outcome(), b)
	}
}

// scatter returns a random position: a share of the cells holds stones, in equal
// numbers give or take a few. It returns nil if that position is over.
func scatter(r gomoku.Rules, size int, share float64, rng *rand.Rand) *gomoku.Board {
	s := gomoku.Setup{Stones: make([]gomoku.Stone, size*size), ToMove: game.Side(rng.IntN(2))}
	lean := 0.4 + 0.2*rng.Float64()
	for c := range s.Stones {
		if rng.Float64() < share {
			s.Stones[c] = gomoku.FirstStone
			if rng.Float64() < lean {
				s.Stones[c] = gomoku.SecondStone
			}
		}
	}
	if r.Captures {
		s.Captured = [2]int{2 * rng.IntN(5), 2 * rng.IntN(5)}
	}
	b, err := gomoku.NewSetup(r, size, s)
	if err != nil || b.Outcome() != game.Undecided {
		return nil
	}
	return b
}

// TestOracle compares outcome and distance with the exhaustive solver on random
// crowded boards, and replays every win. The search after the deepening one is
// asked on its own, too.
func TestOracle(t *testing.T) {
	shares := []float64{0.3, 0.4, 0.5, 0.6, 0.75}
	for _, name := range gomoku.Names() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			r := rules(t, name)
			solvers := []*vcf.Solver{
				vcf.New(vcf.Options{TableBytes: 1 << 14}),
				vcf.NewUndeepened(vcf.Options{TableBytes: 1 << 18}),
			}
			tally := map[string]int{}
			count := *oraclePositions
			if r.Captures {
				count *= 4 // these have the most special cases, and are quick
			}
			for i := range count {
				b := scatter(r, 6+i%4, shares[i%len(shares)], rng)
				for b == nil || i%16 != 0 && len(b.Wins(nil)) > 0 {
					b = scatter(r, 6+i%4, shares[i%len(shares)], rng)
				}
				kind := vcf.Kind(i / 2 % 2)
				tally[compare(t, solvers, b, kind)]++
			}
			t.Logf("%v", tally)
			if 2*tally["none"] < *oraclePositions || 20*(tally["win"]+tally["long win"]) < *oraclePositions {
				t.Errorf("too few results to compare: %v", tally)
			}
		})
	}
}

// compare checks one result of each solver against the oracle and names the
// class of the case.
func compare(t *testing.T, solvers []*vcf.Solver, b *gomoku.Board, kind vcf.Kind) string {
	t.Helper()
	before := b.Key()
	o := &oracle{t: t, kind: kind, room: *oracleRoom}
	moves, known := o.solve(b)
	if b.Key() != before {
		t.Fatal("the oracle left the position changed")
	}
	if !known {
		return "too large"
	}
	want, name := vcf.None, "none"
	if moves > 0 {
		want, name = vcf.Win, "win"
		if moves > 2 {
			name = "long win"
		}
	}
	for i, solver := range solvers {
		got := solver.Solve(context.Background(), pattern.FromBoard(b), kind, plenty)
		short := got.Plies == 2*moves-1
		if got.Outcome != want || want == vcf.Win && (got.Shortest && !short || got.Plies < 2*moves-1) {
			t.Errorf("%s, solver %d, %v, %v to move: got %v in %d plies, the oracle says %v in %d moves; %d and %d "+
				"captured\n%v", b.Rules().Name,
				i, kind, b.ToMove(), got.Outcome, got.Plies, want, moves, b.Captured(game.First), b.Captured(game.Second), b)
			name = "wrong"
		}
		if got.Outcome == vcf.Win {
			verify(t, b, kind, got, solver)
		}
	}
	return name
}
