package tactics

import (
	"context"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// denseOf returns a source of boards of a rule set.
func denseOf(t *testing.T, rule string, size int) *Dense {
	t.Helper()
	r, err := gomoku.Lookup(rule)
	if err != nil {
		t.Fatal(err)
	}
	return &Dense{Rules: r, Size: size, Seed: 7}
}

// Brute force and the solver, which share nothing but the rules, agree on who
// wins within three plies; where stones are captured the solver sees no more.
func TestBruteForceAgreesWithTheSolver(t *testing.T) {
	solver := vcf.New(vcf.Options{})
	for _, rule := range gomoku.Names() {
		boards := denseOf(t, rule, 9)
		wins := 0
		for range 60 {
			b, err := boards.Next()
			if err != nil {
				t.Fatal(err)
			}
			before := b.Key()
			m, ok := newBrute(b).wins(shortest)
			if b.Key() != before {
				t.Fatalf("%s: the board is not as it was", rule)
			}
			r := solver.Solve(context.Background(), pattern.FromBoard(b), vcf.VCF, 100_000)
			solved := r.Outcome == vcf.Win && r.Plies <= shortest
			if ok != solved && !(ok && b.Rules().Captures) {
				t.Fatalf("%s: brute force says %v (%d), the solver %v in %d\n%v to move\n%v", rule, ok, m, r.Outcome, r.Plies, b.ToMove(), b)
			}
			if ok {
				wins++
			}
		}
		if wins < 5 || wins > 55 {
			t.Errorf("%s: %d wins in 60 boards", rule, wins)
		}
	}
}

// Boards are a function of the seed, and the wins on them hold.
func TestDenseBoards(t *testing.T) {
	for _, rule := range gomoku.Names() {
		one, two := denseOf(t, rule, 15), denseOf(t, rule, 15)
		for range 5 {
			a, err := one.NextShort(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			b, err := two.NextShort(t.Context())
			if err != nil || a.Board.Key() != b.Board.Key() || a.Line[0] != b.Line[0] || a.String() != b.String() {
				t.Fatalf("%s: the same seed makes\n%v\n%v, %v", rule, a, b, err)
			}
			if a.Plies != shortest && a.Plies != longest || !a.Board.Legal(a.Line[0]) {
				t.Errorf("%s: %v", rule, a)
			}
			j := judge{solver: vcf.New(vcf.Options{}), nodes: 20_000}
			if !j.winning(t.Context(), a.Board, a.Line[0]) {
				t.Errorf("%s: the judge refuses %v", rule, a)
			}
		}
	}
}

// A claim is contradicted where a proof says otherwise, and only there.
func TestClaimsAreContradicted(t *testing.T) {
	j := &judge{solver: vcf.New(vcf.Options{}), nodes: 20_000}
	r, err := gomoku.Lookup("freestyle")
	if err != nil {
		t.Fatal(err)
	}
	n := gomoku.Notation{Size: 15}
	for _, tt := range []struct {
		position, move string
		plies          int
		wrong          bool
	}{
		{"h8a1i8a3j8a15", "g8", 3, false},
		{"h8a1i8a3j8a15", "g8", -4, true}, // it wins
		{"h8a1i8a3j8a15", "o1", 3, true},  // not by that move
		{"h8a1i8a3j8", "o1", 7, true},     // the opponent wins
		{"h8a1i8a3j8", "g8", -8, false},   // nothing is proven
		{"h8a1", "g8", 0, false},
	} {
		b, err := gomoku.ParsePosition(r, 15, tt.position)
		if err != nil {
			t.Fatal(err)
		}
		moves, err := n.ParseMoves(tt.move)
		if err != nil {
			t.Fatal(err)
		}
		var s ClaimScore
		if why := s.count(t.Context(), j, b, Claim{Move: moves[0], Plies: tt.plies}); (why != "") != tt.wrong {
			t.Errorf("%s %s, %d plies: %q, want a contradiction: %v", tt.position, tt.move, tt.plies, why, tt.wrong)
		}
	}
}

// An engine that plays any other move than the proof's wins little.
func TestRunDenseCountsMisses(t *testing.T) {
	boards := denseOf(t, "caro", 15)
	s, missed, err := RunDense(t.Context(), boards, 10, 5_000, func(b game.Position) (Choice, error) {
		moves := b.Moves(nil)
		return Choice{Move: moves[0]}, nil
	})
	if err != nil || s.Boards != 10 || s.Won > 3 || len(missed) != s.Boards-s.Won || missed[0].Played == game.NoMove {
		t.Errorf("%+v, %d missed, %v", s, len(missed), err)
	}
}
