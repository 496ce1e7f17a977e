package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/front/report"
)

// A win that has quiet moves is found by pn alone, goes to a certificate that holds, and
// a search that was cut short goes on from its file to the same bytes.
func TestSolveQuietly(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	solve := []string{"solve", "--rule", "freestyle", "--position", "j9l10m12m9k11l11l8k8j10l12l13j11h8i9h10i11g10f10g8i8i10k10h7h11g7g11", "--json"}
	result := func(args ...string) (r report.Solution) {
		t.Helper()
		if err := json.Unmarshal([]byte(mustRun(t, append(solve, args...)...)), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := result("--kind", "vct"); r.Result != "none" {
		t.Errorf("by fours and threes: %+v", r)
	}
	whole := result("--kind", "pn", "--nodes", "5000000", "--state", at("whole.state"), "--certificate", at("whole.cert"))
	if whole.Result != "win" || len(whole.Line) != whole.Plies || whole.Certificate == nil {
		t.Fatalf("by pn: %+v", whole)
	}
	mustRun(t, "certificate", "check", at("whole.cert"))
	if r := result("--kind", "pn", "--nodes", "100000", "--state", at("cut.state")); r.Result != "unknown" || r.Certificate != nil {
		t.Errorf("with a small budget: %+v", r)
	}
	if r := result("--kind", "pn", "--nodes", "5000000", "--state", at("cut.state"), "--certificate", at("cut.cert")); r.Result != "win" || r.Nodes != whole.Nodes {
		t.Errorf("going on: %+v, %d moves without a break", r, whole.Nodes)
	}
	for _, names := range [][2]string{{"whole.state", "cut.state"}, {"whole.cert", "cut.cert"}} {
		one, err1 := os.ReadFile(at(names[0]))
		other, err2 := os.ReadFile(at(names[1]))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(one, other) {
			t.Errorf("%s and %s differ, %v", names[0], names[1], err)
		}
	}
}

// Wrong uses of a saved search are told in one line, and leave the file alone.
func TestSolveStateRefuses(t *testing.T) {
	dir := t.TempDir()
	state, other := filepath.Join(dir, "s"), filepath.Join(dir, "other")
	mustRun(t, "solve", "--position", "h8i9h9", "--kind", "pn", "--nodes", "2000", "--state", state)
	before, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, before[:len(before)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"--kind pn --position h8i9 --state " + state:                "with first",
		"--kind pn --rule renju --position h8i9h9 --state " + state: "renju",
		"--kind pn --position h8i9h9 --state " + other:              "no saved search",
		"--kind pn --position h8i9h9 --state " + broken:             "damaged",
		"--kind vct --position h8i9h9 --state " + state:             "--state goes with --kind pn and full",
		"--memory 4": "--memory goes with --kind pn and full",
		"--kind pn --position h8i9h9 --state " + dir + "/no/such/file": "no such",
		"--kind pn --memory 0 --position h8i9h9":                       "--memory",
	} {
		status, _, message := run(t, append([]string{"solve", "--nodes", "1000"}, strings.Fields(args)...)...)
		if status == 0 || !strings.Contains(message, want) || strings.Contains(message, "\n") {
			t.Errorf("%s: %d, %q", args, status, message)
		}
	}
	if after, err := os.ReadFile(state); err != nil || string(after) != string(before) {
		t.Error("the file has changed")
	}
}

// An interrupted search whose state cannot be written says so, and not that it goes on.
func TestStateUnwritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	root, done := newRoot(), make(chan error)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.SetArgs([]string{"solve", "--size", "7", "--position", "", "--kind", "full", "--nodes", "900000000", "--state", filepath.Join(dir, "s")})
	go func() { done <- root.ExecuteContext(ctx) }()
	for { // until the search has locked its file
		if list, err := os.ReadDir(dir); err != nil {
			t.Fatal(err)
		} else if len(list) > 0 {
			break
		}
		runtime.Gosched()
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	cancel()
	status, message := exitStatus(<-done)
	if status != 1 || !strings.Contains(message, "--state: ") || !strings.Contains(message, "no such file") || strings.Contains(message, "goes on") {
		t.Errorf("status %d: %s", status, message)
	}
}

// In Onitama all moves are searched: a published win is proven, with a line of its plies.
func TestSolveOnitama(t *testing.T) {
	var got report.Solution
	position := "Crane,Rooster/Tiger,Ox/Horse:rooster c1d2"
	if err := json.Unmarshal([]byte(mustRun(t, "solve", "--game", "onitama", "--position", position, "--nodes", "4000000", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Kind != kindFull || got.Result != "win" || got.Plies < 19 || len(got.Line) != got.Plies {
		t.Fatalf("%+v", got)
	}
	reply := position + " " + got.Line[0]
	if err := json.Unmarshal([]byte(mustRun(t, "solve", "--game", "onitama", "--position", reply, "--nodes", "4000000", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Result != "loss" || len(got.Line) != got.Plies {
		t.Fatalf("after the winning move: %+v", got)
	}
	if got := mustRun(t, "solve", "--game", "onitama", "--nodes", "1000"); !strings.HasPrefix(got, "full: unknown: the budget was spent\n") {
		t.Errorf("within a thousand moves: %s", got)
	}
}
