package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/report"
)

// quickTuning is a tuning of games that take a millisecond.
var quickTuning = []string{"tune", "--player", "mcts:playouts=8,temperature=0.7", "--set",
	"temperature=0.1..2/0.2,fpu=0.05..0.6/0.1",
	"--game", "onitama", "--opening-plies", "2", "--pairs", "6", "--trial", "3"}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A tuning prints the same and keeps the same journal with any number of
// workers, and when it goes on after a kill.
func TestTuningsAreReproducible(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	tuned := func(name string, args ...string) string {
		args = append(args, "--json", "--journal", path(name+".jsonl"))
		return mustRun(t, append(quickTuning, args...)...)
	}
	first := tuned("a", "--workers", "1")
	journal := mustRead(t, path("a.jsonl"))
	var r report.Tune
	if err := json.Unmarshal([]byte(first), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Parameters) != 2 || r.Trials != 2 || r.Of != 2 || r.Pairs != 3 || len(r.Boards) != 1 {
		t.Errorf("%s", first)
	}
	if p := r.Parameters[1]; p.Name != "fpu" || p.Start != 0.2 || p.Min != 0.05 || p.Max != 0.6 || p.Step != 0.1 ||
		p.Result == 0 {
		t.Errorf("%+v", p)
	}
	rows := strings.SplitAfter(string(journal), "\n")
	writeFile(t, path("b.jsonl"), []byte(rows[0]+rows[1]+rows[2][:10]))
	if resumed := tuned("b", "--resume", "--workers", "3"); resumed != first ||
		string(mustRead(t, path("b.jsonl"))) != string(journal) {
		t.Errorf("%s after a kill, %s without", resumed, first)
	}
}

// What cannot be tuned is refused in one line that says what would be right.
func TestBadTunings(t *testing.T) {
	dir := t.TempDir()
	foreign, other := filepath.Join(dir, "foreign"), filepath.Join(dir, "other.jsonl")
	writeFile(t, foreign, []byte("mine\n"))
	mustRun(t, "tune", "--size", "5", "--player", "mcts:playouts=4,model=uniform", "--set", "cpuct", "--pairs", "1",
		"--trial", "1", "--journal", other)
	const player = "mcts:playouts=4,model=uniform"
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, statusUsage, "--player"},
		{[]string{"--player", player}, statusUsage, "--set"},
		{[]string{"--player", player, "--set", "cput"}, statusUsage, "want one of temperature "},
		{[]string{"--player", player, "--set", "cpuct", "--resume"}, statusUsage, "--journal"},
		{[]string{
			"--player", player, "--set", "cpuct", "--journal", foreign, "--resume",
		}, statusFailed, "not the journal of a tuning"},
		{[]string{
			"--player", player, "--set", "cpuct", "--journal", other, "--pairs", "1", "--trial", "1",
		}, statusFailed, "resume it"},
		{[]string{
			"--player", player, "--set", "fpu", "--journal", other, "--pairs", "1", "--trial", "1", "--resume",
		}, statusFailed, "of a tuning that depends on something else: setup["},
		{[]string{
			"--player", player, "--set", "cpuct", "--seed", "2", "--journal", other, "--pairs", "1", "--trial", "1", "--resume",
		}, statusFailed, "setup[6].value was \"1\", here \"2\""},
		{[]string{"--player", player, "--set", "cpuct", "--journal", filepath.Join(dir, "none", "x")}, statusFailed, "none"},
	} {
		refuse(t, refusal{"tune --size 5 " + strings.Join(c.args, " "), c.status, c.want})
	}
	if string(mustRead(t, foreign)) != "mine\n" {
		t.Error("a foreign file was changed")
	}
}
