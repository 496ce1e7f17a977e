package gomoku_test

import (
	"github.com/carozero/carozero/game/gomoku"
)

// failer is what the helpers need of testing.TB and rapid.T alike.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func mustRules(tb failer, name string) gomoku.Rules {
	tb.Helper()
	r, err := gomoku.Lookup(name)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func mustNew(tb failer, rule string, size int) *gomoku.Board {
	tb.Helper()
	b, err := gomoku.New(mustRules(tb, rule), size)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func mustParse(tb failer, rule string, size int, text string) *gomoku.Board {
	tb.Helper()
	b, err := gomoku.ParsePosition(mustRules(tb, rule), size, text)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
