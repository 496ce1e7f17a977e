package games

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	onitamasearch "github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/mcts"
)

// TestSolversRefute has First threaten an open four: only moves that touch it
// are not refuted, and every refutation holds.
func TestSolversRefute(t *testing.T) {
	v := variant(t, VariantOptions{Rule: "freestyle", Size: 15})
	pos := parse(t, v, "h8a1i8a3j8")
	s := v.Solvers(SolverNodes{Replies: 500})
	moves := pos.Moves(nil)
	wins := make([]mcts.Solution, len(moves))
	s.Refute(t.Context(), v.Searchable(pos), moves, wins)
	saved := ""
	for i, m := range moves {
		if !wins[i].Found() {
			saved += v.Notation().FormatMove(m)
		}
	}
	if saved != "g8k8" {
		t.Errorf("not refuted: %s", saved)
	}
}

// countdown is a context that ends after a number of looks at it.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Err() error {
	if c.looks == 0 {
		return context.Canceled
	}
	c.looks--
	return nil
}

// The solvers look at their context every 1024 moves at least, however many
// positions they are asked about, and do nothing once it has ended.
func TestSolversEndWithTheirContext(t *testing.T) {
	v := variant(t, VariantOptions{Rule: "freestyle"})
	pos := parse(t, v, "h8h9i8i10j9j10g7k11f6l12e8d9c7m8")
	board := v.Searchable(pos)
	moves := board.Moves(nil)
	s := v.Solvers(SolverNodes{Leaf: 500, Root: 100_000, Replies: 5000})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	last := -1
	for looks := range 60 {
		before := s.RootNodes()
		ctx := &countdown{t.Context(), looks}
		s.Root(ctx, board)
		s.Refute(ctx, board, moves, make([]mcts.Solution, len(moves)))
		s.Audit(ctx, board, moves[0])
		played := s.RootNodes() - before
		if played > looks<<10 || played < last {
			t.Errorf("%d moves in %d looks at the context, %d in fewer", played, looks, last)
		}
		last = played
	}
	if s.Leaf(ended, board).Found() || last == 0 {
		t.Errorf("a proof after the end, or no work before it: %d moves", last)
	}
}

