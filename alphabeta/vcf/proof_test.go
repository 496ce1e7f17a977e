package vcf_test

import (
	"context"
	"errors"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
)

// openThree is a position in which First wins in three plies by b5 or by f5;
// a5 or g5 leaves a four that can be stopped.
const openThree = `
. . . . . . .
. O . . . O .
. . X X X . .
. . . . . . .
. . . . . . .
. . O . . . .
. . . . . . .`

func board(t *testing.T) *gomoku.Board {
	t.Helper()
	r, err := gomoku.Lookup("freestyle")
	if err != nil {
		t.Fatal(err)
	}
	side := game.First
	b, err := gomoku.ParseDiagram(r, 0, openThree, gomoku.DiagramOptions{ToMove: &side})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// always returns a strategy that plays one move.
func always(t *testing.T, move string, plies int) vcf.Strategy {
	t.Helper()
	moves, err := gomoku.Notation{Size: 7}.ParseMoves(move)
	if err != nil {
		t.Fatal(err)
	}
	return func(*gomoku.Board) (game.Move, int, bool) { return moves[0], plies, true }
}

func TestReplay(t *testing.T) {
	none := func(*gomoku.Board) (game.Move, int, bool) { return game.NoMove, 0, false }
	tests := []struct {
		name     string
		plies    int
		strategy vcf.Strategy
		holds    bool
	}{
		{"an open four", 3, always(t, "b5", 3), true},
		{"the other one", 3, always(t, "f5", 3), true},
		{"more plies than needed", 9, always(t, "f5", 3), true},
		{"fewer plies than needed", 1, always(t, "f5", 1), false},
		{"a claim beyond the plies left", 3, always(t, "f5", 5), false},
		{"a four that is stopped", 9, always(t, "a5", 3), false},
		{"a quiet move", 9, always(t, "a1", 3), false},
		{"an occupied cell", 3, always(t, "c5", 3), false},
		{"no move", 3, none, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := board(t)
			before := b.Key()
			_, err := vcf.Replay(b, tt.plies, tt.strategy)
			if tt.holds != (err == nil) || err != nil && !errors.Is(err, certificate.ErrRefuted) {
				t.Errorf("the replay says %v", err)
			}
			if b.Key() != before {
				t.Error("the position has changed")
			}
		})
	}
}

// longWin is a position with a win by threes in seven plies and none by fours.
func longWin(t *testing.T) *gomoku.Board {
	t.Helper()
	r, err := gomoku.Lookup("freestyle")
	if err != nil {
		t.Fatal(err)
	}
	b, err := gomoku.ParsePosition(r, 11, "h7g7f7g5g6d8f6f8")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Find sees the win in three plies by both kinds, and Confirm refuses it in fewer
// plies, in fewer questions than it takes, and once its context has ended.
func TestFindAndConfirm(t *testing.T) {
	b := board(t)
	before := b.Key()
	s := vcf.New(vcf.Options{})
	for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		w, ok := vcf.FindProof(t.Context(), s, b, vcf.ProofLimits{Nodes: 1000}, kind)
		if !ok || w.Kind != kind || w.Plies != 3 || w.Asked != 1 || len(w.Line) != 3 {
			t.Errorf("%v: %+v, %t; want a win in 3 plies, asked for once", kind, w, ok)
		}
		_, err := vcf.Confirm(t.Context(), s, b, kind, 1, vcf.ProofLimits{Nodes: 1000})
		if !errors.Is(err, certificate.ErrRefuted) {
			t.Errorf("%v in one ply: %v", kind, err)
		}
	}
	if w, ok := vcf.FindProof(t.Context(), s, b, vcf.ProofLimits{Nodes: 0}, vcf.VCF, vcf.VCT); ok {
		t.Errorf("%+v without a move played", w)
	}
	long := longWin(t)
	w, ok := vcf.FindProof(t.Context(), s, long, vcf.ProofLimits{Nodes: 100_000}, vcf.VCF, vcf.VCT)
	if !ok || w.Kind != vcf.VCT || w.Asked < 2 {
		t.Fatalf("%+v, %t; want a win by threes that takes questions", w, ok)
	}
	if _, ok := vcf.FindProof(t.Context(), s, long, vcf.ProofLimits{Nodes: 100_000, Asked: w.Asked}, vcf.VCT); !ok {
		t.Error("refused with as many questions as it takes")
	}
	if _, ok := vcf.FindProof(t.Context(), s, long, vcf.ProofLimits{Nodes: 100_000, Asked: w.Asked - 1}, vcf.VCT); ok {
		t.Error("accepted with fewer questions than it takes")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := vcf.Confirm(ended, s, long, vcf.VCT, w.Plies, vcf.ProofLimits{Nodes: 100_000}); !errors.Is(err,
		certificate.ErrRefuted) {
		t.Errorf("after the end: %v", err)
	}
	if b.Key() != before {
		t.Error("the position has changed")
	}
}
