// Package enginetest holds what tests of several packages need of games and engines.
package enginetest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama/bitbase"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
)

// LineNetwork is a shipped network that judges for the classical search too.
const LineNetwork = "taught7-line16"

// Variant returns a variant.
func Variant(t testing.TB, o games.VariantOptions) games.Variant {
	t.Helper()
	v, err := games.NewVariant(o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Parse reads a position of a variant.
func Parse(t testing.TB, v games.Variant, text string) game.Position {
	t.Helper()
	pos, err := v.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return pos
}

// AllRules returns every rule set of gomoku on a small board.
func AllRules() []games.VariantOptions {
	var list []games.VariantOptions
	for _, name := range games.RuleNames() {
		list = append(list, games.VariantOptions{Rule: name, Size: 9})
	}
	return list
}

// Uniform returns the net without knowledge.
func Uniform(t testing.TB, v games.Variant) *networks.Net {
	t.Helper()
	n, err := networks.NewLoader(networks.LoaderOptions{Threads: 1}).Open(v, networks.Uniform)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Answer has an engine think, and checks what holds of every answer.
func Answer(t testing.TB, e engine.Engine, ctx context.Context, pos game.Position, l engine.Limits) *engine.Answer {
	t.Helper()
	before := pos.Hash()
	a, err := e.Think(ctx, pos, l)
	if err != nil {
		t.Fatal(err)
	}
	if pos.Hash() != before {
		t.Fatal("the position was changed")
	}
	Check(t, a, pos)
	if l.Nodes > 0 && a.Stats.Nodes > l.Nodes {
		t.Fatalf("%d nodes of %d", a.Stats.Nodes, l.Nodes)
	}
	return a
}

// Check checks what holds of every answer.
func Check(t testing.TB, a *engine.Answer, pos game.Position) {
	t.Helper()
	if !pos.Legal(a.Move) || len(a.Line) == 0 || a.Line[0] != a.Move || len(a.Moves) == 0 {
		t.Fatalf("%+v", a)
	}
	if worth := map[game.Result]float32{game.Won: 1, game.Lost: -1}[a.Proof.Result]; worth != 0 && a.Value != worth {
		t.Errorf("%v, claimed %t, is worth %v, want %v", a.Proof, a.Proof.Claimed, a.Value, worth)
	}
	played := 0
	for _, m := range a.Line {
		if !pos.Legal(m) {
			t.Fatalf("line %v goes on after the end", a.Line)
		}
		pos.Play(m)
		played++
	}
	for range played {
		pos.Undo()
	}
}

// Played returns the position after the moves of a game.
func Played(t testing.TB, v games.Variant, text string) game.Position {
	t.Helper()
	pos, moves, err := v.ParseGame(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moves {
		pos.Play(m)
	}
	return pos
}

// Endgames returns the endgames of Onitama of so many men with the usual cards, which are
// closed with the test.
func Endgames(t testing.TB, men int) games.Endgames {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.bitbase")
	five, err := bitbase.ParseCards("Crab,Crane,Dragon,Monkey,Tiger")
	if err != nil {
		t.Fatal(err)
	}
	if err := bitbase.Build(t.Context(), path, five, men, bitbase.Options{}); err != nil {
		t.Fatal(err)
	}
	e, err := games.Variant{}.OpenEndgames(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
