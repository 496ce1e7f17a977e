package main

import (
	"bytes"
	"strings"
	"testing"
)

// Options that would have no effect, or undo each other, are refused before anything is
// done, and so is what no command knows.
func TestOptionsWithoutEffectAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "openings.txt", []byte("h8\nh8h9i8\n"))
	for _, c := range []struct{ args, want string }{
		{"search --playouts 5 --techniques foo=1", "--techniques goes with --engine alphabeta"},
		{"play --techniques rfp=off", "--techniques goes with --engine alphabeta"},
		{"gomocup --engine mcts --techniques rfp=off", "--techniques goes with --engine alphabeta"},
		{"search --engine alphabeta --techniques rfp=off,lmr=80,rfp=on", "rfp is there twice"},
		{"search --noise-share 0.5", "unknown flag"},
		{"play --noise-total 5", "unknown flag"},
		{"search --game onitama --rule renju", "--rule: onitama has one"},
		{"selfplay --out x --game onitama --size 9", "--size: onitama has one"},
		{"solve --kind pn --state x --certificate ./x", "--state names the same file"},
		{"crosscheck --selfplay 1 --rows x --out ./x", "--rows names the same file"},
		{"tune --player mcts:playouts=9 --set cpuct --journal x --out x", "--journal names the same file"},
		{"completion foo", "unknown command foo; one of: bash, fish"},
		{"completion bash x", "unexpected argument x"},
		{"help nosuch", "unknown command nosuch"},
		{"help search x", "unknown command"},
		{"selfplay --out x --cheap-playouts 50 --playouts 20", "--cheap-playouts 50: want at most --playouts 20"},
		{"selfplay --out x --cheap-weight 1", "go with --cheap-playouts"},
		{"selfplay --out x --size 7 --opening-min 49 --opening-max 49", "--opening-min 49: the board has 49 points"},
		{"selfplay --out x --game onitama --opening-max 400", "--opening-max 400: games end after 300 moves"},
		{"match --a mcts:playouts=10 --b mcts:playouts=11 --max-plies 1", "--max-plies 1: want more than --opening-plies 4"},
		{"match --a alphabeta:nodes=9 --b alphabeta:nodes=8 --max-plies 3 --openings openings.txt", "--max-plies 3: opening 2 of --openings has 3 moves"},
		{"match --a mcts:playouts=10 --b mcts:playouts=11 --opening-plies 2 --openings x", "[openings opening-plies]"},
	} {
		var out bytes.Buffer
		status, message := performed(t, strings.Fields(c.args), strings.NewReader(""), &out)
		if status != statusUsage || !strings.Contains(message, c.want) || strings.Contains(message, "\n") || out.Len() > 0 {
			t.Errorf("%s: status %d, %q, prints %q; want %d, one line with %q", c.args, status, message, out.String(), statusUsage, c.want)
		}
	}
}

// An argument that is empty, as of a script whose variable was not set, is refused in words.
func TestEmptyArgumentsAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"convert", "", "--to", "text", "--out", "-"}, "convert: argument 1 is empty: want a file of games"},
		{[]string{"convert", "a.sgf", "", "--to", "text", "--out", "-"}, "convert: argument 2 is empty"},
		{[]string{"review", ""}, "review: argument 1 is empty: want a file with a game"},
		{[]string{"samples", "verify", ""}, "samples verify: argument 1 is empty: want a run's directory"},
		{[]string{"models", "verify", ""}, "models verify: argument 1 is empty"},
		{[]string{"serve", ""}, "serve: argument 1 is empty"},
	} {
		var out bytes.Buffer
		status, message := performed(t, c.args, strings.NewReader(""), &out)
		if status != statusUsage || !strings.Contains(message, c.want) || strings.Contains(message, "\n") || out.Len() > 0 {
			t.Errorf("%q: status %d, %q, prints %q; want %d, one line with %q", c.args, status, message, out.String(), statusUsage, c.want)
		}
	}
}
