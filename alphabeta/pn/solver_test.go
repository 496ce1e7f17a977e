package pn

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// board returns a position of a rule set.
func board(t *testing.T, rule string, size int, moves string) *pattern.Board {
	t.Helper()
	r, err := gomoku.Lookup(rule)
	if err != nil {
		t.Fatal(err)
	}
	b, err := gomoku.ParsePosition(r, size, moves)
	if err != nil {
		t.Fatal(err)
	}
	return pattern.FromBoard(b)
}

// slow decides by the definition of the package comment whether a position, the attacker
// to move, is in W.
type slow struct {
	solver *vcf.Solver
	o      Options
	known  map[[2]uint64]bool
	left   int // positions; negative: too many
}

func (s *slow) won(b *pattern.Board, kind vcf.Kind, nodes int) bool {
	return s.solver.Decide(context.Background(), b, kind, nodes).Outcome == vcf.Win
}

func (s *slow) attack(b *pattern.Board) bool {
	key := b.Board().Key()
	if w, ok := s.known[key]; ok {
		return w
	}
	s.left--
	w := s.won(b, vcf.VCF, s.o.Fours) || s.won(b, vcf.VCT, s.o.Threes)
	near := b.Candidates()
	list := near.Append(nil)
	if forced, five := s.solver.DefencesAtOnce(b, nil); five {
		list = forced
	}
	for _, m := range list {
		if w || s.left < 0 {
			break
		}
		if !b.Legal(m) {
			continue
		}
		b.Play(m)
		w = s.threat(b) && s.defend(b)
		b.Undo()
	}
	s.known[key] = w
	return w
}

func (s *slow) threat(b *pattern.Board) bool {
	if b.Outcome() != game.Undecided {
		return false
	}
	if b.Board().Pending() {
		return true
	}
	b.Pass()
	defer b.Pass()
	return s.won(b, vcf.VCF, s.o.Fours)
}

// defend reports whether all replies lead to W.
func (s *slow) defend(b *pattern.Board) bool {
	for _, m := range b.Moves(nil) {
		b.Play(m)
		attacker, o := b.ToMove(), b.Outcome()
		ok := o == game.WinFor(attacker) || o == game.Undecided && s.attack(b)
		b.Undo()
		if !ok {
			return false
		}
	}
	return true
}

// scatter returns a board with random stones, undecided.
func scatter(t *testing.T, rng *rand.Rand, rule string, size, stones int) *pattern.Board {
	for {
		b := board(t, rule, size, "")
		for b.Board().Ply() < stones && b.Outcome() == game.Undecided {
			moves := b.Moves(nil)
			b.Play(moves[rng.IntN(len(moves))])
		}
		if b.Outcome() == game.Undecided {
			return b
		}
	}
}

// On small boards the search finds a win exactly where the definition has one, under
// every rule set, and every win has a certificate that holds.
func TestDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	o := Options{Fours: 15, Threes: 1, Narrow: 1 << 40}
	quiet := 0
	for _, rule := range gomoku.Names() {
		for range 60 {
			b := scatter(t, rng, rule, 7, 9+rng.IntN(8))
			twin := &slow{solver: vcf.New(vcf.Options{}), o: o, known: map[[2]uint64]bool{}, left: 3_000}
			want := twin.attack(b)
			if twin.left < 0 {
				continue
			}
			before := b.Board().Key()
			s := New(o)
			s.begin(t.Context(), b)
			s.until(before, 1<<40)
			if got := s.table.find(before).pn == 0; got != want || b.Board().Key() != before {
				t.Fatalf("%s: won is %v, want %v, in\n%v", rule, got, want, b.Board())
			}
			if !want {
				continue
			}
			if !twin.won(b, vcf.VCT, o.Threes) {
				quiet++
			}
			r, err := New(o).Solve(t.Context(), b, 1<<40)
			if err != nil || r.Outcome != vcf.Win {
				t.Fatalf("%s: %v, %v in\n%v", rule, r.Outcome, err, b.Board())
			}
			read, err := certificate.Decode(r.Certificate.Encode())
			if err != nil {
				t.Fatal(err)
			}
			if err := read.Check(t.Context()); err != nil {
				t.Fatalf("%s: %v", rule, err)
			}
		}
	}
	if quiet < 4 {
		t.Errorf("%d wins with quiet moves, want at least 4", quiet)
	}
}

