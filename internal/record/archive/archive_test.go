package archive

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

	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// variants are runs with the options that change what is in a shard.
func variants() map[string]selfplay.Options {
	return map[string]selfplay.Options{
		"all":   options(nil),
		"plain": {Games: 6, GamesPerShard: 2, Playouts: 20, Seed: 1},
		"gumbel": options(func(o *selfplay.Options) {
			o.Targets = selfplay.Targets{Gumbel: mcts.Gumbel{Considered: 4, Scale: 0.7}}
		}),
		"forced": options(func(o *selfplay.Options) { o.Targets = selfplay.Targets{Forced: 2} }),
		"fresh":  {Games: 3, GamesPerShard: 8, Playouts: 16, DropTree: true, MaxPlies: 5, Seed: 1 << 63, Opening: selfplay.Opening{MinPlies: 1, MaxPlies: 2}},
	}
}

// What is packed comes out byte for byte, from either kind, and verifies.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for name, o := range variants() {
		play(t, dir, name, setup(3), o)
	}
	want := tree(t, dir)
	for _, kind := range []Kind{Games, Columns} {
		out := filepath.Join(t.TempDir(), "deep", "out")
		file := pack(t, kind, dir)
		got, err := Unpack(context.Background(), disk{}, openKit, unpacking(), file, out, quiet)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if !maps.Equal(tree(t, out), want) {
			t.Errorf("%s: other files: %d, want %d", kind, len(tree(t, out)), len(want))
		}
		if got.Runs != len(variants()) || got.Rows == 0 || got.Found > 0 {
			t.Errorf("%+v", got)
		}
		for name := range variants() {
			r, err := samples.Verify(context.Background(), disk{}, openKit, 5, filepath.Join(out, name))
			if err != nil || r.Bad > 0 {
				t.Errorf("%s: %v, %v", name, err, r.Problems)
			}
		}
		if again := pack(t, kind, dir); !same(t, file, again) {
			t.Errorf("%s: packed again it has other bytes", kind)
		}
	}
}

func same(t testing.TB, one, two string) bool {
	t.Helper()
	a, err := os.ReadFile(one)
	b, err2 := os.ReadFile(two)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	return bytes.Equal(a, b)
}

// followed makes a run whose network changes from shard to shard.
func followed(t testing.TB, dir, name string) {
	t.Helper()
	looks := 0
	s := setup(3)
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
				Evaluator: func(int) (nn.Evaluator, error) { return nn.NewMock(uint64(data[1])), nil },
			}, err
		},
		Note: func(string) {},
	}
	play(t, dir, name, s, options(nil))
}

// A run with several networks keeps them in an archive of columns, and is refused by
// one of games.
func TestSeveralNetworks(t *testing.T) {
	dir := t.TempDir()
	play(t, dir, "before", setup(3), options(nil))
	followed(t, dir, "followed")
	play(t, dir, "later", setup(3), options(nil))
	out := filepath.Join(t.TempDir(), "out")
	if _, err := Unpack(context.Background(), disk{}, openKit, unpacking(), pack(t, Columns, dir), out, quiet); err != nil {
		t.Fatal(err)
	}
	want := tree(t, dir)
	if !maps.Equal(tree(t, out), want) {
		t.Errorf("%d files, want %d", len(tree(t, out)), len(want))
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
	file := filepath.Join(t.TempDir(), "x")
	_, err := Pack(context.Background(), disk{}, openKit, PackOptions{Plan: replayer{seed: 3}.plan}, file, quiet, dir)
	oneLine(t, err, "one after the other (follow), and cannot be played again: pack it with columns")
	_, err = Pack(context.Background(), disk{}, openKit, PackOptions{Plan: replayer{seed: 3}.plan, Naming: bracketed}, file, quiet, dir)
	oneLine(t, err, "one after the other (<follow>), and cannot be played again: pack it with <columns>")
	absent(t, file)
}

// bracketed is the naming of a front that writes options as <key>.
func bracketed(key string) string { return "<" + key + ">" }

// oneLine demands an error of one line that holds a text.
func oneLine(t testing.TB, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want one line with %q", err, want)
	}
}

// A program whose search has changed is found at a game that differs.
func TestOtherGames(t *testing.T) {
	dir := t.TempDir()
	play(t, dir, "run", setup(3), options(nil))
	out := filepath.Join(t.TempDir(), "out")
	o := unpacking()
	o.Player, o.Naming = replayer{seed: 4}, bracketed
	_, err := Unpack(context.Background(), disk{}, openKit, o, pack(t, Games, dir), out, quiet)
	oneLine(t, err, "run: game ")
	oneLine(t, err, "is another one here; made by carozero 0.1 (commit abcdef): check that version out to unpack it, or pack it with <columns>")
	absent(t, out)
	o.Player = replayer{missing: errors.New("no such network")}
	_, err = Unpack(context.Background(), disk{}, openKit, o, pack(t, Games, dir), out, quiet)
	oneLine(t, err, "no such network")
	absent(t, out)
}

