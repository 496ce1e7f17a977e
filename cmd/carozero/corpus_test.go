package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus holds files of build e468f74: a run of each rule set and player, two runs that
// were interrupted after their first shard with the digests of the whole ones, a book and
// a certificate. Files of users stay readable: nothing in it is ever made anew.
const corpus = "testdata/corpus"

// manifest reads the entries of a run's manifest.
func manifest(t *testing.T, dir string) (entries []struct {
	Rows, Games int
	SHA256      string
}) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "manifest.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		entries = append(entries, struct {
			Rows, Games int
			SHA256      string
		}{})
		if err := json.Unmarshal([]byte(line), &entries[len(entries)-1]); err != nil {
			t.Fatal(err)
		}
	}
	return entries
}

func TestCorpusIsRead(t *testing.T) {
	manifests, err := filepath.Glob(filepath.Join(corpus, "*", "manifest.jsonl"))
	if err != nil || len(manifests) < 20 {
		t.Fatalf("%d runs, want at least 20; %v", len(manifests), err)
	}
	for _, file := range manifests {
		dir := filepath.Dir(file)
		rows := 0
		for _, entry := range manifest(t, dir) {
			rows += entry.Rows
		}
		var verified struct{ Rows int }
		if err := json.Unmarshal([]byte(mustRun(t, "samples", "verify", dir, "--json")), &verified); err != nil {
			t.Fatal(err)
		}
		if verified.Rows != rows {
			t.Errorf("%s: %d rows verified, want %d", dir, verified.Rows, rows)
		}
		mustRun(t, "samples", "inspect", dir)
	}
	mustRun(t, "book", "verify", filepath.Join(corpus, "small.book"))
	mustRun(t, "certificate", "check", filepath.Join(corpus, "win.cert"))
}

// The rest of an interrupted run has the bytes that the build of the corpus gave it: a
// change of the search or of the format shows here. A run goes on with its own build only,
// so the test names itself so.
func TestCorpusIsResumed(t *testing.T) {
	defer func(v, c string) { version, commit = v, c }(version, commit)
	version, commit = "e468f74", "e468f741e79c"
	for name, player := range map[string][]string{
		"mcts":      {"--playouts", "300", "--model", "taught7-line16"},
		"alphabeta": {"--player", "alphabeta:nodes=2000"},
	} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(corpus, "interrupted-"+name))); err != nil {
			t.Fatal(err)
		}
		args := []string{"selfplay", "--resume", "--out", dir, "--size", "9", "--games", "6", "--games-per-shard", "2", "--seed", "3"}
		mustRun(t, append(args, player...)...)
		want := strings.Fields(readText(t, filepath.Join(corpus, "interrupted-"+name+".sha256")))
		entries := manifest(t, dir)
		if len(entries) != len(want) {
			t.Fatalf("%s: %d shards, want %d", name, len(entries), len(want))
		}
		for i, entry := range entries {
			if got := `"sha256":"` + entry.SHA256 + `"`; got != want[i] {
				t.Errorf("%s: shard %d has %s, want %s", name, i, got, want[i])
			}
		}
	}
}