// Positions of games that the engine has played against itself, in which the solver of
// fours and threes finds nothing.
var quietWins = []struct{ rule, moves string }{
	{"freestyle", "j9l10m12m9k11l11l8k8j10l12l13j11h8i9h10i11g10f10g8i8i10k10h7h11g7g11"},
	{"freestyle", "i6j4l2i4j5k4l4k5l6l5j3k7k6j6h4k8j9j10k9l9k10l11l10j8i8h7h8f8g5f6g9i9f10e11f5h5g11m9l8g10i3h3e9d8e8m10n11k12n9j13i14m11m8l7i13h12i12i11k11c9h14j12j14g14n12n13l14k14j2k1k2m13m12m2n5n6k3l3n10n8e13d6e7e6c6d7i2h2m5i1d9e5h9"},
}

// Wins with quiet moves are found and certified, and neither a table that is far too
// small nor saving and loading it on the way changes that.
func TestQuietWins(t *testing.T) {
	for _, tt := range quietWins {
		b := board(t, tt.rule, 15, tt.moves)
		if r := vcf.New(vcf.Options{}).Solve(t.Context(), b, vcf.VCT, 100_000); r.Outcome == vcf.Win {
			t.Errorf("%s: %d plies by fours and threes", tt.moves, r.Plies)
		}
		r, err := New(Options{}).Solve(t.Context(), b, 20_000_000)
		if err != nil || r.Outcome != vcf.Win {
			t.Fatalf("%s: %v, %v after %d nodes", tt.moves, r.Outcome, err, r.Nodes)
		}
		if err := r.Certificate.Check(t.Context()); err != nil {
			t.Error(err)
		}
		small := New(Options{TableBytes: 20_000})
		if r, err := small.Solve(t.Context(), b, 100_000_000); err != nil || r.Outcome != vcf.Win {
			t.Errorf("%s, with a small table: %v, %v", tt.moves, r.Outcome, err)
		}
	}
}

// A search in slices finds the same, byte for byte, whether or not it is saved and loaded
// between them.
func TestSaveAndLoad(t *testing.T) {
	b := board(t, quietWins[0].rule, 15, quietWins[0].moves)
	o := Options{Narrow: 150_000}
	one, other := New(o), New(o)
	for nodes := int64(100_000); ; nodes += 100_000 {
		var states [2]bytes.Buffer
		r1, err1 := one.Solve(t.Context(), b, nodes)
		r2, err2 := other.Solve(t.Context(), b, nodes)
		if err := errors.Join(err1, err2, one.Save(&states[0]), other.Save(&states[1])); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(states[0].Bytes(), states[1].Bytes()) || r1.Outcome != r2.Outcome || r1.Nodes != r2.Nodes {
			t.Fatalf("after %d nodes the searches differ: %v and %v", nodes, r1, r2)
		}
		if r1.Outcome == vcf.Win {
			if !bytes.Equal(r1.Certificate.Encode(), r2.Certificate.Encode()) {
				t.Error("the certificates differ")
			}
			break
		}
		if nodes > 40_000_000 {
			t.Fatal("no win was found")
		}
		other = New(o)
		if err := other.Load(states[1].Bytes(), b); err != nil {
			t.Fatal(err)
		}
	}
}

