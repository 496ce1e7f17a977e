package engine_test

import (
	"context"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
)

// asked is an engine that takes note of the limits that it gets.
type asked struct {
	engine.Engine
	limits engine.Limits
}

func (a *asked) Think(_ context.Context, _ game.Position, l engine.Limits) (*engine.Answer, error) {
	a.limits = l
	return &engine.Answer{}, nil
}

// On an empty board, of any size and under the opening rule too, only the centre is searched,
// and shortly; everywhere else the limits stay what they are.
func TestCentre(t *testing.T) {
	for _, c := range []struct {
		o      games.VariantOptions
		moves  string
		limits engine.Limits
		want   string // the only move that is not barred; "": none is barred
	}{
		{games.VariantOptions{Rule: "caro", Size: 15}, "", engine.Limits{Nodes: 800}, "h8"},
		{games.VariantOptions{Rule: "caro", Size: 15, OpenRule: true}, "", engine.Limits{}, "h8"},
		{games.VariantOptions{Rule: "caro", Size: 20}, "", engine.Limits{}, "k11"},
		{games.VariantOptions{Rule: "caro", Size: 15}, "h8", engine.Limits{Nodes: 800}, ""},
		{games.VariantOptions{Rule: "caro", Size: 15}, "", engine.Limits{Nodes: 800, Lines: 3}, ""},
		{games.VariantOptions{Game: "onitama"}, "", engine.Limits{Nodes: 800}, ""},
	} {
		v := enginetest.Variant(t, c.o)
		pos := enginetest.Parse(t, v, c.moves)
		inner := &asked{}
		if _, err := engine.NewCentre(inner, v).Think(t.Context(), pos, c.limits); err != nil {
			t.Fatal(err)
		}
		l := inner.limits
		if c.want == "" {
			if l.Restrict != nil || l.Nodes != c.limits.Nodes {
				t.Errorf("%v after %q: limits %+v", v, c.moves, l)
			}
			continue
		}
		var free []string
		for _, m := range pos.Moves(nil) {
			if !l.Restrict.Barred(0, game.First, m) {
				free = append(free, v.Notation().FormatMove(m))
			}
		}
		if len(free) != 1 || free[0] != c.want || l.Restrict.Plies != 1 || l.Nodes <= 0 || l.Nodes > engine.CentreNodes ||
			c.limits.Nodes > 0 && l.Nodes > c.limits.Nodes {
			t.Errorf("%v: %v are searched with %d nodes, want %s", v, free, l.Nodes, c.want)
		}
	}
}
