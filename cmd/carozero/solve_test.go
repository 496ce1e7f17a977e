package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/game/onitama/bitbase"
	"github.com/carozero/carozero/internal/report"
)

const goldenCertificate = "../../game/gomoku/certificate/testdata/00-freestyle-vcf.cert"

// A win becomes a file that holds, and is replaced only if it is a certificate.
func TestSolveWritesACertificate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "win.cert")
	for _, kind := range []string{"vcf", "vct"} {
		solve := []string{
			"solve", "--rule", "freestyle", "--size", "9", "--position", "e5a1f5a3g5a9", "--kind", kind, "--json",
			"--certificate", file,
		}
		r := printed[report.Solution](t, solve...)
		c := r.Certificate
		if c == nil || !c.Holds || c.File != file || c.Plies != 3 || c.Nodes != 1 || c.Winner != "first" {
			t.Fatalf("%+v", c)
		}
		list := printed[report.Certificates](t, "certificate", "check", "--json", file, goldenCertificate)
		if len(list) != 2 || !list[0].Holds || !list[1].Holds || list[0].SHA256 != c.SHA256 {
			t.Errorf("%+v", list)
		}
		if shown := mustRun(t, "certificate", "check", "--show", file); !strings.Contains(shown, "first wins in 3 plies") ||
			!strings.Contains(shown, c.SHA256) || !strings.Contains(shown, ". . X X X") {
			t.Errorf("shown: %s", shown)
		}
	}
	none := filepath.Join(t.TempDir(), "none.cert")
	if out := mustRun(t, "solve", "--rule", "freestyle", "--position", "h8", "--certificate",
		none); !strings.Contains(out, "was not written: no win was found") {
		t.Errorf("without a win: %s", out)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a file was written without a win")
	}
	writeFile(t, none, []byte("mine"))
	if status, _, message := run(t, "solve", "--rule", "freestyle", "--position", "h8a1i8a3j8a15", "--certificate",
		none); status != 1 || !strings.Contains(message, "stays as it is") {
		t.Errorf("over a foreign file: status %d: %s", status, message)
	}
}

// Who wins a small board is found out, and a draw becomes a file that holds.
func TestSolveFully(t *testing.T) {
	file := filepath.Join(t.TempDir(), "draw.cert")
	for _, tt := range []struct{ rule, moves, result, held string }{
		{"caro", "", "draw", "both"}, {"freestyle", "a1a3b1b3c1c3d1d3", "win", ""},
		{"freestyle", "a1b2b1c3c1d3d1d4a2c4a3b4a4", "loss", ""},
		{"renju", "", "unknown", "second"},
		{"school42", "a1b1a2b2c1a3c2b3a4c3b4a5c4b5d1c5d2d3e1d4e2", "win", ""},
	} {
		var r report.Solution
		out := mustRun(t, "solve", "--kind", "full", "--size", "5", "--rule", tt.rule, "--position", tt.moves, "--nodes",
			"20000", "--certificate", file, "--json")
		if err := json.Unmarshal([]byte(out), &r); err != nil || r.Result != tt.result || r.Certificate == nil ||
			r.Certificate.Held != tt.held {
			t.Errorf("%s %s: %s: %v", tt.rule, tt.moves, out, err)
			continue
		}
		mustRun(t, "certificate", "check", file)
		mustRun(t, "certificate", "check", "--show", file)
	}
	none := filepath.Join(t.TempDir(), "none.cert")
	if out := mustRun(t, "solve", "--kind", "full", "--position", "h8", "--nodes", "1000", "--certificate",
		none); !strings.Contains(out, "nothing was proven") {
		t.Errorf("unknown: %s", out)
	}
}

func TestCertificateRefused(t *testing.T) {
	whole, err := os.ReadFile(goldenCertificate)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad.cert")
	whole[len(whole)-1] ^= 1
	writeFile(t, bad, whole)
	status, out, message := run(t, "certificate", "check", bad, goldenCertificate)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); status != statusFound || len(lines) != 2 ||
		!strings.Contains(lines[0], "refused: no certificate: the digest") || !strings.Contains(lines[1], "wins in") {
		t.Errorf("status %d: %s%s", status, out, message)
	}
	if status, out, _ := run(t, "certificate", "check", "--show", bad); status != statusFound ||
		!strings.Contains(out, "digest") {
		t.Errorf("show: status %d: %s", status, message)
	}
	if status, _, _ := run(t, "certificate", "check"); status != 2 {
		t.Errorf("without a file: status %d", status)
	}
	if status, _, message := run(t, "certificate", "check", t.TempDir()); status != 1 ||
		!strings.Contains(message, "folder") {
		t.Errorf("of a folder: status %d: %s", status, message)
	}
}

// A win that has quiet moves is found by pn alone, and goes to a certificate that holds.
func TestSolveQuietly(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	solve := []string{
		"solve", "--rule", "freestyle", "--position",
		"j9l10m12m9k11l11l8k8j10l12l13j11h8i9h10i11g10f10g8i8i10k10h7h11g7g11", "--json",
	}
	result := func(args ...string) (r report.Solution) {
		t.Helper()
		readPrinted(t, &r, append(solve, args...)...)
		return r
	}
	if r := result("--kind", "vct"); r.Result != "none" {
		t.Errorf("by fours and threes: %+v", r)
	}
	whole := result("--kind", "pn", "--nodes", "5000000", "--certificate", at("whole.cert"))
	if whole.Result != "win" || len(whole.Line) != whole.Plies || whole.Certificate == nil {
		t.Fatalf("by pn: %+v", whole)
	}
	mustRun(t, "certificate", "check", at("whole.cert"))
	if r := result("--kind", "pn", "--nodes", "1000"); r.Result != "unknown" ||
		r.Certificate != nil {
		t.Errorf("with a small budget: %+v", r)
	}
}

// In Onitama all moves are searched: a published win is proven, with a line of its plies.
func TestSolveOnitama(t *testing.T) {
	var got report.Solution
	position := "Crane,Rooster/Tiger,Ox/Horse:rooster c1d2"
	readPrinted(t, &got, "solve", "--game", "onitama", "--position", position, "--nodes",
		"4000000", "--json")
	if got.Kind != kindFull || got.Result != "win" || got.Plies < 19 || len(got.Line) != got.Plies {
		t.Fatalf("%+v", got)
	}
	reply := position + " " + got.Line[0]
	readPrinted(t, &got, "solve", "--game", "onitama", "--position", reply, "--nodes", "4000000",
		"--json")
	if got.Result != "loss" || len(got.Line) != got.Plies {
		t.Fatalf("after the winning move: %+v", got)
	}
	if got := mustRun(t, "solve", "--game", "onitama", "--nodes", "1000"); !strings.HasPrefix(got,
		"full: unknown: the budget was spent\n") {
		t.Errorf("within a thousand moves: %s", got)
	}
}

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
