package fit

import (
	"context"
	"testing"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

func position(tb testing.TB, rule string, size int, moves string) *pattern.Board {
	tb.Helper()
	list, err := gomoku.Notation{Size: size}.ParseMoves(moves)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := pattern.New(lookup(tb, rule), size)
	if err != nil {
		tb.Fatal(err)
	}
	for _, m := range list {
		if !b.Legal(m) {
			tb.Fatalf("%s: %d is illegal", moves, m)
		}
		b.Play(m)
	}
	return b
}

func TestQuiet(t *testing.T) {
	for _, c := range []struct {
		name, rule, moves string
		want              bool
	}{
		{"the empty board", "caro", "", true},
		{"an opening", "freestyle", "h8i9j7", true},
		{"the opponent has an open three", "freestyle", "h8a1i8a3j8", true},
		{"five in one", "freestyle", "h8h9i8i9j8j9k8k9", false},
		{"a four to defend against", "freestyle", "h8h9i8i9j8j9k8", false},
		{"an open three of its own", "freestyle", "h8a1i8a3j8c1", false},
		{"the game is over", "freestyle", "h8h9i8i9j8j9k8k9l8", false},
	} {
		b := position(t, c.rule, 15, c.moves)
		if got := newQuiet().is(context.Background(), b); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
