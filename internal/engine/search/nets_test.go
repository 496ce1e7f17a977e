package search

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"

	"github.com/carozero/carozero/internal/engine/networks"
)

// One model is loaded once, whatever it plays, and thinks as if it were loaded for
// the variant alone.
func TestNetsLoadAModelOnce(t *testing.T) {
	model := filepath.FromSlash("../../../nn/onnx/testdata/good.onnx")
	loader := networks.NewLoader(networks.LoaderOptions{Threads: 1})
	nets := networks.NewNets(loader, model)
	for _, o := range []games.VariantOptions{{Size: 9}, {Rule: "renju", Size: 7}, {Size: 9}} {
		v, err := games.NewVariant(o)
		if err != nil {
			t.Fatal(err)
		}
		shared, err := nets.Net(v)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := loader.Open(v, model)
		if err != nil {
			t.Fatal(err)
		}
		pos, _ := v.Start()
		var moves [2]game.Move
		for i, n := range []*networks.Net{shared, alone} {
			tree, err := NewTree(n, TreeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			a, err := tree.Think(t.Context(), pos, engine.Limits{Nodes: 30})
			if err != nil {
				t.Fatal(err)
			}
			moves[i] = a.Move
		}
		if moves[0] != moves[1] || shared.Variant() != v {
			t.Errorf("%v: %v", v, moves)
		}
		if err := alone.Close(); err != nil {
			t.Error(err)
		}
	}
	if opened := nets.Opened(); len(opened) != 1 {
		t.Errorf("%d networks were opened, want 1", len(opened))
	}
	if err := nets.Close(); err != nil {
		t.Error(err)
	}
	if _, err := networks.NewNets(loader, "no-such-net").Net(onitamaVariant(t)); err == nil {
		t.Error("a network that does not exist was opened")
	}
}

func onitamaVariant(t *testing.T) games.Variant {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{Game: games.Onitama})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A symmetry maps the position onto itself: it carries every stone and every legal
// move to one of its kind, and a search's opinion of a move does not depend on
// which of those alike it is.
func TestSymmetriesOfPositions(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"": 7, "e5": 7, "e5e6": 1, "e5d4": 1, "e5e6d5": 0, "a1i9": 1, "a1i9b2": 1} {
		pos, _ := v.Parse(text)
		maps := v.Symmetries(pos)
		if len(maps) != want {
			t.Errorf("%q has %d symmetries, want %d", text, len(maps), want)
		}
		stones := v.Stones(pos)
		for _, f := range maps {
			for c := range stones {
				if to := f(game.Move(c)); stones[to] != stones[c] || pos.Legal(to) != pos.Legal(game.Move(c)) {
					t.Errorf("%q: cell %d goes to %d", text, c, to)
				}
			}
		}
	}
	o := onitamaVariant(t)
	pos, _ := o.Start()
	if o.Symmetries(pos) != nil || o.Of().HasThreats() {
		t.Error("onitama has symmetries or threats")
	}
}

// Threats of a game's positions: a five is a point where the rules give the side the
// win, in each of many random positions, for both sides.
func TestThreatsAreTheRules(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{Rule: "standard", Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	fives := 0
	for range 60 {
		pos, _ := v.Start()
		for range 30 {
			if list := pos.Moves(nil); len(list) > 0 {
				pos.Play(list[rng.IntN(len(list))])
			}
		}
		if pos.Outcome() != game.Undecided {
			continue
		}
		wins := pos.Wins(nil)
		got := v.Threats(pos)[pos.ToMove()]
		if fives += len(wins); len(wins) != len(got.Fives) {
			t.Fatalf("wins %v, fives %v", wins, got.Fives)
		}
		for i, m := range wins {
			if got.Fives[i] != m {
				t.Fatalf("wins %v, fives %v", wins, got.Fives)
			}
		}
	}
	if fives == 0 {
		t.Error("no position had a five")
	}
}

// A file without a digest of its weights is reported once, however often it is opened.
func TestUnsealedNetworksAreNotedOnce(t *testing.T) {
	var notes []string
	loader := networks.NewLoader(networks.LoaderOptions{Threads: 1, Note: func(text string) { notes = append(notes, text) }})
	v, err := games.NewVariant(games.VariantOptions{Size: 7})
	if err != nil {
		t.Fatal(err)
	}
	files := filepath.FromSlash("../../../nn/onnx/testdata/")
	data, err := os.ReadFile(files + "good.onnx")
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "good.onnx")
	if err := os.WriteFile(alone, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{alone, files + "typed.onnx", alone, files + "dynamo.onnx", files + "good.onnx"} {
		n, err := loader.Open(v, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "good.onnx has no SHA-256") {
		t.Errorf("notes %q", notes)
	}
}
