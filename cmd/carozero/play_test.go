package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/models"
)

func TestGomocup(t *testing.T) {
	in := "START 9\nINFO rule 9\nINFO max_node 40\nTURN 4,4\nINFO show_detail 2\nYXNBEST 1\nABOUT\n"
	out, _ := runApart(t, in, "name=", "gomocup", "--engine", "mcts", "--model", "uniform", "--threads", "1")
	lines := strings.Split(out, "\n")
	if lines[0] != "OK" || !slices.Contains(lines, "INFO NODES 40") {
		t.Error(out)
	}
	out, _ = runApart(t, "START 9\nBEGIN\n", "ERROR no game", "gomocup", "--engine", "mcts", "--model", "no-such-net")
	if !strings.HasPrefix(out, "ERROR no network for freestyle 9x9") {
		t.Error(out)
	}
}

// patient is an input that ends only when something has been written to the
// output, as a client that waits for its answers keeps it open.
type patient struct {
	io.Reader
	until   string
	output  strings.Builder
	written chan struct{}
	once    sync.Once
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err == io.EOF && p.until != "" {
		<-p.written
	}
	return n, err
}

func (p *patient) Write(b []byte) (int, error) {
	if strings.Contains(string(b), p.until) {
		p.once.Do(func() { close(p.written) })
	}
	return p.output.Write(b)
}

// runApart runs a command that succeeds, whose input ends when it has written
// until, and returns what it wrote to standard output and to standard error.
func runApart(t *testing.T, stdin, until string, args ...string) (out, message string) {
	t.Helper()
	root := newRoot(args)
	stdout := &patient{Reader: strings.NewReader(stdin), until: until, written: make(chan struct{})}
	var stderr strings.Builder
	root.SetOut(stdout)
	root.SetErr(&stderr)
	root.SetIn(stdout)
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return stdout.output.String(), stderr.String()
}

// The shipped network plays boards that are larger than those that it was trained
// for, and says so once, not on standard output.
func TestGomocupOnOtherSizes(t *testing.T) {
	games := strings.Repeat("START 22\nINFO rule 0\nINFO max_node 4\nBEGIN\nRESTART\nBEGIN\n", 3) + "ABOUT\n"
	out, message := runApart(t, games, "name=", "gomocup", "--engine", "mcts", "--threads", "1")
	shipped, err := models.Best("freestyle", 22)
	if err != nil {
		t.Fatal(err)
	}
	note := fmt.Sprintf("carozero: %s was trained on %dx%[2]d to %dx%[3]d; 22x22 is beyond what its card claims\n",
		shipped.Name, shipped.Sizes[0], shipped.Sizes[1])
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 13 || message != note {
		t.Fatalf("%q, %q", out, message)
	}
	for i, l := range lines[:12] {
		if (l == "OK") != (i%2 == 0) || i%2 == 1 && strings.Count(l, ",") != 1 {
			t.Errorf("line %d is %q", i+1, l)
		}
	}
}

// analysed returns the answers to lines, by id, and everything that was said.
func analysed(t *testing.T, lines []string, flags ...string) (map[string]*analysis.Answer, string) {
	t.Helper()
	status, out, message := runWith(t, strings.Join(lines, "\n")+"\n", append([]string{"analysis"}, flags...)...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, message)
	}
	answers := map[string]*analysis.Answer{}
	for line := range strings.Lines(out) {
		a := new(analysis.Answer)
		if err := json.Unmarshal([]byte(line), a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if a.Opinion != nil {
			answers[a.ID] = a
		}
	}
	return answers, out
}

// The answers equal those of "search", move by move, with a network and with the
// classical search, for positions that are asked about together.
func TestAnalysisIsSearch(t *testing.T) {
	var lines []string
	positions := []string{"h8i9i8", "h8i9i8g8f6", "e5e6f5f6g5"}
	for i, p := range positions {
		lines = append(lines, fmt.Sprintf(`{"id":"m%d","initialPosition":%q,"maxVisits":60}`, i, p),
			fmt.Sprintf(`{"id":"a%d","initialPosition":%q,"engine":"alphabeta","maxNodes":3000,"lines":3}`, i, p))
	}
	answers, _ := analysed(t, lines, "--model", testNet, "--size", "9", "--rule", "freestyle", "--seed", "5")
	for i, p := range positions {
		tree := printed[report.Search](t, "search", "--model", testNet, "--size", "9", "--rule", "freestyle", "--seed", "5",
			"--playouts", "60", "--root-solver-nodes", "2000", "--position", p, "--json")
		a := answers[fmt.Sprintf("m%d", i)]
		if a.RootInfo.Visits != *tree.Visits || a.RootInfo.Utility != tree.RootQ || a.RootInfo.Evals != tree.Evals ||
			!slices.Equal(a.MoveInfos[0].PV, tree.PV[:min(16, len(tree.PV))]) {
			t.Errorf("%s: %+v, search has %+v", p, a.RootInfo, tree)
		}
		for j, m := range a.MoveInfos {
			c := tree.Children[j]
			if m.Move != c.Move || m.Visits != c.Visits || m.Prior != c.Prior || m.Utility != c.Q ||
				(m.Proven != nil) != (c.Proven != game.Unproven) || m.Proven != nil &&
				(m.Proven.Result != c.Proven.String() || m.Proven.Plies != *c.Plies) {
				t.Errorf("%s: %+v, search has %+v", p, m, c)
			}
		}
		classical := printed[report.Search](t, "search", "--engine", "alphabeta", "--size", "9", "--rule", "freestyle",
			"--nodes", "3000", "--lines", "3", "--position", p, "--json")
		a = answers[fmt.Sprintf("a%d", i)]
		if a.RootInfo.Nodes != classical.Nodes || a.RootInfo.Depth != classical.Depth ||
			a.MoveInfos[0].Move != classical.Move {
			t.Errorf("%s: %+v, search has %+v", p, a.RootInfo, classical)
		}
		for j, c := range classical.Children {
			if m := a.MoveInfos[j]; len(a.MoveInfos) == len(classical.Children) &&
				(m.Move != c.Move || *m.Score != *c.Score || m.Depth != *c.Depth) {
				t.Errorf("%s: %+v, search has %+v", p, m, c)
			}
		}
	}
}
