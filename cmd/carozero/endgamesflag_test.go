package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/game/onitama/bitbase"
	"github.com/carozero/carozero/internal/report"
)

// smallBitbase builds endgames of two men and returns their file.
func smallBitbase(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "two.bitbase")
	mustRun(t, "bitbase", "--cards", "Crab,Crane,Dragon,Monkey,Tiger", "--men", "2", "--out", path)
	return path
}

// "solve" says of a position what the table says of it.
func TestSolveWithBitbase(t *testing.T) {
	path, board := smallBitbase(t), filepath.Join(t.TempDir(), "board.txt")
	table, err := bitbase.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	seen := map[game.Result]bool{}
	for _, rows := range []string{
		"..O..\n.....\n.....\n.....\n..X..\n", "....O\n.....\n..X..\n.....\n.....\n", "..O..\n.....\n.....\nX....\n.....\n",
	} {
		writeFile(t, board, []byte(rows+strings.SplitN(twoMasters, "\n", 6)[5]))
		b, err := onitama.ParseDiagram(rows + strings.SplitN(twoMasters, "\n", 6)[5])
		if err != nil {
			t.Fatal(err)
		}
		value, plies, _ := table.Probe(b)
		var line []string
		toMove := b.ToMove().String()
		for range plies {
			m, _ := table.Best(b)
			line = append(line, onitama.Notation{}.FormatMove(m))
			b.Play(m)
		}
		var got report.Endgame
		if err := json.Unmarshal([]byte(mustRun(t, "solve", "--game", "onitama", "--board", board, "--bitbase", path,
			"--json")), &got); err != nil {
			t.Fatal(err)
		}
		if got.Result.String() != value.String() || got.Plies != plies || !slices.Equal(got.Line, line) ||
			got.ToMove != toMove {
			t.Errorf("%s: %+v; want %v in %d by %v", rows, got, value, plies, line)
		}
		seen[got.Result] = true
	}
	if !seen[game.Won] || !seen[game.Lost] {
		t.Errorf("only %v was looked up", seen)
	}
	for line, want := range map[string]string{
		"--game onitama --bitbase " + path:                                                 "the position has 10",
		"--bitbase " + path:                                                                "no solved endgames of gomoku",
		"--game onitama --kind vcf --bitbase " + path:                                      "bitbase",
		"--game onitama --position Monkey,Crane/Tiger,Crab/Eel --bitbase " + path:          "other cards",
		"--game onitama --position Monkey,Crane/Tiger,Crab/Dragon --bitbase " + path + "x": path + "x",
	} {
		status, out, message := run(t, append([]string{"solve"}, strings.Fields(line)...)...)
		if status == 0 || !strings.Contains(message, want) || strings.Contains(message, "\n") || out != "" {
			t.Errorf("%s: status %d, %q", line, status, message)
		}
	}
}

// Every command that searches Onitama plays on with endgames, and refuses in one line
// what are none; where the cards are fixed, those of other cards too.
func TestCommandsWithBitbase(t *testing.T) {
	path := smallBitbase(t)
	dir := t.TempDir()
	letter, other := filepath.Join(dir, "letter"), filepath.Join(dir, "other.bitbase")
	writeFile(t, letter, []byte("a letter to a friend\n"))
	mustRun(t, "bitbase", "--cards", "Boar,Cobra,Eel,Frog,Goose", "--men", "2", "--out", other)
	played := filepath.Join(dir, "run")
	mustRun(t, "selfplay", "--game", "onitama", "--model", "uniform", "--games", "1", "--playouts", "4", "--out", played)
	match := func(kind, file string) string {
		return "match --game onitama --games 2 --b alphabeta:nodes=20,table=1 --a " + kind + ",bitbase=" + file
	}
	for name, c := range map[string]struct {
		line, in string
		fixed    bool // the cards are known before the first search
	}{
		"play alphabeta":  {"play --game onitama --engine alphabeta --nodes 20 --table 1 --bitbase FILE", "quit\n", true},
		"play mcts":       {"play --game onitama --model uniform --playouts 4 --bitbase FILE", "quit\n", true},
		"match alphabeta": {match("alphabeta:nodes=20,table=1", "FILE"), "", true},
		"match mcts":      {match("mcts:playouts=4,model=uniform", "FILE"), "", true},
		"analysis": {"analysis --game onitama --model uniform --engine each --analysis-threads 1 --bitbase FILE",
			"{\"id\":\"a\",\"maxVisits\":2,\"maxNodes\":20}\n", false},
		"crosscheck": {"crosscheck --game onitama --input " + played +
			" --limit 1 --mcts playouts=4,model=uniform --alphabeta nodes=20,table=1 --bitbase FILE", "", false},
	} {
		with := func(file string) []string { return strings.Fields(strings.ReplaceAll(c.line, "FILE", file)) }
		if status, _, message := runWith(t, c.in, with(path)...); status != 0 {
			t.Errorf("%s: status %d, %q", name, status, message)
		}
		if status, _, message := runWith(t, c.in, with(letter)...); status == 0 || !strings.Contains(message, "bitbase") ||
			strings.Contains(message, "\n") {
			t.Errorf("%s with a letter: status %d, %q", name, status, message)
		}
		status, _, message := runWith(t, c.in, with(other)...)
		if c.fixed && (status == 0 || !strings.Contains(message, "other cards") || strings.Contains(message, "\n")) ||
			!c.fixed && status != 0 {
			t.Errorf("%s with other cards: status %d, %q", name, status, message)
		}
	}
}