// What is no saved table of the search is refused in one line, and changes nothing.
func TestLoadRefuses(t *testing.T) {
	b := board(t, "caro", 15, "h8i9h9h10g9")
	s := New(Options{})
	if _, err := s.Solve(t.Context(), b, 20_000); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := s.Save(&file); err != nil {
		t.Fatal(err)
	}
	good := file.Bytes()
	if err := New(Options{}).Load(good, b); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		bad := bytes.Clone(good)
		if rng.IntN(2) == 0 {
			bad = bad[:rng.IntN(len(bad))]
		} else {
			bad[rng.IntN(len(bad))] ^= byte(1 + rng.IntN(255))
		}
		fresh := New(Options{})
		if err := fresh.Load(bad, b); !errors.Is(err, ErrState) || bytes.ContainsRune([]byte(err.Error()), '\n') {
			t.Fatalf("a damaged table: %v", err)
		}
		if len(fresh.table.positions) != 0 {
			t.Fatal("a refused table was taken over")
		}
	}
	for name, other := range map[string]*pattern.Board{
		"rules": board(t, "standard", 15, "h8i9h9h10g9"), "size": board(t, "caro", 13, "h8i9h9h10g9"), "side": board(t, "caro", 15, "h8i9h9h10"),
	} {
		if err := New(Options{}).Load(good, other); !errors.Is(err, ErrState) {
			t.Errorf("of another %s: %v", name, err)
		}
	}
	if err := New(Options{Fours: 7}).Load(good, b); !errors.Is(err, ErrState) {
		t.Errorf("of other budgets: %v", err)
	}
}

// A table that claims too much cannot make the solver call a position won.
func TestFalseClaims(t *testing.T) {
	b := board(t, "freestyle", 15, "h8i9")
	s := New(Options{})
	s.begin(t.Context(), b)
	s.table.claim(b.Board().Key(), proven).win = 0
	if r, err := s.Solve(t.Context(), b, 1_000); !errors.Is(err, ErrUncertified) || r.Outcome != vcf.Unknown {
		t.Errorf("%v, %v", r.Outcome, err)
	}
}

// A search that is cancelled says unknown and leaves the board as it was.
func TestCancelled(t *testing.T) {
	b := board(t, "caro", 15, "h8i9h9h10g9")
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	s := New(Options{Progress: func(p Progress) {
		if calls++; calls == 3 {
			cancel()
		}
	}})
	before := b.Board().Key()
	r, err := s.Solve(ctx, b, 1<<40)
	if err != nil || r.Outcome != vcf.Unknown || b.Board().Key() != before || calls != 3 {
		t.Errorf("%v, %v after %d reports", r.Outcome, err, calls)
	}
	if r, err := s.Solve(t.Context(), b, r.Nodes+1); err != nil || r.Outcome != vcf.Unknown {
		t.Errorf("a node more: %v, %v", r.Outcome, err)
	}
}

// A finished game has nothing to find, and a win at once is found at once.
func TestEnds(t *testing.T) {
	b := board(t, "freestyle", 15, "h8a1i8a2j8a15k8a14")
	r, err := New(Options{}).Solve(t.Context(), b, 1_000)
	if err != nil || r.Outcome != vcf.Win || r.Certificate.Plies != 1 {
		t.Errorf("four in a row: %v, %v", r, err)
	}
	b.Play(b.Wins(nil)[0])
	if r, err := New(Options{}).Solve(t.Context(), b, 1_000); err != nil || r.Outcome != vcf.None {
		t.Errorf("after five: %v, %v", r.Outcome, err)
	}
}

// The set of quiet positions: all are legal, undecided, and nobody wins at once.
func TestQuietSet(t *testing.T) {
	text, err := os.ReadFile("testdata/quiet.txt")
	if err != nil {
		t.Fatal(err)
	}
	positions := 0
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); f[0] != "#" {
			if b := board(t, f[0], 15, f[1]); b.Outcome() != game.Undecided || len(b.Wins(nil)) > 0 {
				t.Errorf("%s is no quiet position", line)
			}
			positions++
		}
	}
	if positions != 40 {
		t.Errorf("%d positions, want 40", positions)
	}
}
