package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/selfplay"
)

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
