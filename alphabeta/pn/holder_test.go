package pn

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// decide decides a position, and writes the certificate of what was found.
func decide(t *testing.T, b *pattern.Board, o Options, nodes int64) (Decision, *certificate.Certificate, error) {
	t.Helper()
	d := NewDecider(o)
	r, err := d.Solve(t.Context(), b, nodes)
	if err != nil || !r.Found() || b.Outcome() != game.Undecided {
		return r, nil, err
	}
	c, err := d.Certify(t.Context(), b, r)
	return r, c, err
}

// A search in parts, with tables that are too small, finds the same, and what it finds is certified
// although much of it was dropped.
func TestDecideGoesOn(t *testing.T) {
	o := Options{TableBytes: 64 << 10}
	b := full(t, "renju", 6, 13, 1)
	whole := NewDecider(o)
	want, err := whole.Solve(t.Context(), b, 2_000_000)
	if err != nil || !want.Found() {
		t.Fatalf("%+v, %v", want, err)
	}
	d := NewDecider(o)
	var got Decision
	for nodes, calls := int64(0), 0; !got.Found() || got.Outcome == game.Undecided; calls++ {
		if calls == 200 {
			t.Fatalf("%+v after %d calls", got, calls)
		}
		nodes += want.Nodes / 4
		if got, err = d.Solve(t.Context(), b, nodes); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := d.Solve(t.Context(), b, 2_000_000); err != nil || again != got {
		t.Errorf("%+v, %v, want %+v", again, err, got)
	}
	c, err := d.Certify(t.Context(), b, got)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for _, h := range d.holders {
		if most := o.TableBytes/2 + 32<<10; h.solver.table.bytes > most {
			t.Errorf("a table of %d bytes, want at most %d", h.solver.table.bytes, most)
		}
	}
}

// The empty board of 5x5 is a draw under all rules without captures and
// forbidden moves, and both sides' certificates hold.
func TestDecideSmallBoards(t *testing.T) {
	for _, rule := range gomoku.Names() {
		if rule == "school42" || rule == "renju" {
			continue
		}
		b := board(t, rule, 5, "")
		before := b.Board().Key()
		d, c, err := decide(t, b, Options{}, 20_000_000)
		if err != nil || d.Outcome != game.Draw || b.Board().Key() != before {
			t.Errorf("%s: %v after %d moves: %v", rule, d.Outcome, d.Nodes, err)
			continue
		}
		if err := c.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
		t.Logf("%s: %d moves, %d words", rule, d.Nodes, len(c.Moves))
	}
}

var update = flag.Bool("update", false, "write the golden certificates of draws")

// full returns a board that is full but for some cells drawn by a seed, in a pattern in
// which nobody has five in a row.
func full(t *testing.T, rule string, size, empty int, seed uint64) *pattern.Board {
	t.Helper()
	r, err := gomoku.Lookup(rule)
	if err != nil {
		t.Fatal(err)
	}
	s := gomoku.Setup{Stones: make([]gomoku.Stone, size*size), ToMove: game.Side(seed % 2)}
	for c := range s.Stones {
		s.Stones[c] = gomoku.StoneOf(game.Side((c%size + c/size*2) / 2 % 2))
	}
	rng := rand.New(rand.NewPCG(5, seed))
	for _, c := range rng.Perm(size * size)[:empty] {
		s.Stones[c] = gomoku.Empty
	}
	b, err := gomoku.NewSetup(r, size, s)
	if err != nil || b.Outcome() != game.Undecided {
		return nil
	}
	return pattern.FromBoard(b)
}

// The golden certificates of draws, which the checkers are tested with, are those that
// Decide writes.
func TestGoldenDraws(t *testing.T) {
	write := func(name string, want game.Outcome, b *pattern.Board) bool {
		if b == nil {
			return false
		}
		d, c, err := decide(t, b, Options{}, 400_000)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d.Outcome != want || c == nil {
			return false
		}
		path, data := filepath.Join("../../game/gomoku/certificate/testdata", name), c.Encode()
		if *update {
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, data) {
			t.Errorf("%s is not what Decide finds: renew it with -update (%v)", path, err)
		}
		return true
	}
	for _, rule := range gomoku.Names() {
		name := "draw-" + rule + ".cert"
		switch rule {
		case "renju", "school42":
			empty := 9
			if rule == "school42" {
				empty = 5
			}
			for seed := uint64(0); !write(name, game.Draw, full(t, rule, 6, empty, seed)); seed++ {
				if seed == 200 {
					t.Fatalf("%s: no draw", rule)
				}
			}
		default:
			if !write(name, game.Draw, board(t, rule, 5, "")) {
				t.Errorf("%s: no draw", rule)
			}
		}
	}
	if !write("second-holds-renju.cert", game.Undecided, board(t, "renju", 5, "")) {
		t.Error("renju: nothing is known of 5x5")
	}
	for seed := uint64(0); !write("draw-caro-17.cert", game.Draw, full(t, "caro", 17, 9, seed)); seed++ {
		if seed == 200 {
			t.Fatal("no draw on 17x17")
		}
	}
}

// What Decide says of nearly full boards is what trying all moves says.
func TestDecideAgreesWithMinimax(t *testing.T) {
	outcomes := map[game.Outcome]int{}
	for _, rule := range gomoku.Names() {
		rules, err := gomoku.Lookup(rule)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(25) {
			b := full(t, rule, 5+int(seed%3), 7, seed)
			if rule == "school42" {
				b = played(rules, 5, 4+int(seed%4), seed)
			}
			if b == nil {
				continue
			}
			d, _, err := decide(t, b, Options{}, 10_000_000)
			if want, ok := minimax(b.Board()); !ok {
				continue
			} else if err != nil || d.Outcome != want {
				t.Errorf("%s: %v, %v, want %v\n%v", rule, d.Outcome, err, want, b.Board())
			}
			outcomes[d.Outcome]++
		}
	}
	if len(outcomes) != 3 {
		t.Errorf("only %v", outcomes)
	}
}

// No win is claimed of a nearly full board that trying all moves does not find, however the
// attacker is advised: a move that fills the board ends in a draw.
func TestNearlyFull(t *testing.T) {
	wins, none := 0, 0
	for _, rule := range gomoku.Names() {
		rules, err := gomoku.Lookup(rule)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(80) {
			b := played(rules, 5+int(seed%2), 1+int(seed/2%6), seed)
			if b == nil {
				continue
			}
			want, ok := minimax(b.Board())
			if !ok {
				continue
			}
			for _, a := range []vcf.Adviser{nil, newGuesser(seed)} {
				r, err := New(Options{Adviser: a}).Solve(t.Context(), b, 20_000)
				won := want == game.WinFor(b.ToMove())
				switch {
				case err != nil, r.Outcome == vcf.Win && !won:
					t.Fatalf("%s: %v, %v, want %v in\n%v", rule, r.Outcome, err, want, b.Board())
				case r.Outcome == vcf.Win:
					wins++
				case r.Outcome == vcf.None:
					none++
				}
			}
		}
	}
	t.Logf("%d wins, %d without", wins, none)
	if wins < 20 || none < 300 {
		t.Errorf("%d wins and %d positions without one, want more", wins, none)
	}
	b := board(t, "freestyle", 5, "a4d4b1c3c5a1b5d5b4a5e2e1e3d2b2c1d1c4d3b3")
	if r, err := New(Options{}).Solve(t.Context(), b, 100_000); err != nil || r.Outcome != vcf.None {
		t.Errorf("%v, %v, want none", r.Outcome, err)
	}
}

// played plays random moves until so many cells are empty; nil if the game ends before.
func played(r gomoku.Rules, size, empty int, seed uint64) *pattern.Board {
	rng := rand.New(rand.NewPCG(6, seed))
	b, err := gomoku.New(r, size)
	if err != nil {
		panic(err)
	}
	for ; b.Outcome() == game.Undecided; b.Play(b.Moves(nil)[rng.IntN(len(b.Moves(nil)))]) {
		free := 0
		for c := range size * size {
			if b.At(c) == gomoku.Empty {
				free++
			}
		}
		if free <= empty {
			return pattern.FromBoard(b)
		}
	}
	return nil
}

// minimax returns the result of best play, found by trying all moves. ok is false where
// that takes too many positions, since captures make room.
func minimax(b *gomoku.Board) (o game.Outcome, ok bool) {
	m := minimaxer{}
	o = m.of(b)
	return o, len(m) < minimaxPositions
}

const minimaxPositions = 20_000

// minimaxer holds the results of positions.
type minimaxer map[[2]uint64]game.Outcome

func (m minimaxer) of(b *gomoku.Board) game.Outcome {
	if b.Outcome() != game.Undecided {
		return b.Outcome()
	}
	if o, ok := m[b.Key()]; ok || len(m) >= minimaxPositions {
		return o
	}
	side := b.ToMove()
	best := game.WinFor(side.Other())
	for _, move := range b.Moves(nil) {
		b.Play(move)
		o := m.of(b)
		b.Undo()
		if o == game.WinFor(side) {
			best = o
			break
		}
		if o == game.Draw {
			best = o
		}
	}
	m[b.Key()] = best
	return best
}
