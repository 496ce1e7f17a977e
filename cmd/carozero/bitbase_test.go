package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/game/onitama/bitbase"
	"github.com/carozero/carozero/internal/report"
)

// twoMasters is a position of two men.
const twoMasters = `..O..
.....
.....
.....
..X..
first: Monkey Crane
second: Tiger Crab
side: Dragon
`

// A table is built and verified.
func TestBitbaseCommands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "three.bitbase")
	build := []string{"bitbase", "--cards", "tiger,Crab,Crane,Dragon,Monkey", "--men", "3", "--out", path}
	var built, verified report.Bitbase
	for line, r := range map[string]*report.Bitbase{
		strings.Join(build, " "): &built,
		"bitbase " + path:        &verified,
	} {
		mustRun(t, build...)
		readPrinted(t, r, append(strings.Fields(line), "--json")...)
		if r.Positions != 779_730 || r.Men != 3 || len(r.Cards) != 5 || r.Cards[0] != "Crab" || len(r.Classes) != 3 {
			t.Errorf("%s: %+v", line, r)
		}
		for _, c := range r.Classes {
			if c.Wins+c.Draws+c.Losses != c.Positions || c.Wins == 0 || c.Longest == 0 {
				t.Errorf("%s: %+v", line, c)
			}
		}
	}
}

// "solve" says and both engines prove what a table knows of the root; a table that is of no
// use is refused.
func TestSearchWithBitbase(t *testing.T) {
	dir := t.TempDir()
	path, board := filepath.Join(dir, "two.bitbase"), filepath.Join(dir, "board.txt")
	mustRun(t, "bitbase", "--cards", "Crab,Crane,Dragon,Monkey,Tiger", "--men", "2", "--out", path)
	table, err := bitbase.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	seen := map[game.Result]bool{}
	for _, rows := range []string{"..O..\n.....\n.....\n.....\n..X..\n", "....O\n.....\n..X..\n.....\n.....\n",
		"..O..\n.....\n.....\nX....\n.....\n"} {
		writeFile(t, board, []byte(rows+strings.SplitN(twoMasters, "\n", 6)[5]))
		b, err := onitama.ParseDiagram(rows + strings.SplitN(twoMasters, "\n", 6)[5])
		if err != nil {
			t.Fatal(err)
		}
		value, plies, _ := table.Probe(b)
		best, _ := table.Best(b)
		want := printed[report.Endgame](t, "solve", "--game", "onitama", "--board", board, "--bitbase", path,
			"--json")
		if want.Result.String() != value.String() || want.Plies != plies || len(want.Line) != plies ||
			want.Line[0] != (onitama.Notation{}).FormatMove(best) {
			t.Errorf("%s: solve has %+v; want %v in %d", rows, want, value, plies)
		}
		args := []string{"search", "--game", "onitama", "--board", board, "--bitbase", path}
		tree := printed[report.Search](t, append(args, "--model", "uniform", "--playouts", "1", "--json")...)
		if tree.Proven != want.Result || tree.ProofPly != want.Plies || tree.Move != want.Line[0] {
			t.Errorf("%s: the tree has %s in %d by %s; want %+v", rows, tree.Proven, tree.ProofPly, tree.Move, want)
		}
		text := mustRun(t, append(args, "--engine", "alphabeta", "--depth", "2", "--table", "1")...)
		if claim := fmt.Sprintf("%s in %d", want.Result, want.Plies); !strings.Contains(text, claim) {
			t.Errorf("%s: the classical search prints\n%s\nwant %s", rows, text, claim)
		}
		seen[want.Result] = true
	}
	if !seen[game.Won] || !seen[game.Lost] {
		t.Errorf("only %v was looked for", seen)
	}
	for line, want := range map[string]string{
		"--bitbase " + path: "no solved endgames of gomoku",
		"--game onitama --bitbase " + filepath.Join(dir, "none"): "none",
		"--game onitama --bitbase " + board:                      "not a bitbase",
	} {
		status, out, message := run(t, append([]string{"search", "--model", "uniform", "--playouts", "1"},
			strings.Fields(line)...)...)
		if status == 0 || !strings.Contains(message, "--bitbase") || !strings.Contains(message, want) || out != "" {
			t.Errorf("%s: status %d, %q", line, status, message)
		}
	}
}
