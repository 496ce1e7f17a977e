package pn

import (
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"
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
	return s.won(b, vcf.VCF, s.o.Fours) || s.won(b, vcf.VCT, s.o.Threes)
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
	o := Options{Fours: 15, Threes: 1}
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
			s.budget = 1 << 40
			s.search(before, true, alphabeta.Unbounded)
			if got := s.table.find(before).PN == 0; got != want || b.Board().Key() != before {
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

// guesser advises by chance.
type guesser struct {
	rng  *rand.Rand
	seed uint64
}

func newGuesser(seed uint64) *guesser {
	g := &guesser{seed: seed}
	g.Forget()
	return g
}

func (g *guesser) Forget() { g.rng = rand.New(rand.NewPCG(g.seed, 0)) }

func (g *guesser) Advise(_ context.Context, b *pattern.Board, nodes int) vcf.Advice {
	moves := b.Moves(nil)
	return vcf.Advice{Move: moves[g.rng.IntN(len(moves))], Wins: g.rng.IntN(2) == 0, Nodes: min(nodes, 10)}
}

// No advice, however bad, keeps the search from a win that the definition has, or makes it
// find one that does not hold.
func TestAnyAdvice(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	wins := 0
	for _, rule := range gomoku.Names() {
		for i := range 30 {
			b := scatter(t, rng, rule, 7, 9+rng.IntN(8))
			o := Options{Fours: 15, Threes: 1}
			twin := &slow{solver: vcf.New(vcf.Options{}), o: o, known: map[[2]uint64]bool{}, left: 1_000}
			want := twin.attack(b)
			if twin.left < 0 {
				continue
			}
			o.Adviser = newGuesser(uint64(i))
			r, err := New(o).Solve(t.Context(), b, 50_000)
			if err != nil || want && r.Outcome != vcf.Win {
				t.Fatalf("%s: %v, %v, want a win, in\n%v", rule, r.Outcome, err, b.Board())
			}
			if r.Outcome == vcf.Win {
				wins++
				if err := r.Certificate.Check(t.Context()); err != nil {
					t.Fatalf("%s: %v", rule, err)
				}
			}
		}
	}
	if wins < 12 {
		t.Errorf("%d wins, want 12 at least", wins)
	}
}

// always advises one move, and the first legal one where that is taken.
type always struct{ move game.Move }

func (a *always) Forget() {}

func (a *always) Advise(_ context.Context, b *pattern.Board, nodes int) vcf.Advice {
	if m := a.move; b.Legal(m) {
		return vcf.Advice{Move: m, Wins: true, Nodes: min(nodes, 10)}
	}
	return vcf.Advice{Move: b.Moves(nil)[0], Nodes: min(nodes, 10)}
}

// A move that threatens nothing is looked into where it is advised, and only there, also if
// that comes late.
func TestAdvisedMoves(t *testing.T) {
	b := board(t, "caro", 15, "h8i9h9h10g9")
	near := b.Candidates()
	corner, beside := game.Move(0), near.Append(nil)[0]
	of := func(m game.Move) [2]uint64 { return b.Board().KeyAfter(m) }
	advised := &always{corner}
	s := New(Options{Adviser: advised})
	if _, err := s.Solve(t.Context(), b, 200_000); err != nil {
		t.Fatal(err)
	}
	if q := s.table.find(of(corner)); q == nil || q.idle || q.DN == 0 {
		t.Errorf("the advised move: %+v", q)
	}
	s.table.decide(s.table.claim(of(beside), unlikely), alphabeta.Disproven)
	s.table.find(of(beside)).idle = true
	advised.move = beside
	s.advise(s.table.find(b.Board().Key()))
	if q := s.table.find(of(beside)); q.idle || q.ProofNumbers != alphabeta.Open {
		t.Errorf("a move that was advised late: %+v", q)
	}
	plain := New(Options{})
	if _, err := plain.Solve(t.Context(), b, 200_000); err != nil {
		t.Fatal(err)
	}
	idle := 0
	for _, q := range plain.table.positions {
		if q.idle {
			idle++
		}
	}
	if idle == 0 || plain.table.find(of(corner)) != nil {
		t.Errorf("%d moves that threaten nothing were left, want some", idle)
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
