package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/front/report"
)

// onitamaSearch is a search that takes milliseconds.
var onitamaSearch = []string{"search", "--engine", "alphabeta", "--game", "onitama", "--table", "1"}

func TestClassicalSearch(t *testing.T) {
	var r report.Classical
	out := mustRun(t, append(onitamaSearch, "--depth", "5", "--lines", "3", "--json")...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Engine != "alphabeta" || r.Depth != 5 || len(r.Iterations) != 5 || len(r.Children) != 3 || len(r.PV) == 0 ||
		r.PV[0] != r.Move || r.Children[0].Move != r.Move || r.Nodes <= 0 || r.Proven != "unknown" {
		t.Errorf("%+v", r)
	}
	for i := 1; i < len(r.Children); i++ {
		if r.Children[i].Score > r.Children[i-1].Score {
			t.Errorf("child %d is better than the one before", i)
		}
	}
	var again report.Classical
	if err := json.Unmarshal([]byte(mustRun(t, append(onitamaSearch, "--depth", "5", "--lines", "3", "--json")...)), &again); err != nil {
		t.Fatal(err)
	}
	if again.Nodes != r.Nodes || again.Move != r.Move {
		t.Errorf("a second run played %s after %d nodes, the first %s after %d", again.Move, again.Nodes, r.Move, r.Nodes)
	}
	text := mustRun(t, append(onitamaSearch, "--nodes", "2000")...)
	for _, want := range []string{"depth", "2000 nodes", "first-move cutoffs", "branching factor", "hit rate"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

// What iterations took adds up to the whole, and --stats shows it.
func TestStatsOfIterations(t *testing.T) {
	for _, game := range [][]string{{"--game", "onitama"}, {"--rule", "freestyle", "--position", "h8i9i8"}} {
		var r report.Classical
		args := append([]string{"search", "--engine", "alphabeta", "--table", "1", "--depth", "7"}, game...)
		if err := json.Unmarshal([]byte(mustRun(t, append(args, "--json")...)), &r); err != nil {
			t.Fatal(err)
		}
		var nodes, before int64
		for i, it := range r.Iterations {
			own := it.Nodes - nodes
			if i > 0 && (math.Abs(it.Branching-float64(own)/float64(before)) > 1e-9 || it.NewMove != (it.PV[0] != r.Iterations[i-1].PV[0])) {
				t.Errorf("%v: iteration %d: %+v after %d nodes, the last of them %d", game, i+1, it, nodes, before)
			}
			if it.Leaves <= 0 || it.HitRate < 0 || it.HitRate > 1 || it.FirstCut < 0 || it.FirstCut > 1 {
				t.Errorf("%v: iteration %d: %+v", game, i+1, it)
			}
			nodes, before = it.Nodes, own
		}
		text := mustRun(t, append(args, "--stats")...)
		if _, table, ok := strings.Cut(text, "first cut-offs"); !ok || strings.Count(strings.TrimSpace(table), "\n") != 7 {
			t.Errorf("%v: no table of 7 iterations in\n%s", game, text)
		}
	}
	if status, _, message := run(t, "search", "--stats"); status != statusUsage || !strings.Contains(message, "--stats goes with") {
		t.Errorf("%d, %s", status, message)
	}
}

// A win is called proven only with a replayed proof.
func TestClaimsAndProofs(t *testing.T) {
	var r report.Classical
	out := mustRun(t, "search", "--engine", "alphabeta", "--rule", "freestyle", "--position", "h8a1i8a2j8a3", "--nodes", "20000", "--table", "1", "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Proven != "win" || r.ProofPly != 3 || r.Value != 1 || r.PV[0] != r.Move {
		t.Errorf("%+v", r)
	}
}

func TestBadClassicalSearches(t *testing.T) {
	for args, want := range map[string]string{
		"--nodes 0":           "--nodes",
		"--nodes -1":          "--nodes",
		"--depth 0":           "--depth",
		"--depth 101":         "1..100",
		"--time 0s":           "--time",
		"--time -1s":          "--time",
		"--lines 0":           "--lines",
		"--table 0":           "--table",
		"--table 1000000000":  "262144 MiB",
		"--threads -1":        "--threads",
		"--threads 100000":    "--threads",
		"--playouts 5":        "mcts",
		"--model uniform":     "mcts",
		"--position Tiger":    "cards",
		"--game chess":        "onitama",
		"--nodes many":        "--nodes",
		"--engine alphabetas": "alphabeta",
	} {
		status, _, message := run(t, append(onitamaSearch, strings.Fields(args)...)...)
		if status != statusUsage || !strings.Contains(message, want) || strings.Contains(message, "\n") {
			t.Errorf("%s: status %d, %q, want one line with %q", args, status, message, want)
		}
	}
	if status, _, message := run(t, "search", "--depth", "3"); status != statusUsage || !strings.Contains(message, "alphabeta") {
		t.Errorf("mcts with a depth: status %d, %s", status, message)
	}
}

func TestPlayAtALevel(t *testing.T) {
	var games [2]string
	for i := range games {
		status, out, message := runWith(t, "h8\nhint\nundo\ni9\nquit\n", "play", "--level", "easy", "--table", "1")
		if status != 0 || !strings.Contains(out, "Engine plays") || !strings.Contains(out, "would play") {
			t.Fatalf("status %d: %s\n%s", status, message, out)
		}
		games[i] = out
	}
	if games[0] != games[1] {
		t.Errorf("the same moves are answered differently:\n%s\n%s", games[0], games[1])
	}
	status, out, _ := runWith(t, "", "play", "--engine", "alphabeta", "--nodes", "50", "--table", "1", "--position", "h8h9i8i9j8j9k8k9", "--side", "second")
	if status != 0 || !strings.Contains(out, "engine wins") {
		t.Errorf("status %d: %s", status, out)
	}
	status, out, _ = runWith(t, "quit\n", "play", "--level", "medium", "--game", "onitama", "--side", "second", "--table", "1")
	if status != 0 || !strings.Contains(out, "Engine plays") {
		t.Errorf("status %d: %s", status, out)
	}
}

func TestClassicalGomocup(t *testing.T) {
	in := "START 9\nINFO rule 9\nINFO max_depth 3\nINFO show_detail 3\nTURN 4,4\nYXNBEST 2\nABOUT\n"
	out, _ := runApart(t, in, "name=", "gomocup", "--engine", "alphabeta", "--nodes", "3000", "--table", "1")
	for _, want := range []string{"OK\n", "\nINFO DEPTH 3\n", "\nINFO NUMPV 2\n", "MESSAGE REALTIME DONE"} {
		if !strings.Contains(out, want) {
			t.Fatalf("no %q in:\n%s", want, out)
		}
	}
	if out, _ := runApart(t, "START 9\nBEGIN\n", ",", "gomocup", "--level", "easy", "--table", "1"); !strings.HasPrefix(out, "OK\n") || strings.Contains(out, "ERROR") {
		t.Error(out)
	}
}

func TestBenchAlphaBeta(t *testing.T) {
	signature := func() float64 {
		var r struct{ Parts map[string]map[string]float64 }
		if err := json.Unmarshal([]byte(mustRun(t, "bench", "alphabeta", "--depth", "2", "--json")), &r); err != nil {
			t.Fatal(err)
		}
		return r.Parts["alphabeta"]["signature"]
	}
	if first := signature(); first <= 0 || first != signature() {
		t.Errorf("signature %v", first)
	}
}

func TestBadClassicalCommandLines(t *testing.T) {
	over := "h8h9i8i9j8j9k8k9l8"
	for args, want := range map[string]string{
		"play --level clever":                     "medium",
		"play --level easy --nodes 5":             "--nodes",
		"play --level easy --engine mcts":         "--level",
		"play --engine alphabeta --playouts 5":    "--playouts",
		"play --engine alphabeta --nodes 0":       "--nodes",
		"play --level hard --table 1000000000":    "262144 MiB",
		"play --level hard --position " + over:    "already over",
		"gomocup --engine alphabeta --depth 0":    "--depth",
		"gomocup --engine alphabeta --table 0":    "--table",
		"gomocup --engine alphabeta --threads -1": "--threads",
		"bench alphabeta --depth 0":               "--depth",
		"bench alphabeta --rule none":             "caro",
		"bench speed":                             "alphabeta",
		"gomocup --level hard --depth 3":          "--depth",
		"gomocup --engine mcts --nodes 5":         "--nodes",
		"gomocup --playouts 5":                    "--engine mcts",
	} {
		status, _, message := run(t, strings.Fields(args)...)
		if status != statusUsage || !strings.Contains(message, want) || strings.Contains(message, "\n") {
			t.Errorf("%s: status %d, %q, want one line with %q", args, status, message, want)
		}
	}
}
