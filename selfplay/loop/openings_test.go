package loop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/networks"
)

// Games of a gate begin with four random moves unless the configuration says otherwise;
// without random moves, openings or cards they would all be the same game, and are refused.
func TestGatesHaveOpenings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "openings")
	if err := os.WriteFile(file, []byte("h8i9\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const head = "[trainer]\ntrain = [\"true\"]\n[[games]]\nrule = \"caro\"\nsize = 15\ngames = 10\nplayer = \"mcts:playouts=4\"\n"
	for _, c := range []struct {
		gate  string
		plies int
		err   string
	}{
		{"[[gate.boards]]\nrule = \"caro\"\nsize = 15\n", 4, ""},
		{"[[gate.boards]]\nrule = \"caro\"\nsize = 15\nopening_plies = 2\n", 2, ""},
		{"[gate]\nboards = [{rule = \"caro\", size = 15, opening_plies = 3}]\n", 3, ""},
		{"[gate]\nboards = [{rule = \"caro\", size = 15}]\n", 4, ""},
		{"[[gate.boards]]\nrule = \"caro\"\nsize = 15\nopening_plies = 0\n", 0, "gate.boards[1].opening_plies: 0: all games would be the same one"},
		{"[[gate.boards]]\nrule = \"caro\"\nsize = 15\nopening_plies = 0\nopenings = \"" + filepath.ToSlash(file) + "\"\n", 0, ""},
		{"[[gate.boards]]\ngame = \"onitama\"\nopening_plies = 0\n", 0, ""},
	} {
		config, _, err := Parse("f", []byte(head+c.gate))
		if err != nil {
			t.Fatal(err)
		}
		if got := config.Gate.Boards[0].OpeningPlies; got != c.plies {
			t.Errorf("%q: %d moves, want %d", c.gate, got, c.plies)
		}
		w := Worker{Loader: &networks.Loader{}}
		if err := w.Check(&config); c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: %v, want %q", c.gate, err, c.err)
		}
	}
}
