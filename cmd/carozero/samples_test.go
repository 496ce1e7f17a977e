package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run whose games end by proofs verifies, and is exported.
func TestSamplesOfARun(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "selfplay", "--player", "alphabeta:nodes=200,table=1", "--rule", "freestyle", "--size", "9", "--games", "8",
		"--games-per-shard", "4", "--seed", "3", "--stop-at-proof", "--out", at("run"))
	if out := mustRun(t, "samples", "inspect", "--json", at("run")); !strings.Contains(out, `"proven":`) {
		t.Fatalf("no game ends by a proof: %s", out)
	}
	if out := mustRun(t, "samples", "verify", at("run")); !strings.Contains(out, "verified") {
		t.Error(out)
	}
	if out := mustRun(t, "samples", "verify", "--json", at("run")); !strings.Contains(out, `"problems":[]`) {
		t.Error(out)
	}
	mustRun(t, "samples", "export", at("run"), "--out", at("npz"))
	if _, err := os.Stat(at("npz/rows-000001.npz")); err != nil {
		t.Error(err)
	}
	refuse(t, []refusal{
		{"samples export --out " + at("x"), 2, "needs a run's directory"},
		{"samples export " + at("run"), 2, "--out is missing"},
		{"samples export " + at("run") + " --out " + at("npz"), 1, "new or empty folder"},
		{"samples export " + at("run") + " " + at("none") + " --out " + at("x"), 1, "want a run's directory"},
	}...)
}

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
		"taught": "--player alphabeta:nodes=60,table=1 --rule caro --size 9 --games 3 --games-per-shard 2 --lines 3 " +
			"--resign 0.5 --resign-audit 0.5",
		"renju":     "--player alphabeta:nodes=60,table=1,net=taught7-line16 --rule renju --size 15 --games 1 --max-plies 20",
		"weights":   "--player alphabeta:nodes=60,table=1,net=none --rule school42 --size 9 --games 1 --stop-at-proof",
		"hand":      "--player alphabeta:nodes=60,table=1,weights=hand --size 9 --games 1",
		"onitaught": "--player alphabeta:nodes=60,table=1 --game onitama --games 2",
		"tree":      "--model taught7-line16 --rule freestyle --size 9 --games 4 --playouts 16 --max-plies 30",
		"gumbel":    "--model uniform --size 7 --games 2 --playouts 16 --gumbel 4",
		"forced": "--model uniform --rule standard --size 7 --games 2 --playouts 16 --forced-playouts 2 " +
			"--cheap-playouts 4 --cheap-weight 0.5 --solver-nodes 0",
		"onitama": "--model uniform --game onitama --games 2 --playouts 8 --max-plies 30",
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
	refuse(t, []refusal{
		{"samples pack " + at("runs/tree"), 2, "--out is missing"},
		{"samples pack --out " + at("x"), 2, "needs a run's directory"},
		{"samples unpack --out " + at("x"), 2, "want an archive"},
		{"samples unpack " + at("runs.czpack"), 2, "--out is missing"},
		{"samples unpack " + at("runs.czpack") + " more --out " + at("x"), 2, "want an archive"},
		{"samples unpack " + at("runs.czpack") + " --out " + at("runs"), 1, "new or empty folder"},
		{"samples unpack " + at("runs/tree/run.json") + " --out " + at("x"), 1, "it does not begin as one"},
	}...)
}

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
		readPrinted(t, &verified, "samples", "verify", dir, "--json")
		if verified.Rows != rows {
			t.Errorf("%s: %d rows verified, want %d", dir, verified.Rows, rows)
		}
		mustRun(t, "samples", "inspect", dir)
	}
	mustRun(t, "book", "verify", filepath.Join(corpus, "small.book"))
	mustRun(t, "certificate", "check", filepath.Join(corpus, "win.cert"))
}

// The rest of an interrupted run has the bytes that the build of the corpus gave it, in games
// of the classical search those of the first build without the technique improving: a change
// of the search or of the format shows here. A run goes on with its own build only, so the
// test names itself so.
func TestCorpusIsResumed(t *testing.T) {
	defer func(v, c string) { version, commit = v, c }(version, commit)
	version, commit = "e468f74", "e468f741e79c"
	for name, player := range map[string][]string{
		"mcts":      {"--playouts", "300", "--model", "taught7-line16", "--leaf-solver", "vcf"},
		"alphabeta": {"--player", "alphabeta:nodes=2000"},
	} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(corpus, "interrupted-"+name))); err != nil {
			t.Fatal(err)
		}
		args := []string{"selfplay", "--resume", "--out", dir, "--size", "9", "--games", "6", "--games-per-shard", "2",
			"--seed", "3"}
		mustRun(t, append(args, player...)...)
		want := strings.Fields(string(mustRead(t, filepath.Join(corpus, "interrupted-"+name+".sha256"))))
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
