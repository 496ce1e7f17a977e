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

func TestClassicalBench(t *testing.T) {
	args := []string{"bench", "alphabeta", "--depth", "2", "--table", "1", "--json"}
	var first, again struct {
		Signature int64             `json:"signature"`
		Nodes     int64             `json:"nodes"`
		Speed     float64           `json:"nodes_per_s"`
		Positions []json.RawMessage `json:"positions"`
	}
	for _, r := range []any{&first, &again} {
		if err := json.Unmarshal([]byte(mustRun(t, args...)), r); err != nil {
			t.Fatal(err)
		}
	}
	if first.Signature != again.Signature || first.Signature <= 0 || first.Nodes != first.Signature || len(first.Positions) < 10 || first.Speed <= 0 {
		t.Errorf("%+v and %+v", first, again)
	}
	var plain struct{ Signature int64 }
	if err := json.Unmarshal([]byte(mustRun(t, append(args, "--techniques", "rfp=off")...)), &plain); err != nil {
		t.Fatal(err)
	}
	if plain.Signature == first.Signature {
		t.Error("without reverse futility the searches are the same")
	}
	if out := mustRun(t, "bench", "alphabeta", "--depth", "1", "--table", "1", "--threads", "2"); strings.Contains(out, "signature") {
		t.Errorf("two threads have a signature: %s", out)
	}
	if out := mustRun(t, "bench", "alphabeta", "--depth", "1", "--table", "1"); !strings.Contains(out, "signature ") || !strings.Contains(out, "move+undo/s") {
		t.Error(out)
	}
}

func TestBadClassicalCommandLines(t *testing.T) {
	over := "h8h9i8i9j8j9k8k9l8"
	for args, want := range map[string]string{
		"play --level clever":                     "medium",
		"bench alphabeta --techniques nul=off":    "want scout",
		"play --level easy --nodes 5":             "--nodes",
		"play --level easy --engine mcts":         "--level",
		"play --engine alphabeta --playouts 5":    "--playouts",
		"play --engine alphabeta --nodes 0":       "--nodes",
		"play --level hard --table 1000000000":    "262144 MiB",
		"play --level hard --position " + over:    "already over",
		"gomocup --engine alphabeta --depth 0":    "--depth",
		"gomocup --engine alphabeta --table 0":    "--table",
		"gomocup --engine alphabeta --threads -1": "--threads",
		"gomocup --level hard --depth 3":          "--depth",
		"gomocup --engine mcts --nodes 5":         "--nodes",
		"gomocup --playouts 5":                    "--engine mcts",
		"bench alphabeta --depth 0":               "--depth",
		"bench alphabeta --threads 0":             "--threads",
		"bench alphabeta --smp":                   "--threads",
		"bench alphabeta --table 1000000000":      "262144 MiB",
		"bench alphabeta --table 0":               "--table",
		"bench alphabeta --settle -1s":            "--settle",
		"bench alphabeta --tactics-nodes 0":       "--tactics-nodes",
		"bench alphabeta --rule none":             "caro",
	} {
		status, _, message := run(t, strings.Fields(args)...)
		if status != statusUsage || !strings.Contains(message, want) || strings.Contains(message, "\n") {
			t.Errorf("%s: status %d, %q, want one line with %q", args, status, message, want)
		}
	}
}
