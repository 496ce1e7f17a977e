package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/games/toygame"
)

// A game that has only what every game has is shown as text and as a picture, searched
// by both engines, and played in lines.
func TestAThirdGame(t *testing.T) {
	v := toygame.Add(t)
	chosen := []string{"--game", v.Game}
	if out := mustRun(t, append([]string{"show", "b2a1"}, chosen...)...); !strings.Contains(out, ". . . .\n. . . .\n. X . .\nO . . .\n") {
		t.Errorf("shown:\n%s", out)
	}
	path := filepath.Join(t.TempDir(), "board.svg")
	mustRun(t, append([]string{"show", "b2a1c3", "--out", path}, chosen...)...)
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "c3 first move 3") {
		t.Errorf("the picture has no c3: %v\n%s", err, data)
	}
	for _, engine := range [][]string{{"--engine", "alphabeta", "--depth", "5", "--table", "1"}, {"--model", "uniform", "--playouts", "500"}} {
		if out := mustRun(t, append(append([]string{"search", "--position", "b2a1"}, engine...), chosen...)...); !strings.Contains(out, "win") {
			t.Errorf("%v:\n%s", engine, out)
		}
	}
	status, out, message := runWith(t, "b2\nquit\n", append([]string{"play", "--engine", "alphabeta", "--nodes", "100", "--table", "1"}, chosen...)...)
	if status != 0 || !strings.Contains(out, " 2 . X . .\n") {
		t.Errorf("play: %d, %s\n%s", status, message, out)
	}
	status, _, message = run(t, append([]string{"forbidden", "--position", "b2"}, chosen...)...)
	if status != statusUsage || strings.Contains(message, "\n") {
		t.Errorf("forbidden: %d, %s", status, message)
	}
	status, _, message = run(t, append([]string{"solve", "--position", "b2"}, chosen...)...)
	if status != statusUsage || strings.Contains(message, "\n") {
		t.Errorf("solve: %d, %s", status, message)
	}
}