// What cannot be packed is refused in one line, and no file is made.
func TestPackRefuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	play(t, dir, "run", setup(3), options(nil))
	play(t, at("other"), "RUN", setup(3), options(nil))
	play(t, dir, "unfinished", setup(3), options(nil))
	play(t, dir, "changed", setup(3), options(nil))
	play(t, dir, "unlike", setup(3), options(nil))
	lines := strings.SplitAfter(tree(t, at("unfinished"))["manifest.jsonl"], "\n")
	damage := map[string]string{
		at("unfinished/manifest.jsonl"):        lines[0],
		at("changed/shard-000001.msgpack.zst"): "x",
		at("unlike/run.json"):                  strings.Replace(tree(t, at("unlike"))["run.json"], `"playouts": 24`, `"playouts": 25`, 1),
		at("collected/manifest.jsonl"):         "",
		at("there"):                            "mine",
		at("empty/nothing"):                    "",
	}
	for path, text := range damage {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	held, err := samples.Disk{}.Lock(at("other/RUN"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paths []string
		out   string
		want  string
	}{
		{[]string{at("unfinished")}, at("x"), "4 of 10 games are in shards"},
		{[]string{at("changed")}, at("x"), "shard-000001"},
		{[]string{at("unlike")}, at("x"), "search.playouts"},
		{[]string{at("collected")}, at("x"), "merged or filtered"},
		{[]string{at("other")}, at("x"), "is under way"},
		{[]string{at("run"), at("run")}, at("x"), "have one name"},
		{[]string{at("run")}, at("there"), "is there already"},
		{[]string{at("empty")}, at("x"), "want a run's directory"},
		{[]string{at("none")}, at("x"), "none"},
		{[]string{at("run")}, at("none/x"), "none"},
	} {
		_, err := Pack(context.Background(), samples.Disk{}, openKit, PackOptions{Kind: Columns}, c.out, quiet, c.paths...)
		oneLine(t, err, c.want)
		absent(t, at("x"))
	}
	if text, err := os.ReadFile(at("there")); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = Pack(context.Background(), disk{}, openKit, PackOptions{Kind: Columns}, at("x"), quiet, at("run"), at("other"))
	oneLine(t, err, "have one name")
	o := PackOptions{Naming: bracketed, Plan: func(h *samples.Header, p samples.Plan) (samples.Run, error) {
		h.Search = append(h.Search, samples.Field{Key: "new", Value: true})
		return samples.Run{Header: *h, Layout: p.Layout, Games: p.Games, GamesPerShard: p.GamesPerShard}, nil
	}}
	_, err = Pack(context.Background(), disk{}, openKit, o, at("x"), quiet, at("run"))
	oneLine(t, err, "cannot be played again from its options, pack it with <columns>: the directory")
	absent(t, at("x"))
}

// A directory that holds anything else is left alone, and so is one without room.
func TestUnpackRefuses(t *testing.T) {
	dir := t.TempDir()
	play(t, dir, "run", setup(3), options(nil))
	file := pack(t, Columns, dir)
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "mine"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Unpack(context.Background(), disk{}, openKit, unpacking(), file, out, quiet)
	oneLine(t, err, "new or empty")
	if got := tree(t, out); len(got) != 1 {
		t.Errorf("%v", got)
	}
	o := unpacking()
	o.Free = func(string) (int64, error) { return 1 << 20, nil }
	out = filepath.Join(out, "new")
	_, err = Unpack(context.Background(), disk{}, openKit, o, file, out, quiet)
	oneLine(t, err, "MiB free")
	absent(t, out)
	_, err = Unpack(context.Background(), disk{}, openKit, unpacking(), dir, out, quiet)
	oneLine(t, err, dir)
	absent(t, out)
	_, err = Unpack(context.Background(), disk{}, openKit, unpacking(), filepath.Join(dir, "none"), out, quiet)
	oneLine(t, err, "none")
	absent(t, out)
}

// Files that were changed, cut or lengthened anywhere are refused in one line, and
// nothing is written.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	play(t, dir, "run", setup(3), options(nil))
	whole, err := os.ReadFile(pack(t, Columns, dir))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	path, out := filepath.Join(dir, "damaged"), filepath.Join(dir, "out")
	for i := range 1000 {
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
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Unpack(context.Background(), disk{}, openKit, unpacking(), path, out, quiet)
		if !errors.Is(err, ErrArchive) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("damage %d at %d: %v", i, at, err)
		}
		absent(t, out)
	}
}

