package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Runs that are merged, filtered and exported verify on the way, also where the rows
// are gone by which games were ended; and the statistics count what is left.
func TestSamplesMadeOfOthers(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for run, seed := range map[string]string{"run1": "3", "run2": "4"} {
		mustRun(t, "selfplay", "--player", "alphabeta:nodes=200,table=1", "--rule", "freestyle", "--size", "9", "--games", "4",
			"--seed", seed, "--stop-at-proof", "--out", at(run))
	}
	mustRun(t, "samples", "merge", at("run1"), at("run2"), "--out", at("all"))
	if out := mustRun(t, "samples", "inspect", "--json", at("all")); !strings.Contains(out, `"proven":`) {
		t.Fatalf("no game ends by a proof: %s", out)
	}
	out := mustRun(t, "samples", "filter", at("all"), "--where", "ply<12, unique", "--where", "games=0..0.9", "--out", at("early"))
	if !strings.Contains(out, "where ply<12, unique, games=0..0.9") {
		t.Error(out)
	}
	if out := mustRun(t, "samples", "verify", at("all"), at("early")); !strings.Contains(out, "verified") {
		t.Error(out)
	}
	if out := mustRun(t, "samples", "verify", "--json", at("all")); !strings.Contains(out, `"problems":[]`) {
		t.Error(out)
	}
	mustRun(t, "samples", "export", at("early"), "--out", at("npz"))
	if _, err := os.Stat(at("npz/rows-000000.npz")); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		status int
		args   string
		want   string
	}{
		{2, "samples merge " + at("run1"), "--out is missing"},
		{2, "samples export --out " + at("x"), "needs a run's directory"},
		{2, "samples filter " + at("run1") + " --out " + at("x"), "--where is missing"},
		{2, "samples filter --where ply=x " + at("run1") + " --out " + at("x"), "--where: \"ply=x\""},
		{1, "samples filter --where ply>900 " + at("run1") + " --out " + at("x"), "fits"},
		{1, "samples merge " + at("run1") + " --out " + at("run2"), "new or empty folder"},
		{1, "samples export " + at("run1") + " " + at("none") + " --out " + at("x"), "want a run's directory"},
	} {
		status, _, message := run(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(message, c.want) || strings.Contains(strings.TrimSpace(message), "\n") {
			t.Errorf("%s: status %d, %q", c.args, status, message)
		}
	}
}

// Of two processes that write to one folder one succeeds, and what is there is whole.
func TestTwoExportsToOneFolder(t *testing.T) {
	dir := t.TempDir()
	from, whole, both := filepath.Join(dir, "run"), filepath.Join(dir, "whole"), filepath.Join(dir, "both")
	mustRun(t, "selfplay", "--model", "uniform", "--size", "7", "--games", "6", "--playouts", "8", "--games-per-shard", "1", "--out", from)
	mustRun(t, "samples", "export", from, "--out", whole)
	args := []string{"samples", "export", from, "--out", both}
	one, two := startProgram(t, args), startProgram(t, args)
	errOne, errTwo := one.Wait(), two.Wait()
	if (errOne == nil) == (errTwo == nil) {
		t.Errorf("%v %s, %v %s: want one of them to succeed", errOne, &one.said, errTwo, &two.said)
	}
	names, err := os.ReadDir(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		want, err := os.ReadFile(filepath.Join(whole, name.Name()))
		got, err2 := os.ReadFile(filepath.Join(both, name.Name()))
		if err != nil || err2 != nil || string(got) != string(want) {
			t.Errorf("%s has other bytes: %v %v", name, err, err2)
		}
	}
	if left, err := os.ReadDir(both); err != nil || len(left) != len(names) {
		t.Errorf("%v, %v", left, err)
	}
}
