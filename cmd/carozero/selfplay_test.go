package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testNet is a network of a few kilobytes with the contract's inputs and
// outputs.
const testNet = "../../nn/onnx/testdata/good.onnx"

func selfplayArgs(dir string, more ...string) []string {
	return append([]string{
		"selfplay", "--model", testNet, "--size", "9", "--games", "6", "--playouts", "24",
		"--games-per-shard", "4", "--out", dir,
	}, more...)
}

// shards returns the bytes of a run's shards by name.
func shards(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "shard-*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no shards in %s: %v", dir, err)
	}
	found := map[string][]byte{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(p)] = data
	}
	return found
}

func sameShards(a, b map[string][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			return false
		}
	}
	return true
}

// The promise of the README: one seed, one set of options, the same bytes,
// with a real network and whatever the number of workers.
func TestSelfplayWritesTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	play := func(name string, more ...string) map[string][]byte {
		out := filepath.Join(dir, name)
		mustRun(t, selfplayArgs(out, more...)...)
		return shards(t, out)
	}
	one := play("one", "--workers", "1")
	if len(one) != 2 {
		t.Fatalf("%d shards, want 2", len(one))
	}
	if two := play("two", "--workers", "2"); !sameShards(one, two) {
		t.Error("1 and 2 workers write different shards")
	}
	if uncached := play("uncached", "--cache", "0"); !sameShards(one, uncached) {
		t.Error("the cache changes the shards")
	}
	if other := play("other", "--seed", "2"); sameShards(one, other) {
		t.Error("another seed writes the same shards")
	}
	mustRun(t, "samples", "verify", filepath.Join(dir, "one"), filepath.Join(dir, "other"))
	if out := mustRun(t, "samples", "inspect", filepath.Join(dir, "one")); !strings.Contains(out, "row_crc") {
		t.Errorf("inspect shows no schema:\n%s", out)
	}
}

// A used directory is resumed only when that is asked for, and with the same options.
func TestSelfplayResume(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, selfplayArgs(dir)...)
	if status, _, message := run(t, selfplayArgs(dir)...); status != statusFailed || !strings.Contains(message, "resume") {
		t.Errorf("a used directory without --resume: status %d, %s", status, message)
	}
	if status, _, message := run(t, selfplayArgs(dir, "--resume", "--seed", "9")...); status != statusFailed ||
		message == "" {
		t.Errorf("--resume with other options: status %d, %s", status, message)
	}
	name := filepath.Join(dir, "shard-000000.msgpack.zst")
	data := shards(t, dir)["shard-000000.msgpack.zst"]
	data[len(data)/2] ^= 1
	writeFile(t, name, data)
	if status, out, _ := run(t, "samples", "verify", "--json", dir); status != statusFound ||
		!strings.Contains(out, `"bad":1`) {
		t.Errorf("verify of a damaged shard: status %d, %s", status, out)
	}
}

// TestDeviceRunIsKilled kills a run on a device as soon as there are more games on disk, three
// times, and goes on with other workers, games at once and devices. Only its first process is
// told the batch.
func TestDeviceRunIsKilled(t *testing.T) {
	args := func(dir string, more ...string) []string {
		return append([]string{
			"selfplay", "--model", "simulated", "--size", "7", "--playouts", "16", "--games", "60",
			"--games-per-shard", "8", "--out", dir,
		}, more...)
	}
	dir, whole := t.TempDir(), t.TempDir()
	mustRun(t, args(whole, "--batch", "16", "--device", "7")...)
	onDisk := func() (bytes int64) {
		paths, _ := filepath.Glob(filepath.Join(dir, "*.zst*"))
		journals, _ := filepath.Glob(filepath.Join(dir, "journal*"))
		for _, path := range append(paths, journals...) {
			if info, err := os.Stat(path); err == nil {
				bytes += info.Size()
			}
		}
		return bytes
	}
	for _, more := range []string{
		"--batch 16 --workers 1", "--resume --workers 2 --at-once 64 --device 0,1", "--resume --workers 5 --at-once 8",
	} {
		before, p := onDisk(), startProgram(t, args(dir, strings.Fields(more)...))
		ended := make(chan error)
		go func() { ended <- p.Wait() }()
		for onDisk() <= before+500 {
			select {
			case err := <-ended:
				t.Fatalf("it ended before it was killed: %v: %s", err, p.said.String())
			default:
			}
		}
		if err := p.Process.Kill(); err != nil {
			t.Error(err)
		}
		<-ended
	}
	mustRun(t, args(dir, "--resume", "--workers", "3")...)
	if !sameShards(shards(t, dir), shards(t, whole)) {
		t.Error("other shards than of the run that was not killed")
	}
	mustRun(t, "samples", "verify", dir)
	status, _, message := run(t, args(dir, "--resume", "--batch", "8")...)
	if status != statusFailed || !strings.Contains(message, "device.batch") || strings.Contains(message, "\n") {
		t.Errorf("another batch: status %d, %q", status, message)
	}
}

