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

// The first words of a search's text say what is proven, else what is only claimed, else the
// score of a classical search.
func TestVerdict(t *testing.T) {
	stats := Search{Score: new(0), Claim: new(""), QuietNodes: new(int64), SolverNodes: new(int64),
		TableFill: new(0.0), TableHits: new(0.0), FirstCut: new(0.0), Branching: new(0.0)}
	classical := func(proof game.Proof, claim string, score int) Search {
		r := stats
		r.Proven, r.ProofPly, r.Claim, r.Score = proof.Result, proof.Plies, &claim, &score
		return r
	}
	for want, r := range map[string]Search{
		"proven win in 5 plies": classical(game.Proof{Result: game.Won, Plies: 5}, "win in 7", 0),
		"claims loss in 4":      classical(game.Proof{}, "loss in 4", -31_000),
		"score -12":             classical(game.Proof{}, "", -12),
		"score +0":              classical(game.Proof{}, "", 0),
		"root mean +0.000":      {},
		"root mean +0.000  proven loss in 4 plies": {Proven: game.Lost, ProofPly: 4},
	} {
		r.Move = "h8"
		if line, _, _ := strings.Cut(textOf(&r), "\n"); line != "h8  value +0.000  winrate 0.0%  "+want {
			t.Errorf("got %q, want %q at its end", line, want)
		}
	}
}

// Iterations that were shown as they came are not shown again.
func TestIterationsAreShownOnce(t *testing.T) {
	r := Search{Iterations: []Iteration{{Depth: 1, SelDepth: 3, Nodes: 77,
		PV: strings.Split(strings.Repeat("a", 20), "")}}}
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
	r := &Match{Rule: "caro", Size: 15, Report: arena.Report{Forfeited: make([]arena.Forfeited, shownForfeits+3)}}
	text := textOf(r)
	if n := strings.Count(text, " forfeits ("); n != shownForfeits || !strings.HasSuffix(text, "\nand 3 more forfeits\n") {
		t.Errorf("%d forfeits explained, want %d and 3 more:\n%s", n, shownForfeits, text)
	}
}
