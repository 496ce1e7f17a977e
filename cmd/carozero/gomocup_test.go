package main

import (
	"slices"
	"strings"
	"testing"
)

func TestGomocup(t *testing.T) {
	in := "START 9\nINFO rule 9\nINFO max_node 40\nTURN 4,4\nINFO show_detail 1\nYXNBEST 1\n"
	status, out, message := runWith(t, in, "gomocup", "--model", "uniform", "--threads", "1")
	lines := strings.Split(out, "\n")
	if status != 0 || lines[0] != "OK" || !slices.Contains(lines, "MESSAGE INFO NODES 40") {
		t.Errorf("status %d, %s: %s", status, message, out)
	}
	status, out, _ = runWith(t, "START 9\nBEGIN\n", "gomocup", "--model", "no-such-net")
	if status != 0 || !strings.HasPrefix(out, "OK\nERROR no network for freestyle 9x9") {
		t.Errorf("status %d: %s", status, out)
	}
	for _, args := range [][]string{{"--engine", "abacus"}, {"--playouts", "0"}, {"--provider", "abacus"}, {"extra"}} {
		if status, _, message := run(t, append([]string{"gomocup"}, args...)...); status != statusUsage {
			t.Errorf("%v: status %d, %s", args, status, message)
		}
	}
}

func TestTheProgramsNameIsACommand(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"carozero", ""},
		{"/usr/bin/carozero search --json", "search --json"},
		{"pbrain-carozero", "gomocup"},
		{"/opt/brains/PBRAIN-CaroZero.exe --playouts 5", "gomocup --playouts 5"},
		{"pbrain/carozero play", "play"},
		{"/opt/pbrain-carozero-AlphaBeta --threads 2", "gomocup --engine alphabeta --threads 2"},
	} {
		if got := strings.Join(commandLine(strings.Fields(c.line)), " "); got != c.want {
			t.Errorf("%s runs %q, want %q", c.line, got, c.want)
		}
	}
}