// Games of the classical search are the same bytes for any number of workers, on
// every rule set and in Onitama, and verify like others.
func TestSelfplayOfTheClassicalSearch(t *testing.T) {
	dir := t.TempDir()
	for _, of := range [][]string{
		{"--rule", "caro", "--size", "9"},
		{"--rule", "renju", "--size", "9", "--lines", "3"},
		{"--rule", "school42", "--size", "8"},
		{"--game", "onitama", "--max-plies", "40"},
	} {
		play := func(name string, more ...string) map[string][]byte {
			out := filepath.Join(dir, of[1]+name)
			args := append([]string{
				"selfplay", "--player", "alphabeta:nodes=60", "--games", "5", "--games-per-shard", "3", "--out", out,
			}, of...)
			mustRun(t, append(args, more...)...)
			mustRun(t, "samples", "verify", out)
			return shards(t, out)
		}
		one := play("one", "--workers", "1")
		if two := play("two", "--workers", "3"); !sameShards(one, two) {
			t.Errorf("%v: 1 and 3 workers write different shards", of)
		}
		if other := play("other", "--seed", "9"); sameShards(one, other) {
			t.Errorf("%v: another seed writes the same shards", of)
		}
	}
}

// A followed file is played with once it is there and whole, and a resume repeats
// what was recorded.
func TestSelfplayFollows(t *testing.T) {
	dir := t.TempDir()
	good, err := os.ReadFile(testNet)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "net.onnx")
	args := func(out string, more ...string) []string {
		return append([]string{"selfplay", "--model", "uniform", "--size", "7", "--games", "4", "--playouts", "12",
			"--games-per-shard", "2", "--workers", "1", "--follow", file, "--out", filepath.Join(dir, out)}, more...)
	}
	record := func(out string) string {
		text, err := os.ReadFile(filepath.Join(dir, out, "networks.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if out := mustRun(t, args("none")...); strings.Count(out, "net.onnx holds no network to go on with") != 1 {
		t.Errorf("no line about a file that is not there, or more than one:\n%s", out)
	}
	writeFile(t, file, good[:len(good)/2])
	if out := mustRun(t, args("damaged")...); strings.Count(out, "net.onnx holds no network to go on with") != 1 {
		t.Errorf("no line about a damaged file, or more than one:\n%s", out)
	}
	if record("none") != record("damaged") || strings.Count(record("none"), `"model":"uniform"`) != 2 {
		t.Errorf("%s%s", record("none"), record("damaged"))
	}
	writeFile(t, file, good)
	mustRun(t, args("good")...)
	if strings.Count(record("good"), `"model":"net.onnx"`) != 2 {
		t.Error(record("good"))
	}
	writeFile(t, file+".sha256", []byte(strings.Repeat("0", 64)))
	if out := mustRun(t, args("other")...); !strings.Contains(out, "says another") {
		t.Errorf("a digest that is not the file's: %s", out)
	}
	for _, out := range []string{"none", "damaged", "good", "other"} {
		mustRun(t, "samples", "verify", filepath.Join(dir, out))
	}
	// The file is gone, and so is the second shard: it is played as it was.
	want := shards(t, filepath.Join(dir, "good"))
	if err := os.Remove(filepath.Join(dir, "good", "shard-000001.msgpack.zst")); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(dir, "good", "manifest.jsonl")
	lines, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, manifest, lines[:bytes.IndexByte(lines, '\n')+1])
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	mustRun(t, args("good", "--resume")...)
	if !sameShards(want, shards(t, filepath.Join(dir, "good"))) {
		t.Error("a resumed run plays a shard with another network than was recorded")
	}
	if status, _, message := run(t, args("again", "--model", file)...); status != statusUsage ||
		!strings.Contains(message, "--follow") {
		t.Errorf("status %d: %s", status, message)
	}
}

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
		{"samples unpack " + at("runs.czpack") + " more --out " + at("x"), 2, "unexpected argument more"},
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
