package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/fetch"
	"github.com/carozero/carozero/selfplay/samples"
)

// textOf returns a report's text.
func textOf(r Report) string {
	var b strings.Builder
	r.Text(&b)
	return b.String()
}

// The first words of a classical search's text say what is proven, what is only
// claimed, and else the score.
func TestClassicalVerdict(t *testing.T) {
	for want, r := range map[string]Classical{
		"proven win in 5 plies": {Proven: provenWin, ProofPly: 5, Claim: "win in 7"},
		"claims loss in 4":      {Proven: unproven, Claim: "loss in 4", Score: -31_000},
		"score -12":             {Proven: unproven, Score: -12},
		"score +0":              {Proven: unproven},
	} {
		r.Move = "h8"
		if line, _, _ := strings.Cut(textOf(&r), "\n"); line != "h8  value +0.000  winrate 0.0%  "+want {
			t.Errorf("got %q, want %q at its end", line, want)
		}
	}
}

// A search of both engines says what is proven, and else what the classical half claims.
func TestTreeVerdict(t *testing.T) {
	for want, p := range map[string]game.Proof{
		"  proven win in 5 plies": {Result: game.Won, Plies: 5},
		"  claims loss in 4":      {Result: game.Lost, Plies: 4, Claimed: true},
		"":                        {},
	} {
		r := Tree{Children: []TreeMove{{Move: "h8"}}}
		r.Proven, r.ProofPly, r.Claim = known(p)
		if line, _, _ := strings.Cut(textOf(&r), "\n"); line != "  value +0.000  winrate 0.0%  root mean +0.000"+want {
			t.Errorf("got %q, want %q at its end", line, want)
		}
	}
}

// Iterations that were shown as they came are not shown again.
func TestIterationsAreShownOnce(t *testing.T) {
	r := Classical{Iterations: []Iteration{{Depth: 1, SelDepth: 3, Nodes: 77, PV: strings.Split(strings.Repeat("a", 20), "")}}}
	const row = "   1/3      0.00s           +0           77  a a a a a a a a a a a a a a ...\n"
	if !strings.Contains(textOf(&r), row) {
		t.Errorf("no row %q in:\n%s", row, textOf(&r))
	}
	r.shown = true
	if strings.Contains(textOf(&r), row) {
		t.Errorf("the row is shown twice:\n%s", textOf(&r))
	}
	if got := len(r.Iterations[0].PV); got != 20 {
		t.Errorf("the text has cut the line to %d moves", got)
	}
}

// A report around a result has the JSON of the result.
func TestWrappedResults(t *testing.T) {
	library, verified := fetch.Result{Version: "1", Path: "p"}, samples.Report{Games: 4, Bad: 1}
	for _, c := range []struct{ report, result any }{
		{Installed{library}, library}, {Verification{Report: verified}, verified},
	} {
		got, err := json.Marshal(c.report)
		want, other := json.Marshal(c.result)
		if err != nil || other != nil || string(got) != string(want) || len(want) < 10 {
			t.Errorf("%T: got %s (%v), want %s (%v)", c.report, got, err, want, other)
		}
	}
}

// A name that somebody else chose keeps to its row.
func TestForeignTextKeepsToItsRow(t *testing.T) {
	const evil = "net\nb: ok\tx\r"
	checks := ModelChecks{{Model: evil, OK: true}, {Model: "b", Error: evil}}
	if got, want := textOf(checks), `net\nb: ok\tx\r: ok`+"\n"+`b: net\nb: ok\tx\r`+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A match of many forfeits explains the first of them and counts the others.
func TestForfeitsAreCounted(t *testing.T) {
	r := &Match{Rule: "caro", Size: 15, Forfeited: make([]arena.Forfeited, shownForfeits+3)}
	text := textOf(r)
	if n := strings.Count(text, " forfeits ("); n != shownForfeits || !strings.HasSuffix(text, "\nand 3 more forfeits\n") {
		t.Errorf("%d forfeits explained, want %d and 3 more:\n%s", n, shownForfeits, text)
	}
}
