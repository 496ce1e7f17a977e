package main

import (
	"slices"
	"strings"
	"testing"
)

func TestGomocup(t *testing.T) {
	in := "START 9\nINFO rule 9\nINFO max_node 40\nTURN 4,4\nINFO show_detail 2\nYXNBEST 1\n"
	status, out, message := runWith(t, in, "gomocup", "--model", "uniform", "--threads", "1")
	lines := strings.Split(out, "\n")
	if status != 0 || lines[0] != "OK" || !slices.Contains(lines, "INFO NODES 40") {
		t.Errorf("status %d, %s: %s", status, message, out)
	}
	status, out, _ = runWith(t, "START 9\nBEGIN\n", "gomocup", "--model", "no-such-net")
	if status != 0 || !strings.HasPrefix(out, "ERROR no network for freestyle 9x9") {
		t.Errorf("status %d: %s", status, out)
	}
	for _, args := range [][]string{{"--engine", "abacus"}, {"--playouts", "0"}, {"--provider", "abacus"}, {"extra"}} {
		if status, _, message := run(t, append([]string{"gomocup"}, args...)...); status != statusUsage {
			t.Errorf("%v: status %d, %s", args, status, message)
		}
	}
}

// runApart runs a command that succeeds and returns what it wrote to standard
// output and to standard error.
func runApart(t *testing.T, stdin string, args ...string) (out, message string) {
	t.Helper()
	root := newRoot()
	var stdout, stderr strings.Builder
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	root.SetIn(strings.NewReader(stdin))
	root.SetArgs(args)
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return stdout.String(), stderr.String()
}

// Gomocup's freestyle is 20x20: the shipped network plays it, and says once, not
// on standard output, that it was trained on smaller boards.
func TestGomocupOnOtherSizes(t *testing.T) {
	games := strings.Repeat("START 20\nINFO rule 0\nINFO max_node 4\nBEGIN\nRESTART\nBEGIN\n", 3)
	out, message := runApart(t, games, "gomocup", "--threads", "1")
	const note = "carozero: first-b4c32 was trained on 9x9 to 19x19; 20x20 is beyond what its card claims\n"
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 12 || message != note {
		t.Fatalf("%q, %q", out, message)
	}
	for i, l := range lines {
		if (l == "OK") != (i%2 == 0) || i%2 == 1 && strings.Count(l, ",") != 1 {
			t.Errorf("line %d is %q", i+1, l)
		}
	}
	for _, size := range []string{"5", "22"} {
		out, message := runApart(t, "", "search", "--size", size, "--playouts", "2", "--json")
		if !strings.HasPrefix(out, "{") || strings.Count(message, "\n") != 1 || !strings.Contains(message, size+"x"+size) {
			t.Errorf("search --size %s: %q, %q", size, out, message)
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
