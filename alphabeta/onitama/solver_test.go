package onitama

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/game/onitama/bitbase"
)

// played returns a position after random moves from a random deal.
func played(t *testing.T, rng *rand.Rand, moves int) *rules.Board {
	t.Helper()
	b, err := rules.New(rules.BaseDeck.Random(rng))
	if err != nil {
		t.Fatal(err)
	}
	for range moves {
		legal := b.Moves(nil)
		if b.Play(legal[rng.IntN(len(legal))]); b.Outcome() != game.Undecided {
			b.Undo()
			break
		}
	}
	return b
}

// checkLine plays the line of a win by the rules. It is whole unless the table was narrow.
func checkLine(t *testing.T, b *rules.Board, attacker game.Side, w Win, narrow bool) {
	t.Helper()
	if len(w.Line) > w.Plies || len(w.Line) < w.Plies && !narrow || len(w.Line) == 0 {
		t.Fatalf("a line of %d moves of a win in %d of\n%v", len(w.Line), w.Plies, b)
	}
	for _, m := range w.Line {
		if b.Outcome() != game.Undecided || !b.Legal(m) {
			t.Fatalf("move %v of a line is not legal on\n%v", rules.Notation{}.FormatMove(m), b)
		}
		b.Play(m)
	}
	if b.Outcome() != game.WinFor(attacker) && len(w.Line) == w.Plies {
		t.Fatalf("a line ends with %v, want a win of %v:\n%v", b.Outcome(), attacker, b)
	}
	for range w.Line {
		b.Undo()
	}
}

// A solver knows what solved endgames say of a position: no win is false or shorter than the
// shortest, and few are missed, also with a table that holds next to nothing.
func TestSolverAgainstTheBitbase(t *testing.T) {
	five, err := bitbase.ParseCards("Crab,Crane,Dragon,Monkey,Tiger")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "four.bitbase")
	if err := bitbase.Build(t.Context(), path, five, 4, bitbase.Options{}); err != nil {
		t.Fatal(err)
	}
	table, err := bitbase.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	rng := rand.New(rand.NewPCG(8, 8))
	for name, bytes := range map[string]int64{"roomy": 16 << 20, "narrow": 0} {
		s := NewSolver(bytes)
		won, found, lost := 0, 0, 0
		for range 700 {
			b := table.Random(rng)
			value, plies, ok := table.Probe(b)
			if !ok || b.Outcome() != game.Undecided {
				t.Fatalf("no value of\n%v", b)
			}
			before := b.String()
			for _, attacker := range []game.Side{game.First, game.Second} {
				w, err := s.Solve(t.Context(), b, attacker, 300_000)
				if err != nil || b.String() != before {
					t.Fatalf("%v: left is\n%v\nof\n%v", err, b, before)
				}
				wins := value == game.Won && b.ToMove() == attacker || value == game.Lost && b.ToMove() != attacker
				if w.Found && (!wins || w.Plies < plies) {
					t.Fatalf("%v wins in %d, the truth is %v in %d:\n%v", attacker, w.Plies, value, plies, b)
				}
				if w.Ended && (w.Found || wins && bytes > 0) {
					t.Fatalf("the search for %v's win, in %d plies, ended with %+v:\n%v", attacker, plies, w, b)
				}
				if wins {
					won++
				}
				if w.Found {
					found++
					checkLine(t, b, attacker, w, bytes == 0)
					if value == game.Lost {
						lost++
					}
				}
			}
		}
		if found < won*95/100 || lost < 100 {
			t.Errorf("%s: %d of %d wins were found, %d of them of who was not to move", name, found, won, lost)
		}
	}
}

// What the prover of short wins finds at the start and in the middle of games, the solver
// finds too, at once or by slices.
func TestSolverFindsShortWins(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var p Prover
	s, sliced := NewSolver(16<<20), NewSolver(16<<20)
	found := 0
	for range 400 {
		b := played(t, rng, 6+rng.IntN(30))
		m := p.Prove(t.Context(), b, 20_000)
		if m.Plies == 0 {
			continue
		}
		found++
		attacker := b.ToMove()
		w, err := s.Solve(t.Context(), b, attacker, 3_000_000)
		if err != nil || !w.Found || w.Plies < m.Plies {
			t.Fatalf("%v: %+v, want a win in %d or more of\n%v", err, w, m.Plies, b)
		}
		checkLine(t, b, attacker, w, false)
		var again Win
		for moves := 50; !again.Found && moves <= 3_000_000; moves *= 2 {
			if again, err = sliced.Solve(t.Context(), b, attacker, moves); err != nil {
				t.Fatal(err)
			}
		}
		if !again.Found {
			t.Fatalf("by slices no win is found of\n%v", b)
		}
		checkLine(t, b, attacker, again, false)
	}
	if found < 50 {
		t.Errorf("only %d positions had short wins", found)
	}
}

// TestSolverProvesThePublishedSample proves the win that an engine has published, which took
// it 39 s.
func TestSolverProvesThePublishedSample(t *testing.T) {
	deal, err := rules.ParseDeal("Crane,Rooster/Tiger,Ox/Horse")
	if err != nil {
		t.Fatal(err)
	}
	b, err := rules.New(deal)
	if err != nil {
		t.Fatal(err)
	}
	moves, err := rules.Notation{}.ParseMoves("rooster c1d2")
	if err != nil {
		t.Fatal(err)
	}
	b.Play(moves[0])
	s := NewSolver(64 << 20)
	w, err := s.Solve(t.Context(), b, b.ToMove(), 4_000_000)
	if err != nil || !w.Found {
		t.Fatalf("%v: %+v after %d moves", err, w, s.Moves())
	}
	checkLine(t, b, b.ToMove(), w, false)
	if n := s.Moves(); n > 3_000_000 {
		t.Errorf("%d moves were played", n)
	}
	if other, err := s.Solve(t.Context(), b, b.ToMove().Other(), 1_000_000); err != nil || other.Found {
		t.Errorf("%v: the other side wins too: %+v", err, other)
	}
}
