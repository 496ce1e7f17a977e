package pn

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// The empty board of 5x5 is a draw under all rules without captures and
// forbidden moves, and both sides' certificates hold.
func TestDecideSmallBoards(t *testing.T) {
	for _, rule := range gomoku.Names() {
		if rule == "school42" || rule == "renju" {
			continue
		}
		b := board(t, rule, 5, "")
		before := b.Board().Key()
		d, err := Decide(t.Context(), b, Options{}, 20_000_000)
		if err != nil || d.Outcome != game.Draw || b.Board().Key() != before {
			t.Errorf("%s: %v after %d moves: %v", rule, d.Outcome, d.Nodes, err)
			continue
		}
		if err := d.Certificate.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
		t.Logf("%s: %d moves, %d words", rule, d.Nodes, len(d.Certificate.Moves))
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
		d, err := Decide(t.Context(), b, Options{}, 400_000)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d.Outcome != want || d.Certificate == nil {
			return false
		}
		path, data := filepath.Join("../../game/gomoku/certificate/testdata", name), d.Certificate.Encode()
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
		case "school42":
		case "renju":
			for seed := uint64(0); !write(name, game.Draw, full(t, rule, 6, 9, seed)); seed++ {
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
		for seed := range uint64(25) {
			if rule == "school42" {
				break
			}
			b := full(t, rule, 5+int(seed%3), 7, seed)
			if b == nil {
				continue
			}
			d, err := Decide(t.Context(), b, Options{}, 10_000_000)
			if want := minimax(b.Board()); err != nil || d.Outcome != want {
				t.Errorf("%s: %v, %v, want %v\n%v", rule, d.Outcome, err, want, b.Board())
			}
			outcomes[d.Outcome]++
		}
	}
	if len(outcomes) != 3 {
		t.Errorf("only %v", outcomes)
	}
}

// minimax returns the result of best play, found by trying all moves.
func minimax(b *gomoku.Board) game.Outcome {
	if b.Outcome() != game.Undecided {
		return b.Outcome()
	}
	side := b.ToMove()
	best := game.WinFor(side.Other())
	for _, m := range b.Moves(nil) {
		b.Play(m)
		o := minimax(b)
		b.Undo()
		if o == game.WinFor(side) {
			return o
		}
		if o == game.Draw {
			best = o
		}
	}
	return best
}
