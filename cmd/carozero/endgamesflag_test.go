package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// smallBitbase builds endgames of two men and returns their file.
func smallBitbase(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "two.bitbase")
	mustRun(t, "bitbase", "--cards", "Crab,Crane,Dragon,Monkey,Tiger", "--men", "2", "--out", path)
	return path
}

// Every command that searches Onitama plays on with endgames, and refuses in one line
// what are none; where the cards are fixed, those of other cards too.
func TestCommandsWithBitbase(t *testing.T) {
	path := smallBitbase(t)
	dir := t.TempDir()
	letter, other, board := filepath.Join(dir, "letter"), filepath.Join(dir, "other.bitbase"), filepath.Join(dir, "board")
	writeFile(t, board, []byte(twoMasters))
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
		"solve":           {"solve --game onitama --board " + board + " --bitbase FILE", "", true},
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