// sealed returns data with the digest that it has.
func sealed(data []byte) []byte {
	data = bytes.Clone(data[:max(0, len(data)-sha256.Size)])
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// Somebody who can compute digests gets no further: what such a file unpacks to are
// the shards that it says, or nothing.
func TestHostile(t *testing.T) {
	dir := t.TempDir()
	play(t, dir, "run", setup(3), selfplay.Options{Games: 2, GamesPerShard: 2, Playouts: 12, Seed: 2})
	rng := rand.New(rand.NewPCG(3, 4))
	for _, kind := range []Kind{Columns, Games} {
		whole, err := os.ReadFile(pack(t, kind, filepath.Join(dir, "run")))
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for range 150 {
			data := bytes.Clone(whole)
			for range 1 + rng.IntN(3) {
				data[headBytes+rng.IntN(len(data)-headBytes-tailBytes)] = byte(rng.Uint32())
			}
			if hostile(t, sealed(data)) {
				refused++
			}
		}
		if refused < 100 {
			t.Errorf("%s: %d of 150 were refused", kind, refused)
		}
	}
}

// hostile unpacks a file and reports whether it was refused; then nothing is there.
func hostile(t testing.TB, data []byte) bool {
	t.Helper()
	dir := t.TempDir()
	path, out := filepath.Join(dir, "file"), filepath.Join(dir, "out")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Unpack(context.Background(), disk{}, openKit, unpacking(), path, out, quiet)
	if err == nil {
		return false
	}
	if strings.Contains(err.Error(), "\n") {
		t.Fatalf("more than a line: %v", err)
	}
	absent(t, out)
	return true
}

func FuzzUnpack(f *testing.F) {
	dir := f.TempDir()
	play(f, dir, "run", setup(3), selfplay.Options{Games: 2, GamesPerShard: 2, Playouts: 12, Seed: 2})
	for _, kind := range []Kind{Columns, Games} {
		data, err := os.ReadFile(pack(f, kind, dir))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Add([]byte(magic + "\x01\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		hostile(t, data)
		hostile(t, sealed(data))
	})
}

// A disk that is full at any moment leaves nothing.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		play(t, dir, name, setup(3), selfplay.Options{Games: 2, GamesPerShard: 1, Playouts: 8, Seed: 2})
	}
	for _, kind := range []Kind{Columns, Games} {
		done := false
		for n := 0; !done; n++ {
			left, out := n, filepath.Join(t.TempDir(), "x")
			_, err := Pack(context.Background(), full{left: &left}, openKit, PackOptions{Kind: kind, Plan: replayer{seed: 3}.plan}, out, quiet, dir)
			if done = err == nil; !done {
				oneLine(t, err, "no space left")
				if got := tree(t, filepath.Dir(out)); len(got) > 0 {
					t.Fatalf("after %d changes: %v", n, got)
				}
			}
		}
		file := pack(t, kind, dir)
		done = false
		for n := 0; !done; n++ {
			left, out := n, filepath.Join(t.TempDir(), "out")
			_, err := Unpack(context.Background(), full{left: &left}, openKit, unpacking(), file, out, quiet)
			if done = err == nil; !done {
				oneLine(t, err, "no space left")
				if n > 0 { // MkdirAll is the first change
					absent(t, out)
				}
			} else if !maps.Equal(tree(t, out), tree(t, dir)) {
				t.Errorf("%s: other files", kind)
			}
		}
	}
}

// An interrupted unpacking goes on, with what it had.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		play(t, dir, name, setup(3), options(nil))
	}
	want := tree(t, dir)
	for _, kind := range []Kind{Columns, Games} {
		file, out := pack(t, kind, dir), filepath.Join(t.TempDir(), "out")
		calls, found := 0, 0
		for done := false; !done; calls++ {
			ctx, cancel := context.WithCancel(context.Background())
			got, err := Unpack(ctx, disk{}, openKit, unpacking(), file, out, func(rows, all int) {
				if rows > all*(calls+1)/4 {
					cancel()
				}
			})
			cancel()
			if done = err == nil; !done && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			found = got.Found
			if calls > 20 {
				t.Fatal("it never ends")
			}
		}
		if !maps.Equal(tree(t, out), want) || calls < 2 || found == 0 {
			t.Errorf("%s: %d calls, %d runs found", kind, calls, found)
		}
	}
}

// The list says what was packed.
func TestList(t *testing.T) {
	dir := t.TempDir()
	o := options(nil)
	play(t, dir, "run", setup(3), o)
	for _, kind := range []Kind{Columns, Games} {
		l, err := List(context.Background(), disk{}, pack(t, kind, dir))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Runs) != 1 || l.Kind != kind.String() {
			t.Fatalf("%+v", l)
		}
		if r := l.Runs[0]; r.Name != "run" || r.Games != o.Games || r.Shards != 3 || r.Seed != o.Seed || r.Player != "mcts:playouts=24" || r.Engine.Commit != "abcdef" || r.Rows != l.Rows {
			t.Errorf("%+v", r)
		}
	}
}
