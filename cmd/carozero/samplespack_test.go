package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/front/report"
)

// files returns the content of the files below a directory by their paths.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Runs of both players, both games and several rule sets come back byte for byte.
func TestSamplesPack(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, args := range map[string]string{
		"taught":    "--player alphabeta:nodes=60,table=1 --rule caro --size 9 --games 3 --games-per-shard 2 --lines 3 --resign 0.5 --resign-audit 0.5",
		"renju":     "--player alphabeta:nodes=60,table=1,net=taught7-line16 --rule renju --size 15 --games 1 --max-plies 20",
		"weights":   "--player alphabeta:nodes=60,table=1,net=none --rule school42 --size 9 --games 1 --stop-at-proof",
		"hand":      "--player alphabeta:nodes=60,table=1,weights=hand --size 9 --games 1",
		"onitaught": "--player alphabeta:nodes=60,table=1 --game onitama --games 2",
		"tree":      "--model taught7-line16 --rule freestyle --size 9 --games 4 --playouts 16 --max-plies 30",
		"gumbel":    "--model uniform --size 7 --games 2 --playouts 16 --gumbel 4",
		"forced":    "--model uniform --rule standard --size 7 --games 2 --playouts 16 --forced-playouts 2 --cheap-playouts 4 --cheap-weight 0.5 --solver-nodes 0",
		"onitama":   "--model uniform --game onitama --games 2 --playouts 8 --max-plies 30",
	} {
		mustRun(t, append([]string{"selfplay", "--seed", "3", "--out", at("runs/" + name)}, strings.Fields(args)...)...)
	}
	want := files(t, at("runs"))
	file, out := at("runs.czpack"), at("out")
	said := mustRun(t, "samples", "pack", at("runs"), "--out", file)
	if !strings.Contains(said, ": 9 runs, 10 shards, 18 games") {
		t.Error(said)
	}
	said = mustRun(t, "samples", "unpack", file, "--out", out)
	if !strings.Contains(said, "9 runs, 10 shards, 18 games") {
		t.Error(said)
	}
	if !maps.Equal(files(t, out), want) {
		t.Error("what was unpacked has other bytes")
	}
	var l report.Archive
	if err := json.Unmarshal([]byte(mustRun(t, "samples", "unpack", file, "--list", "--json")), &l); err != nil || len(l.Runs) != 9 {
		t.Errorf("%v, %+v", err, l)
	}
	said = mustRun(t, "samples", "unpack", file, "--list")
	if !strings.Contains(said, "gomoku renju 15x15") || !strings.Contains(said, "a position, where the shards have") {
		t.Error(said)
	}
	for _, c := range []struct {
		status int
		args   string
		want   string
	}{
		{2, "samples pack " + at("runs/tree"), "--out is missing"},
		{2, "samples pack --out " + at("x"), "needs a run's directory"},
		{2, "samples unpack --out " + at("x"), "needs an archive"},
		{2, "samples unpack " + at("runs.czpack"), "--out is missing"},
		{2, "samples unpack " + at("runs.czpack") + " more --out " + at("x"), "unexpected argument more"},
		{1, "samples unpack " + at("runs.czpack") + " --out " + at("runs"), "new or empty folder"},
		{1, "samples unpack " + at("runs/tree/run.json") + " --out " + at("x"), "it does not begin as one"},
	} {
		status, _, message := run(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(message, c.want) || strings.Contains(strings.TrimSpace(message), "\n") {
			t.Errorf("%s: status %d, %q", c.args, status, message)
		}
		if _, err := os.Lstat(at("x")); err == nil {
			t.Errorf("%s wrote something", c.args)
		}
	}
}
