//go:build !cgo

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// What needs no residual network works without cgo.
func TestNoCgoCommands(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	for _, line := range []string{
		"version",
		"models list",
		"search --engine alphabeta --nodes 1000",
		"search --model uniform --playouts 20",
		"search --playouts 20",
		"bench nn",
		"search --game onitama --model uniform --playouts 20",
		"solve --position h8a1i8a3j8a15",
		"selfplay --model uniform --size 7 --games 2 --playouts 8 --out " + out,
		"samples verify " + out,
		"match --a alphabeta:nodes=100 --b mcts:playouts=8 --size 9 --games 2",
	} {
		mustRun(t, strings.Fields(line)...)
	}
	status, answer, message := runWith(t, "START 15\nINFO max_node 500\nBEGIN\n", "gomocup", "--engine", "alphabeta")
	if status != 0 || !strings.HasPrefix(answer, "OK\n7,7") {
		t.Errorf("gomocup: status %d, %q, %s", status, answer, message)
	}
}

// So does the analysis of positions.
func TestNoCgoAnalysis(t *testing.T) {
	line := `{"id":"a","engine":"each","maxVisits":9,"maxNodes":500}` + "\n"
	if status, answer, message := runWith(t, line, "analysis"); status != 0 || !strings.Contains(answer, `"alphabeta":`) {
		t.Errorf("status %d, %q, %s", status, answer, message)
	}
	if status, answer, _ := runWith(t, line, "analysis", "--model", "strong"); status != 0 ||
		!strings.Contains(answer, "without cgo") || !strings.Contains(answer, `"noResults":true`) {
		t.Errorf("status %d, %q", status, answer)
	}
}

// What needs one says what is missing, in one line.
func TestNoCgoWhatIsMissing(t *testing.T) {
	for _, line := range []string{
		"search --model strong --playouts 8",
		"search --game onitama --playouts 8",
		"selfplay --model strong --games 1 --out " + filepath.Join(t.TempDir(), "run"),
		"models verify",
		"match --a mcts:playouts=8,model=strong --b alphabeta:nodes=100 --games 2",
		"search --model strong --playouts 8 --onnxruntime /nowhere",
	} {
		status, _, message := run(t, strings.Fields(line)...)
		if status != statusFailed || strings.Count(message, "without cgo") != 1 ||
			!strings.Contains(message, "--model uniform") {
			t.Errorf("%s: status %d, %q", line, status, message)
		}
	}
	if out := mustRun(t, "version"); !strings.Contains(out, "without cgo") {
		t.Errorf("version: %s", out)
	}
	if status, _, message := run(t, "search", "--provider", "abacus"); status != statusUsage ||
		!strings.Contains(message, "openvino") {
		t.Errorf("an unknown provider: status %d, %s", status, message)
	}
}
