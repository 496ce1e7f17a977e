package main

import (
	"path/filepath"
	"strings"
	"testing"
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
		{"selfplay --cluster nonsense --model uniform --size 5 --games 1 --out " + t.TempDir(), 1, "host:port"},
		{"selfplay --cluster 127.0.0.1:0 --follow net.onnx --model uniform --size 5 --games 1 --out " + t.TempDir(), 2, "--follow"},
	} {
		status, _, message := run(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(message, c.want) || strings.Contains(message, "\n") {
			t.Errorf("%s: status %d, %q, want %d and %q", c.args, status, message, c.status, c.want)
		}
	}
}
