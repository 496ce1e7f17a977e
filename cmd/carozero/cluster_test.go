package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/cluster"
)

// TestClusterCommands plays a run alone, with workers let in, and by a coordinator, and
// wants the same bytes.
func TestClusterCommands(t *testing.T) {
	play := func(dir string, command ...string) map[string][]byte {
		args := append(command, "--model", "uniform", "--size", "6", "--rule", "freestyle", "--games", "6", "--playouts", "8", "--games-per-shard", "4",
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
	if got := play(dealt, "cluster", "coordinator", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--log", filepath.Join(dir, "log")); !sameShards(got, want) {
		t.Error("those of a coordinator have other bytes")
	}
	if _, err := readToken(filepath.Join(dealt, "cluster", "token")); err != nil {
		t.Error(err)
	}
}

func TestClusterUsage(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	writeFile(t, token, []byte("0123456789abcdef\n"))
	short := filepath.Join(t.TempDir(), "token")
	writeFile(t, short, []byte("short"))
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"cluster nonsense", 2, "coordinator"},
		{"cluster worker", 2, "--token-file"},
		{"cluster worker --token-file " + short, 1, "--token-file"},
		{"cluster worker --name ../x --token-file " + token, 2, "--name"},
		{"cluster worker --tls-cert a --token-file " + token, 2, "--tls-key"},
		{"cluster status", 2, "--token-file"},
		{"cluster status --connect nats://127.0.0.1:1 --token-file " + token, 1, "127.0.0.1:1"},
		{"cluster status --group a.b --token-file " + token, 2, "--group"},
		{"cluster coordinator", 2, "--out"},
		{"cluster coordinator --model uniform --size 5 --games 1 --listen 127.0.0.1:0 --tls-ca " + token + " --out " + t.TempDir(), 2, "--tls-cert"},
		{"cluster coordinator --model uniform --size 5 --games 1 --listen 127.0.0.1:0 --creds " + token + " --out " + t.TempDir(), 2, "--nats"},
		{"cluster status --creds " + os.DevNull, 1, "--creds"},
		{"cluster status --tls-ca " + os.DevNull + " --token-file " + token, 1, "--tls-ca"},
		{"cluster status --tls-cert " + os.DevNull + " --tls-key " + token, 1, "--tls-cert"},
		{"cluster status --tls-cert " + token + " --tls-key " + os.DevNull, 1, "--tls-key"},
		{"cluster status --tls-cert " + token + " --tls-key " + token, 1, "--tls-key"},
		{"cluster status --tls-ca " + token + " --token-file " + token, 1, "holds no certificate"},
		{"cluster worker --token-file " + os.DevNull, 1, "--token-file"},
		{"cluster token nonsense", 2, "revoke"},
		{"cluster token add", 2, "the name of one token"},
		{"cluster token add alice", 2, "--out"},
		{"cluster token add a@b --out " + t.TempDir(), 2, "name"},
		{"cluster token add alice --out " + token, 1, "no directory"},
		{"cluster token revoke alice --out " + t.TempDir(), 1, "alice"},
		{"cluster token list --out " + filepath.Join(t.TempDir(), "none"), 1, "not there"},
		{"selfplay --cluster nonsense --model uniform --size 5 --games 1 --out " + t.TempDir(), 1, "host:port"},
		{"selfplay --cluster 127.0.0.1:0 --follow net.onnx --model uniform --size 5 --games 1 --out " + t.TempDir(), 2, "--follow"},
	} {
		status, _, message := run(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(message, c.want) || strings.Contains(message, "\n") {
			t.Errorf("%s: status %d, %q, want %d and %q", c.args, status, message, c.status, c.want)
		}
	}
}

// TestClusterTokens makes tokens, lists them and takes one back.
func TestClusterTokens(t *testing.T) {
	dir := t.TempDir()
	token := mustRun(t, "cluster", "token", "add", "alice", "--out", dir)
	path := filepath.Join(t.TempDir(), "alice.token")
	writeFile(t, path, []byte(token))
	if _, err := readToken(path); err != nil {
		t.Errorf("%q: %v", token, err)
	}
	mustRun(t, "cluster", "token", "add", "bob", "--out", dir)
	mustRun(t, "cluster", "token", "revoke", "alice", "--out", dir)
	list := mustRun(t, "cluster", "token", "list", "--out", dir)
	if lines := strings.Split(list, "\n"); len(lines) != 3 || !strings.HasPrefix(lines[0], "alice") || !strings.Contains(lines[0], "revoked 2") ||
		!strings.HasPrefix(lines[1], "bob") || !strings.Contains(lines[1], "added 2") {
		t.Errorf("%q", list)
	}
	if status, _, message := run(t, "cluster", "token", "add", "alice", "--out", dir); status != 1 || !strings.Contains(message, "used before") {
		t.Errorf("status %d, %q", status, message)
	}
	if text := mustRun(t, "cluster", "token", "list", "--json", "--out", dir); strings.Contains(text, strings.TrimSpace(token)) || !strings.Contains(text, `"sha256"`) {
		t.Errorf("%s", text)
	}
}

// TestEmptyTokenIsMended wants a token that a full disk has left empty to be made anew, and
// one that somebody wrote to be left alone.
func TestEmptyTokenIsMended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster", "token")
	for _, text := range []string{"none", "", "\n"} {
		if text != "none" {
			writeFile(t, path, []byte(text))
		}
		made, err := makeToken(path)
		if err != nil {
			t.Fatal(err)
		}
		if read, err := makeToken(path); err != nil || read != made || len(made) < leastToken {
			t.Errorf("after %q: %q and %q, error %v", text, made, read, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
	writeFile(t, path, []byte("short"))
	if token, err := makeToken(path); err == nil {
		t.Errorf("what somebody wrote became %q", token)
	}
}

// TestWorkersOfOneHost wants two workers of one machine to have different names, that pass.
func TestWorkersOfOneHost(t *testing.T) {
	for host, want := range map[string]string{"box": "box-7", "box.example.org": "box-7", strings.Repeat("x", 60): strings.Repeat("x", 38) + "-7"} {
		name := defaultName(host, 7)
		if err := cluster.CheckName(name); name != want || err != nil || name == defaultName(host, 8) {
			t.Errorf("%s: %q, %v", host, name, err)
		}
	}
}

// TestSecondCoordinator wants a second coordinator of a run to be refused with one line,
// on whatever port.
func TestSecondCoordinator(t *testing.T) {
	dir := t.TempDir()
	s, err := cluster.StartServer(cluster.ServerOptions{Dir: filepath.Join(dir, "cluster", "jetstream"), Addr: "127.0.0.1:0", Group: cluster.DefaultGroup})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	status, _, message := run(t, "cluster", "coordinator", "--listen", "127.0.0.1:0", "--model", "uniform", "--size", "5", "--games", "1", "--out", dir)
	if status != 1 || !strings.Contains(message, "is in use") || strings.Contains(message, "\n") {
		t.Errorf("status %d, %q", status, message)
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
	if r := (&clusterRun{}); !r.exact() {
		t.Error("a teacher's games are not exact")
	}
	for model, want := range map[string]bool{"uniform": true, "taught7-line16": true, testNet: false} {
		n, err := loader.Open(v, model)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		if r := (&clusterRun{net: n}); r.exact() != want {
			t.Errorf("%s: exact %v", model, !want)
		}
		if r := (&clusterRun{net: n, config: cluster.Config{Follow: true}}); r.exact() {
			t.Errorf("%s: exact, and followed", model)
		}
	}
}