// A win has a certificate whoever is to move; a position that is not won has none, and no
// other side is certified in its place.
func TestWinCertificate(t *testing.T) {
	for _, tt := range []struct {
		name, rule, moves string
		winner            game.Side
		certified         bool
	}{
		{"a four to make", "freestyle", "h8a1i8a3j8a15", game.First, true},
		{"an open four of the opponent", "freestyle", "h8a1i8a3j8a15k8", game.First, true},
		{"caro", "caro", "h8a1i8a3j8a15", game.First, true},
		{"a three of the opponent", "caro", "h8a1i8a3j8", game.First, false},
		{"the side that loses", "freestyle", "h8a1i8a3j8a15", game.Second, false},
		{"a quiet win", "freestyle",
			"i6j4l2i4j5k4l4k5l6l5j3k7k6j6h4k8j9j10k9l9k10l11l10j8i8h7h8f8g5f6g9i9f10e11f5h5g11m9l8g10i3h3e9d8e8m1" +
				"0n11k12n9j13i14m11m8l7i13h12i12i11k11c9h14j12j14g14n12n13l14k14j2k1k2m13m12m2n5n6k3l3n10n8e13d6e7e6c" +
				"6d7i2h2m5i1d9e5h9", game.Second, true},
		{"a quiet position", "freestyle", "h8i9", game.First, false},
	} {
		v := variant(t, VariantOptions{Rule: tt.rule})
		pos := parse(t, v, tt.moves)
		before := pos.Hash()
		data, err := v.WinCertificate(t.Context(), pos, tt.winner, 1_000_000)
		if pos.Hash() != before {
			t.Errorf("%s: the position was changed", tt.name)
		}
		if !tt.certified {
			if !errors.Is(err, ErrUncertified) || data != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		c, err := CheckCertificate(t.Context(), data)
		if err != nil || c.Winner != tt.winner || c.Rule != tt.rule || c.ToMove != pos.ToMove() {
			t.Errorf("%s: %v, %v", tt.name, c, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := v.WinCertificate(ctx, pos, tt.winner, 1_000); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", tt.name, err)
		}
	}
	other := variant(t, VariantOptions{Game: Onitama})
	if _, err := other.WinCertificate(t.Context(), parse(t, other, ""), game.First, 1_000); !errors.Is(err,
		ErrUncertified) {
		t.Errorf("onitama: %v", err)
	}
}

// Positions of alphabeta/pn/testdata/quiet.txt that are proven within a million moves, the first
// of them by advice.
var quietWins = []struct{ rule, moves string }{
	{"caro", "g9h10h12e8i12i11g12f12g11g10f10i13e11h8d11f11e12f13"},
	{"freestyle", "j9l10m12m9k11l11l8k8j10l12l13j11h8i9h10i11g10f10g8i8i10k10h7h11g7g11"},
}

// Wins with quiet moves are proven on the classical search's advice, also in a table that is
// far too small, and their certificates hold.
func TestQuietWins(t *testing.T) {
	for i, tt := range quietWins {
		rules, err := gomoku.Lookup(tt.rule)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := gomoku.ParsePosition(rules, 15, tt.moves)
		if err != nil {
			t.Fatal(err)
		}
		v, err := VariantOf(tt.rule, 15)
		if err != nil {
			t.Fatal(err)
		}
		if r := vcf.New(vcf.Options{}).Solve(t.Context(), patterns(pos), vcf.VCT, 100_000); r.Outcome == vcf.Win {
			t.Errorf("%s is won by fours and threes", tt.moves)
		}
		prove := func(bytes int64) QuietResult {
			r, err := v.Lines().QuietProver(ProofOptions{TableBytes: bytes}).Solve(t.Context(), pos, 20_000_000)
			if err != nil || r.Outcome != vcf.Win {
				t.Fatalf("%s in %d bytes: %v, %v after %d moves", tt.moves, bytes, r.Outcome, err, r.Nodes)
			}
			if _, err := CheckCertificate(t.Context(), r.Certificate); err != nil {
				t.Error(err)
			}
			return r
		}
		if i == 0 {
			prove(1 << 20)
		}
		if r := prove(0); r.Nodes > 1_000_000 {
			t.Errorf("%s: %d moves, want a million at most", tt.moves, r.Nodes)
		}
	}
}

// Where a board says that the side to move has no four, the plain rules know no move
// that wins at once or threatens to, and the solver of fours finds nothing.
func TestFourless(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, rule := range gomoku.Names() {
		v := variant(t, VariantOptions{Rule: rule, Size: 9})
		solver := v.Solvers(SolverNodes{Leaf: LeafNodes}).(*solvers)
		said, denied := 0, 0
		for range 400 {
			start := parse(t, v, "")
			for range 4 + r.IntN(40) {
				if start.Outcome() == game.Undecided {
					moves := start.Moves(nil)
					start.Play(moves[r.IntN(len(moves))])
				}
			}
			if start.Outcome() != game.Undecided || len(start.Wins(nil)) > 0 {
				continue
			}
			b := v.Searchable(start).(*pattern.Board)
			if !fourless(b) {
				denied++
				continue
			}
			said++
			if m, plies, ok := solver.leaf.Prove(b); ok {
				t.Fatalf("%s: %v has no four and wins in %d by %d", rule, b.Board(), plies, m)
			}
			for _, m := range start.Moves(nil) {
				if makesFour(start, m) {
					t.Fatalf("%s: %v: %d makes a four", rule, b.Board(), m)
				}
			}
		}
		if captures := rule == "school42"; denied == 0 || captures != (said == 0) {
			t.Errorf("%s: %d positions without a four, %d with one", rule, said, denied)
		}
	}
}

// What the solver of threes adds at leaves holds by the plain rules, and is not counted as
// work at the root.
func TestThreesAtLeaves(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, rule := range []string{"freestyle", "caro", "renju"} {
		v := variant(t, VariantOptions{Rule: rule, Size: 9})
		fours := v.Solvers(SolverNodes{Leaf: LeafNodes, Fours: true})
		threes := v.Solvers(v.Settled(SolverNodes{Leaf: ByNetwork, Threes: ByNetwork, Fours: true}, false))
		more := 0
		for range 150 {
			pos := parse(t, v, "")
			for range 8 + r.IntN(12) {
				if moves := pos.Moves(nil); pos.Outcome() == game.Undecided {
					pos.Play(moves[r.IntN(len(moves))])
				}
			}
			if pos.Outcome() != game.Undecided || len(pos.Wins(nil)) > 0 {
				continue
			}
			b := v.Searchable(pos)
			without, with := fours.Leaf(t.Context(), b), threes.Leaf(t.Context(), b)
			if without.Found() || !with.Found() {
				if with != without {
					t.Fatalf("%s: %+v, by fours %+v of\n%v", rule, with, without, pos)
				}
				continue
			}
			more++
			if _, err := v.WinCertificate(t.Context(), pos, pos.ToMove(), 100_000); err != nil {
				t.Fatalf("%s: %+v: %v\n%v", rule, with, err, pos)
			}
		}
		if more == 0 || threes.RootNodes() > 0 {
			t.Errorf("%s: %d wins by threes, %d moves at the root", rule, more, threes.RootNodes())
		}
	}
}

// The audit proves moves of games that strong has lost to lose where the budget of the root does
// not suffice, and every proof has a certificate. Without it the answer is the root's.
func TestDeepAudit(t *testing.T) {
	v := variant(t, VariantOptions{Rule: "freestyle"})
	n := v.Settled(DefaultSolvers(), false)
	line, device := v.Settled(DefaultSolvers(), true), v.Settled(DefaultSolvers().WithoutThrees(), false)
	if n.Audit != AuditThrees || line.Audit != 0 || device.Audit != 0 {
		t.Errorf("beside a residual network %+v, a line network %+v, on a device %+v", n, line, device)
	}
	deep := v.Solvers(n)
	n.Audit = 0
	shallow := v.Solvers(n)
	for _, tt := range []struct{ moves, played string }{
		{"h7g8j5f7h9g6e8f6h6h8g7f8f9f5f4e6g9d5c4i9d6e5g5e3e4d4j8i7d7g10b5c6i4h3i5", "j4"},
		{"i9h7h5j7h8g7i7i8g6j6k6j5j8", "k7"},
		{"h8i9i8", "g8"},
	} {
		pos := parse(t, v, tt.moves)
		_, moves, err := v.ParseGame(tt.moves + tt.played)
		if err != nil {
			t.Fatal(err)
		}
		m, b := moves[len(moves)-1], v.Searchable(pos)
		without, with := shallow.Audit(t.Context(), b, m), deep.Audit(t.Context(), b, m)
		if want := len(tt.moves) > 6; without.Found() || with.Found() != want {
			t.Errorf("%s: %+v, without the audit %+v", tt.played, with, without)
		}
		if with.Found() {
			pos.Play(m)
			if _, err := v.WinCertificate(t.Context(), pos, pos.ToMove(), 1_000_000); err != nil {
				t.Errorf("%s: %+v: %v", tt.played, with, err)
			}
		}
	}
}

// makesFour reports by the plain rules whether a move leaves a win for the next one,
// whatever the opponent does but block it.
func makesFour(pos game.Position, m game.Move) bool {
	pos.Play(m)
	defer pos.Undo()
	if pos.Outcome() != game.Undecided {
		return true
	}
	replies := pos.Moves(nil)
	for _, reply := range replies[:min(4, len(replies))] {
		pos.Play(reply)
		wins := pos.Outcome() == game.Undecided && len(pos.Wins(nil)) > 0
		pos.Undo()
		if wins {
			return true
		}
	}
	return false
}

// Each method finds what the prover finds within its own budget, and leaves the position
// and the end of games alone.
func TestSolversOfOnitama(t *testing.T) {
	v := variant(t, VariantOptions{Game: Onitama})
	budget := SolverNodes{Leaf: 60, Root: 900, Replies: 300}
	s := v.Solvers(budget)
	var p onitamasearch.Prover
	played, found := 0, 0
	want := func(b *onitama.Board, nodes int) (w mcts.Solution) {
		m := p.Prove(t.Context(), b, nodes)
		if nodes != budget.Leaf {
			played += m.Nodes
		}
		if m.Plies > 0 {
			found++
			w = mcts.Solution{Proof: game.Won, Move: m.Move, Plies: m.Plies}
		}
		return w
	}
	rng := rand.New(rand.NewPCG(6, 6))
	for range 40 {
		b, err := onitama.New(onitama.BaseDeck.Random(rng))
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			before := b.Hash()
			if got, want := s.Leaf(t.Context(), b), want(b, budget.Leaf); got != want {
				t.Fatalf("leaf %+v, want %+v of\n%v", got, want, b)
			}
			if got, want := s.Root(t.Context(), b), want(b, budget.Root); got != want {
				t.Fatalf("root %+v, want %+v of\n%v", got, want, b)
			}
			moves := b.Moves(nil)
			after := make([]mcts.Solution, len(moves))
			s.Refute(t.Context(), b, moves, after)
			for i, m := range moves {
				b.Play(m)
				var refuted, audited mcts.Solution
				over := b.Outcome() != game.Undecided
				if !over {
					refuted, audited = want(b, budget.Replies), want(b, budget.Root)
				}
				b.Undo()
				if after[i] != refuted {
					t.Fatalf("after %d %+v, want %+v of\n%v", m, after[i], refuted, b)
				}
				if !over {
					if got := s.Audit(t.Context(), b, m); got != audited {
						t.Fatalf("audit of %d %+v, want %+v of\n%v", m, got, audited, b)
					}
				}
			}
			if b.Hash() != before {
				t.Fatal("the position is another one")
			}
			b.Play(moves[rng.IntN(len(moves))])
			if b.Outcome() != game.Undecided {
				break
			}
		}
	}
	if s.RootNodes() != played || found == 0 {
		t.Errorf("%d moves were played, want %d; %d wins", s.RootNodes(), played, found)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	start := parse(t, v, "")
	if w := s.Root(ctx, start); w.Found() {
		t.Errorf("%+v", w)
	}
	if n := v.Solvers(SolverNodes{}); n != nil {
		t.Errorf("solvers without nodes: %v", n)
	}
}

func TestRandomOpeningsStayNearStones(t *testing.T) {
	v := variant(t, VariantOptions{Size: 15})
	pos := parse(t, v, "")
	near := v.Candidates()
	if got := len(near(pos, nil)); got != 25 {
		t.Errorf("%d first moves, want the 25 around the centre", got)
	}
	pos.Play(0)
	if got := near(pos, nil); len(got) != 8 {
		t.Errorf("%d moves near a stone in the corner, want 8", len(got))
	}
}

func variant(t *testing.T, o VariantOptions) Variant {
	t.Helper()
	v, err := NewVariant(o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func parse(t *testing.T, v Variant, text string) game.Position {
	t.Helper()
	pos, err := v.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return pos
}
