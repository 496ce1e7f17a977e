package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/report"
)

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

func TestAnalysisCommandLine(t *testing.T) {
	if out := mustRun(t, "analysis", "--schema"); !json.Valid([]byte(out)) || !strings.Contains(out, `"moveInfos"`) {
		t.Error(out)
	}
	for line, want := range map[string]string{
		"--engine abacus":                        "--engine",
		"--max-visits 0":                         "--max-visits",
		"--memory 10000000":                      "--memory",
		"--memory 30000 --analysis-threads 1000": "--memory",
		"extra":                                  "extra",
	} {
		if status, _, message := run(t, append([]string{"analysis"}, strings.Fields(line)...)...); status != statusUsage ||
			!strings.Contains(message, want) {
			t.Errorf("%s: status %d, %s", line, status, message)
		}
	}
}
