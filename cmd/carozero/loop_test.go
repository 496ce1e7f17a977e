package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/loop"
)

// asTrainer is the first argument under which the test binary is a trainer: it
// copies a network of the tests to {net}.
const asTrainer = "fake-trainer"

// loopKills is how many loops are killed at a random moment.
var loopKills = flag.Int("loopkills", 1, "times that a loop is killed at a random moment")

// fakeTrainer copies one of two networks, by the round.
func fakeTrainer(args []string) int {
	folder, round, onnx := args[0], args[1], args[2]
	name := "good.onnx"
	if round == "2" {
		name = "other.onnx"
	}
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err == nil {
		err = os.WriteFile(onnx, data, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// loopConfig writes the configuration of a small loop: a teacher's games, then the
// network's, on two boards. more stands at its end.
func loopConfig(t *testing.T, more string) string {
	t.Helper()
	models, err := filepath.Abs("../../nn/onnx/testdata")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`
rounds = 2
workers = 2
cache_mib = 1
[[games]]
until = 1
rule = "freestyle"
size = 5
player = "alphabeta:nodes=30,table=1"
games = 4
games_per_shard = 2
opening_max = 4
[[games]]
from = 2
rule = "caro"
size = 6
player = "mcts:playouts=6,memory=1,solver=10"
games = 3
games_per_shard = 2
opening_max = 4
[gate]
first = "nothing"
games = 16
batch = 4
playouts = 3
[trainer]
train = [%q, %q, %q, "{round}", "{net}"]
limit = "1m"
`, os.Args[0], asTrainer, models) + more
	path := filepath.Join(t.TempDir(), "loop.toml")
	writeFile(t, path, []byte(text))
	return path
}

// smallestLoop writes the configuration of a loop that promotes whatever its
// trainer makes.
func smallestLoop(t *testing.T) string {
	t.Helper()
	models, err := filepath.Abs("../../nn/onnx/testdata")
	if err != nil {
		t.Fatal(err)
	}
	return smallestLoopOf(t, "uniform", loop.KindONNX, models, "alphabeta:nodes=10,table=1")
}

// smallestLoopOf is smallestLoop with the network that it starts with, the kind of
// those in the trainer's folder, and the player.
func smallestLoopOf(t *testing.T, start, kind, folder, player string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "loop.toml")
	writeFile(t, path, fmt.Appendf(nil, `
rounds = 1
workers = 1
start = %q
[[games]]
rule = "freestyle"
size = 5
player = %q
games = 1
[gate]
games = 0
[trainer]
network = %q
train = [%q, %q, %q, "{round}", "{net}"]
`, start, player, kind, os.Args[0], asTrainer, folder))
	return path
}

// loopFiles returns the files of a loop that any other of the same configuration
// has too, with lines that may stand in any order sorted.
func loopFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || slices.Contains([]string{"state.json", "manifest.jsonl", "trainer.log", "run.lock"},
			d.Name()) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		lines := strings.Split(string(data), "\n")
		if filepath.Ext(name) == ".jsonl" {
			slices.Sort(lines)
		}
		// Rows name the file that a position comes from.
		files[name] = strings.ReplaceAll(strings.Join(lines, "\n"), dir, "DIR")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A loop from its configuration to its status, and the same bytes whatever the
// number of workers and however often it is killed.
func TestLoop(t *testing.T) {
	config := loopConfig(t, "")
	dir := filepath.Join(t.TempDir(), "loop")
	start := time.Now()
	alone := startProgram(t, []string{"loop", "run", dir, "--config", config, "--workers", "1"})
	if err := alone.Wait(); err != nil {
		t.Fatalf("%v: %s", err, alone.said.String())
	}
	took := time.Since(start)
	for _, want := range []string{"round 1: 4 games, ", "round 1: candidate 804ca0a0497f",
		"round 1: promoted: no match was asked for", "round 2: "} {
		if !strings.Contains(alone.said.String(), "carozero: "+want) {
			t.Errorf("%q is not said:\n%s", want, alone.said.String())
		}
	}
	checkLoop(t, dir)
	want := loopFiles(t, dir)
	for kill := range *loopKills {
		rng := rand.New(rand.NewPCG(uint64(kill), 5))
		other := filepath.Join(t.TempDir(), "loop")
		args := []string{"loop", "run", other, "--config", config}
		for range 3 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rng.Float64()*float64(took)))
			cmd := exec.CommandContext(ctx, os.Args[0], args...)
			cmd.Env = program().Env
			out, err := cmd.CombinedOutput()
			cancel()
			if err != nil && exitOf(cmd) > 0 {
				t.Fatalf("kill %d: %v: %s", kill, err, out)
			}
		}
		last := startProgram(t, args)
		if err := last.Wait(); err != nil {
			t.Fatalf("kill %d: it cannot go on: %v: %s", kill, err, last.said.String())
		}
		if got := loopFiles(t, other); !maps.Equal(got, want) {
			for name := range got {
				if text, ok := want[name]; !ok {
					t.Errorf("kill %d: %s is there, and should not be", kill, name)
				} else if got[name] != text {
					t.Errorf("kill %d: %s has other bytes", kill, name)
				}
			}
			for name := range want {
				if _, ok := got[name]; !ok {
					t.Errorf("kill %d: %s is missing", kill, name)
				}
			}
		}
	}
}

