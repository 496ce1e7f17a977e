package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTacticsHolds finds the positions with a single move that holds on the way
// to a listed position.
func TestTacticsHolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.txt")
	const moves = "e5c5f7h5a6g6g7e6f6h8d4c3h6f5f8e9i5j4f9f10i7h7e4i8j9d8c7g11h12d7g4f4i6b9c8i3j6d6d9e10l6k6h4k7g3f2e8f3f1c10g10g9e11i12j11j8k8"
	if err := os.WriteFile(path, []byte(moves), 0o644); err != nil {
		t.Fatal(err)
	}
	const first = "freestyle 13 e5c5f7h5a6g6g7e6f6h8d4c3h6f5f8e9i5j4f9f10i7h7e4i8j9d8 c7\n"
	holds := []string{"tactics", "holds", "--rule", "freestyle", "--size", "13"}
	all := mustRun(t, append(holds, path)...)
	if !strings.HasPrefix(all, first) || strings.Count(all, "\n") < 2 {
		t.Errorf("found\n%s", all)
	}
	if one := mustRun(t, append(holds, "--per-game", "1", path)...); one != first {
		t.Errorf("with one a game:\n%s", one)
	}
	if status, _, message := run(t, append(holds, path+".none")...); status != statusFailed || !strings.Contains(message, path) {
		t.Errorf("a file that is not there: %d, %s", status, message)
	}
}

// TestTacticsCompose composes problems and solves them from a file.
func TestTacticsCompose(t *testing.T) {
	composed := mustRun(t, "tactics", "compose", "--rule", "freestyle", "--size", "11", "--stones", "30",
		"--steps", "40", "--nodes", "3000", "--min-plies", "5", "--boards", "3", "--seed", "3")
	if !strings.HasPrefix(composed, "freestyle 11 vcf win ") {
		t.Fatalf("composed\n%s", composed)
	}
	path := filepath.Join(t.TempDir(), "problems.txt")
	if err := os.WriteFile(path, []byte(composed), 0o644); err != nil {
		t.Fatal(err)
	}
	out := mustRun(t, "tactics", "--suite", path, "--each")
	if rows := strings.Count(out, " vcf "); rows != strings.Count(composed, "\n") {
		t.Errorf("%d rows of problems in\n%s", rows, out)
	}
}
