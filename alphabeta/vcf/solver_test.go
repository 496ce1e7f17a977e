package vcf_test

import (
	"context"
	"flag"
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

// cluster returns a random position with stones on the inner cells, nil if it is
// over.
func cluster(r gomoku.Rules, size, stones int, rng *rand.Rand) *gomoku.Board {
	s := gomoku.Setup{Stones: make([]gomoku.Stone, size*size)}
	for i := range stones {
		for {
			c := (2+rng.IntN(size-4))*size + 2 + rng.IntN(size-4)
			if s.Stones[c] == gomoku.Empty {
				s.Stones[c] = gomoku.FirstStone + gomoku.Stone(i%2)
				break
			}
		}
	}
	b, err := gomoku.NewSetup(r, size, s)
	if err != nil || b.Outcome() != 0 {
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

// What the search by threes says of a win's length before it looks for the line is an
// upper bound: no win is shorter than the shortest, and the proof that is kept then
// takes no longer.
func TestLengthsAreUpperBounds(t *testing.T) {
	proving := vcf.NewUndeepened(vcf.Options{TableBytes: 1 << 18})
	deepening := vcf.New(vcf.Options{TableBytes: 1 << 18})
	long, bounds, lengths := 0, 0, 0
	check := func(b *gomoku.Board) {
		at := pattern.FromBoard(b)
		shortest := deepening.Solve(context.Background(), at, vcf.VCT, 20_000)
		if shortest.Outcome != vcf.Win || !shortest.Shortest || shortest.Plies < 5 {
			return
		}
		least := shortest.Plies
		bound := deepening.Prove(context.Background(), at, vcf.VCT, 20_000)
		if bound.Outcome != vcf.Win {
			return
		}
		if bound.Plies < least {
			t.Errorf("%s: a win within %d plies is claimed, the shortest takes %d\n%v", b.Rules().Name, bound.Plies, least, b)
		}
		kept := proving.Solve(context.Background(), at, vcf.VCT, 200_000)
		if kept.Outcome != vcf.Win || kept.Plies > bound.Plies {
			t.Errorf("%s: %v in %d plies, a win within %d was claimed\n%v", b.Rules().Name, kept.Outcome, kept.Plies,
				bound.Plies, b)
		}
		long, bounds, lengths = long+1, bounds+bound.Plies, lengths+least
	}
	for _, rule := range []string{"freestyle", "standard", "caro", "renju"} {
		b, err := gomoku.ParsePosition(rules(t, rule), 15, "h8a1i8a3j9a15j10o15")
		if err != nil {
			t.Fatal(err)
		}
		check(b)
		rng := rand.New(rand.NewPCG(7, 8))
		for i := range 40 {
			if b := cluster(rules(t, rule), 12, 14+i%8, rng); b != nil && len(b.Wins(nil)) == 0 {
				check(b)
			}
		}
	}
	if long < 10 {
		t.Errorf("only %d wins of five plies and more", long)
	}
	if bounds*10 > lengths*18 {
		t.Errorf("the bounds come to %d plies, the shortest wins to %d: want bounds that say something", bounds, lengths)
	}
}

// TestReplays plays wins by threes on roomy boards, where most replies are
// never tried by the solver, against all of them.
func TestReplays(t *testing.T) {
	for _, name := range gomoku.Names() {
		rng := rand.New(rand.NewPCG(21, 1))
		s := vcf.New(vcf.Options{})
		for wins := 0; wins < *replays; {
			b := cluster(rules(t, name), 12, 18+rng.IntN(16), rng)
			if b == nil || len(b.Wins(nil)) > 0 {
				continue
			}
			r := s.Solve(context.Background(), pattern.FromBoard(b), vcf.VCT, 3000)
			if r.Outcome == vcf.Win && r.Plies >= 5 {
				verify(t, b, vcf.VCT, r, s)
				wins++
			}
		}
	}
}

var (
	oraclePositions = flag.Int("positions", 40, "random positions per rule set for the comparison with the oracle")
	oracleRoom      = flag.Int("room", 3000, "positions that the oracle may look at before it gives up on one")
)

var replays = flag.Int("replays", 10, "wins per rule set to replay on roomy boards")

var densePositions = flag.Int("dense", 16, "crowded boards of full size per rule set")