// checkLoop looks at a finished loop as its user does.
func checkLoop(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"round-0001/samples/01-freestyle-5", "round-0002/samples/02-caro-6"} {
		mustRun(t, "samples", "verify", filepath.Join(dir, name))
	}
	st := printed[loop.Status](t, "loop", "status", dir, "--json")
	if st.Done != 2 || len(st.List) != 2 || st.List[0].Games.Games != 4 || st.List[1].Games.Games != 3 ||
		st.Best == 0 || st.List[1].Verdict.Match == nil {
		t.Errorf("%+v", st)
	}
	if text := mustRun(t, "loop", "status", dir); !strings.Contains(text, "2 of 2 rounds, best: round ") ||
		strings.Count(text, "\n") != 4 {
		t.Errorf("%s", text)
	}
	mustRun(t, "models", "verify", filepath.Join(dir, "best.onnx"))
}

// A loop of line networks keeps them as such, and needs no runtime.
func TestLoopOfLineNetworks(t *testing.T) {
	data, _, err := models.Open("taught7-line16")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range []string{"good.onnx", "other.onnx"} {
		writeFile(t, filepath.Join(folder, name), data)
	}
	config := smallestLoopOf(t, "taught7-line16", loop.KindLine, folder, "mcts:playouts=4,memory=1")
	dir := filepath.Join(t.TempDir(), "loop")
	out := mustRun(t, "loop", "run", dir, "--config", config, "--onnxruntime", "none")
	if !strings.Contains(out, "round 1: promoted: ") {
		t.Errorf("%s", out)
	}
	for _, name := range []string{"start.line", "best.line", filepath.Join("round-0001", "net.line")} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s is another, %v", name, err)
		}
	}
	mustRun(t, "models", "verify", filepath.Join(dir, "best.line"))
	// A network's kind is what it is, and one of another kind is no candidate.
	other := filepath.Join(t.TempDir(), "loop")
	out = mustRun(t, "loop", "run", other, "--config", smallestLoopOf(t, "taught7-line16", loop.KindONNX, folder,
		"mcts:playouts=4,memory=1"), "--onnxruntime", "none")
	if _, err := os.Stat(filepath.Join(other, "start.line")); err != nil || !strings.Contains(out,
		`it is of kind "line", want "onnx" as trainer.network says`) {
		t.Errorf("%s, %v", out, err)
	}
	if out := mustRun(t, "loop", "run", dir, "--config", config, "--rounds", "2", "--onnxruntime",
		"none"); !strings.Contains(out, "round 2: promoted: ") {
		t.Errorf("%s", out)
	}
}

// TestClusterCommands plays a run alone, with workers let in, and by a coordinator, and
// wants the same bytes.
func TestClusterCommands(t *testing.T) {
	play := func(dir string, command ...string) map[string][]byte {
		args := append(command, "--model", "uniform", "--size", "6", "--rule", "freestyle", "--games", "6",
			"--playouts", "8", "--games-per-shard", "4",
			"--workers", "1", "--seed", "3", "--out", dir)
		mustRun(t, args...)
		return shards(t, dir)
	}
	dir := t.TempDir()
	want := play(filepath.Join(dir, "alone"), "selfplay")
	if got := play(filepath.Join(dir, "helped"), "selfplay", "--cluster", "127.0.0.1:0"); !sameShards(got, want) {
		t.Error("with --cluster the shards have other bytes")
	}
	dealt := filepath.Join(dir, "dealt")
	if got := play(dealt, "cluster", "coordinator", "--listen", "127.0.0.1:0"); !sameShards(got, want) {
		t.Error("those of a coordinator have other bytes")
	}
	if _, err := readToken(filepath.Join(dealt, "cluster", "token")); err != nil {
		t.Error(err)
	}
}

// TestMakeToken wants a token to be made once, for its owner only.
func TestMakeToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster", "token")
	made, err := makeToken(path)
	if err != nil {
		t.Fatal(err)
	}
	if read, err := makeToken(path); err != nil || read != made || len(made) < minToken {
		t.Errorf("%q and %q, error %v", made, read, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	writeFile(t, path, []byte("short"))
	if token, err := makeToken(path); err == nil {
		t.Errorf("what somebody wrote became %q", token)
	}
}

// Machines of different kinds must play the same bytes unless a network says that its
// results differ there, or another may take its place.
func TestClusterIsExact(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{Size: 7})
	if err != nil {
		t.Fatal(err)
	}
	loader := networks.NewLoader(networks.LoaderOptions{Env: os.Getenv("CAROZERO_ONNXRUNTIME"), Threads: 1})
	if p := (&selfplay.Playing{}); !p.Exact() {
		t.Error("a teacher's games are not exact")
	}
	for model, want := range map[string]bool{"uniform": true, "taught7-line16": true, testNet: false} {
		n, err := loader.Open(v, model)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		if p := (&selfplay.Playing{Net: n}); p.Exact() != want {
			t.Errorf("%s: exact %v", model, !want)
		}
		if p := (&selfplay.Playing{Net: n, Run: selfplay.Run{Follow: true}}); p.Exact() {
			t.Errorf("%s: exact, and followed", model)
		}
	}
}
