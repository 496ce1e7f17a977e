package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/report"
)

// planted are caro positions in which uniform MCTS with very few playouts and
// no solver cannot know better: first is about to make five, and second, who is to
// move, holds by the one move that stops it.
const planted = "h8g8i8a1j8a3k8\nh8h7h9a1h10a3h11\n"

func TestCrosscheck(t *testing.T) {
	dir := t.TempDir()
	list, rows := filepath.Join(dir, "list.txt"), filepath.Join(dir, "rows.jsonl")
	writeFile(t, list, []byte(planted))
	args := []string{
		"crosscheck", "--json", "--input", list, "--mcts", "playouts=2,model=uniform,solver=0,vct=0,parries=0", "--alphabeta",
		"nodes=3000,table=1",
		"--deeper", "2", "--solver-nodes", "5000", "--rows", rows, "--workers", "2",
	}
	report := printed[report.Crosscheck](t, args...)
	if report.Positions != 2 || report.MCTSBlunders < 1 ||
		report.Agree+report.Differ+report.MCTSBlunders+report.AlphaBetaBlunder != 2 {
		t.Errorf("%+v", report)
	}
	data, err := os.ReadFile(rows)
	if err != nil || strings.Count(string(data), "\n") != 2 {
		t.Fatalf("rows %q, %v", data, err)
	}

	// Rows are not overwritten, and a finished run resumed does nothing but
	// say what it found; the gate closes on it.
	if status, _, message := run(t, args...); status != statusFailed || !strings.Contains(message, "holds rows already") {
		t.Errorf("again: status %d, %q", status, message)
	}
	status, _, message := run(t, append(args, "--resume", "--max-blunders", "0")...)
	if status != statusFound || !strings.Contains(message, "--max-blunders 0") {
		t.Errorf("gate: status %d, %q", status, message)
	}
	if again, err := os.ReadFile(rows); err != nil || string(again) != string(data) {
		t.Error("the resumed run changed the rows")
	}
	if status, _, message := run(t, append(args, "--resume", "--max-blunders", "2")...); status != 0 {
		t.Errorf("open gate: status %d, %q", status, message)
	}
}
