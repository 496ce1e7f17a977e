package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// options returns those of a small run with rows of several kinds.
func options() selfplay.Options {
	return selfplay.Options{
		Games: 10, GamesPerShard: 4, Seed: 7, Playouts: 24, CheapPlayouts: 8, FullShare: 0.6, CheapWeight: 0.5,
		StopAtProof: true, ResignAt: 0.5, ResignTurns: 1, ResignAudit: 0.5,
	}
}

// followed makes a run whose network changes from shard to shard.
func followed(t testing.TB, dir, name string) {
	t.Helper()
	looks := 0
	s := setup()
	s.Follow = &selfplay.Follow{
		Look: func() ([]byte, error) {
			looks++
			return []byte{'n', byte(looks / 2)}, nil
		},
		Open: func(path string) (selfplay.Network, error) {
			data, err := os.ReadFile(path)
			sum := sha256.Sum256(data)
			return selfplay.Network{
				Name: "followed", SHA256: hex.EncodeToString(sum[:]),
				Evaluator: func(int, *nn.Turn) (nn.Evaluator, error) { return nn.NewMock(uint64(data[1])), nil },
			}, err
		},
		Note: func(string) {},
	}
	playAt(t, filepath.Join(dir, name), s, options())
}

// pack packs runs into a new file.
func pack(t testing.TB, open samples.CodecFunc, paths ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "runs.czpack")
	p, err := Pack(context.Background(), open, out, quiet, paths...)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(out); err != nil || info.Size() != p.Bytes || p.Rows == 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	return out
}

// tree returns the files below a folder by their paths.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// absent demands that nothing is at a path.
func absent(t testing.TB, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%s is there: %v", path, err)
	}
}

// refused demands an error of one line.
func refused(t testing.TB, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want one line with %q", err, want)
	}
}

// Runs come out byte for byte, also where this program has no rules to replay them by.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	gumbel, forced := options(), options()
	gumbel.Targets = selfplay.Targets{Gumbel: mcts.Gumbel{Considered: 4, Scale: 0.7}}
	forced.Targets = selfplay.Targets{Forced: 2}
	for name, o := range map[string]selfplay.Options{
		"all": options(), "gumbel": gumbel, "forced": forced,
		"plain": {Games: 6, GamesPerShard: 2, Playouts: 20, Seed: 1},
		"fresh": {Games: 3, GamesPerShard: 8, Playouts: 16, DropTree: true, MaxPlies: 5, Seed: 1 << 63},
	} {
		playAt(t, filepath.Join(dir, name), setup(), o)
	}
	followed(t, dir, "followed")
	want := tree(t, dir)
	none := func(*samples.Header) (samples.Codec, error) { return samples.Codec{}, errors.New("none") }
	for name, open := range map[string]samples.CodecFunc{"by the rules": openKit, "as they are": none} {
		file, out := pack(t, open, dir), filepath.Join(t.TempDir(), "deep", "out")
		got, err := Unpack(context.Background(), open, file, out, quiet)
		if err != nil || got.Runs != 6 || got.Rows == 0 || !maps.Equal(tree(t, out), want) {
			t.Errorf("%s: %+v, %d files, want %d, %v", name, got, len(tree(t, out)), len(want), err)
		}
	}
	networks := 0
	for name := range want {
		if strings.HasSuffix(name, ".onnx") {
			networks++
		}
	}
	if networks < 2 {
		t.Errorf("%d networks", networks)
	}
}

// What cannot be packed is refused in one line, and no file is made.
func TestPackRefuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"run", "unfinished", "changed", "collected", "other"} {
		playAt(t, filepath.Join(dir, name), setup(), options())
	}
	playAt(t, filepath.Join(at("twin"), "RUN"), setup(), options())
	lines := strings.SplitAfter(tree(t, at("unfinished"))["manifest.jsonl"], "\n")
	held, err := disk.LockDir(at("other"))
	if err := errors.Join(err, os.Remove(at("collected/run.json")), os.WriteFile(at("there"), []byte("mine"), 0o666),
		os.WriteFile(at("unfinished/manifest.jsonl"), []byte(lines[0]), 0o666),
		os.WriteFile(at("changed/shard-000001.msgpack.zst"), []byte("x"), 0o666), os.Mkdir(at("empty"), 0o777)); err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	for _, c := range []struct {
		paths     []string
		out, want string
	}{
		{[]string{at("unfinished")}, at("x"), "4 of 10 games are in shards"},
		{[]string{at("changed")}, at("x"), "shard-000001"},
		{[]string{at("collected")}, at("x"), "merged or filtered"},
		{[]string{at("other")}, at("x"), "is under way"},
		{[]string{at("run"), at("twin/RUN")}, at("x"), "have one name"},
		{[]string{at("run")}, at("there"), "is there already"},
		{[]string{at("empty")}, at("x"), "want a run's directory"},
		{[]string{at("none")}, at("x"), "none"},
		{[]string{at("run")}, at("none/x"), "none"},
	} {
		_, err := Pack(context.Background(), openKit, c.out, quiet, c.paths...)
		refused(t, err, c.want)
		absent(t, at("x"))
	}
	if text, err := os.ReadFile(at("there")); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}

// Files that were changed, cut or lengthened anywhere are refused in one line, and so is an
// older format; an interruption and every error leave nothing.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	playAt(t, filepath.Join(dir, "run"), setup(), options())
	file := pack(t, openKit, dir)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	path, out := filepath.Join(dir, "damaged"), filepath.Join(dir, "out")
	for i := range 300 {
		data := bytes.Clone(whole)
		at := rng.IntN(len(data))
		switch i % 4 {
		case 0, 1:
			data[at] ^= 1 << rng.IntN(8)
		case 2:
			data = data[:at]
		case 3:
			data = append(data[:at:at], append([]byte{byte(i)}, data[at:]...)...)
		}
		if bytes.Equal(data, whole) {
			continue
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Unpack(context.Background(), openKit, path, out, quiet); err == nil || strings.Contains(err.Error(),
			"\n") {
			if err == nil && maps.Equal(tree(t, filepath.Join(out, "run")), tree(t, filepath.Join(dir, "run"))) {
				os.RemoveAll(out)
				continue // in a byte that means nothing
			}
			t.Fatalf("damage %d at %d of %d: %v", i, at, len(whole), err)
		}
		absent(t, out)
	}
	if err := os.WriteFile(path, []byte(magic+"\x01\x01more"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = Unpack(context.Background(), openKit, path, out, quiet)
	refused(t, err, "version 1")
	ctx, cancel := context.WithCancel(context.Background())
	if _, err = Unpack(ctx, openKit, file, out, func(int, int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	absent(t, out)
}
