package players

import (
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/enginetest"
	"github.com/carozero/carozero/internal/engine/games"
)

func describedPlayer(t *testing.T, text string) PlayerSpec {
	t.Helper()
	p, err := parsePlayer(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A number's value is what the description says under any of its names, or the
// default of the search, also where that is called "on".
func TestNumbersOfPlayers(t *testing.T) {
	gomoku := enginetest.Variant(t, games.VariantOptions{})
	for _, c := range []struct {
		player, key string
		want        Number
	}{
		{"mcts:playouts=9", "cpuct", Number{Key: "cpuct", Value: 1.25}},
		{"mcts:cpuct=3", "cpuct", Number{Key: "cpuct", Value: 3}},
		{"mcts:ptemp=1.5", "policy-temperature", Number{Key: "policy-temperature", Value: 1.5}},
		{"mcts:solver=70", "solver", Number{Key: "solver-leaf", Value: 70}},
		{"alphabeta:nodes=9", "lmr", Number{Key: "lmr", Value: 100}},
		{"alphabeta:nodes=9,rfp=3", "rfp", Number{Key: "rfp", Value: 3}},
	} {
		n, err := describedPlayer(t, c.player).Number(c.key, gomoku)
		if err != nil || n.Key != c.want.Key || n.Value != c.want.Value || n.Step <= 0 || n.Whole && n.Step < 1 || !(n.Min < n.Max) {
			t.Errorf("%s, %s: %+v, %v; want %+v", c.player, c.key, n, err, c.want)
		}
	}
}

// Every number that is offered can be tuned, from its default or from a value that
// stands in place of a special one, and a player with the value is one.
func TestEveryOfferedNumberCanBeSet(t *testing.T) {
	gomoku := enginetest.Variant(t, games.VariantOptions{})
	for _, text := range []string{"mcts:playouts=9", "alphabeta:nodes=9"} {
		p := describedPlayer(t, text)
		if len(p.Numbers()) < 8 {
			t.Errorf("%s: only %v", text, p.Numbers())
		}
		for _, key := range p.Numbers() {
			q, err := p.With(key, "1")
			if err != nil {
				t.Errorf("%s: %v", key, err)
				continue
			}
			if n, err := q.Number(key, gomoku); err != nil || n.Value != 1 {
				t.Errorf("%s=1: %+v, %v", key, n, err)
			}
		}
	}
}

func TestAnotherValueReplacesAllNames(t *testing.T) {
	p, err := describedPlayer(t, "mcts:solver=70,playouts=9").With("solver-leaf", "80")
	if err != nil || p.String() != "mcts:playouts=9,solver-leaf=80" {
		t.Errorf("%s, %v", p, err)
	}
}

// What is no number, or cannot be compared or repeated, is refused in one line that
// names it.
func TestRefusedNumbers(t *testing.T) {
	gomoku := enginetest.Variant(t, games.VariantOptions{})
	for _, c := range []struct{ player, key, want string }{
		{"mcts:playouts=9", "cput", "cpuct"},
		{"mcts:playouts=9", "reuse", "true|false"},
		{"mcts:playouts=9", "model", "no number"},
		{"mcts:playouts=9", "playouts", "equal budgets"},
		{"alphabeta:nodes=9", "scout", "on|off"},
		{"alphabeta:nodes=9,lmr=off", "lmr", "number to start from"},
		{"mcts:solver-replies=0", "solver-replies", "number to start from"},
	} {
		_, err := describedPlayer(t, c.player).Number(c.key, gomoku)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s, %s: %v, want %q", c.player, c.key, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"mcts:time=1s": "clock", "alphabeta:nodes=9,threads=2": "threads=2", "alphabeta:nodes=9,ponder=true": "ponder-nodes", "exec:true": "mcts or alphabeta",
		"mcts:playouts=9": "", "alphabeta:nodes=9,ponder=true,ponder-nodes=3": "",
	} {
		err := describedPlayer(t, text).Repeatable()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if keys := describedPlayer(t, "mcts:playouts=9").Numbers(); slices.Contains(keys, "memory") {
		t.Errorf("%v", keys)
	}
}

// A technique that is not set starts as the game has it, and cannot start where the game
// leaves it out.
func TestNumbersOfTechniquesByGame(t *testing.T) {
	onitama := enginetest.Variant(t, games.VariantOptions{Game: games.Onitama})
	for _, text := range []string{"alphabeta:nodes=9"} {
		p := describedPlayer(t, text)
		if n, err := p.Number("lmr", onitama); err != nil || n.Value != 170 {
			t.Errorf("%s: lmr %+v, %v", text, n, err)
		}
		if n, err := p.Number("rfp", onitama); err == nil || !strings.Contains(err.Error(), "number to start from") {
			t.Errorf("%s: rfp %+v, %v", text, n, err)
		}
		set, err := p.With("rfp", "on")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := set.Number("rfp", onitama); err != nil || n.Value != 6 {
			t.Errorf("%s: rfp %+v, %v", set, n, err)
		}
	}
}
