package samples

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/disk"
)

const (
	testGames    = 5
	testPerShard = 2
)

var inOrder = []int{0, 1, 2, 3, 4}

// writeRun begins a run of testGames games and adds those that it lacks, in the given order.
func writeRun(d *faultyDisk, resume bool, dir string, order []int) error {
	return addGames(d, resume, dir, testRun(testGames, testPerShard), order)
}

func addGames(d *faultyDisk, resume bool, dir string, run Run, order []int) error {
	w, err := Open(d, dir, run, resume, standStill)
	if err != nil {
		return err
	}
	for _, id := range order {
		if err == nil && !w.Done(id) {
			err = w.Add(testRecord(uint64(id)))
		}
	}
	return errors.Join(err, w.Close())
}

// played returns the directory of a run after the games of the ids were added.
func played(t testing.TB, games, perShard int, ids ...int) string {
	t.Helper()
	dir := t.TempDir()
	if err := addGames(&faultyDisk{}, false, dir, testRun(games, perShard), ids); err != nil {
		t.Fatal(err)
	}
	return dir
}

func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// undisturbed returns the files of a run that nothing happened to, and its changes.
func undisturbed(t testing.TB) (map[string]string, int) {
	t.Helper()
	dir, d := t.TempDir(), &faultyDisk{}
	if err := writeRun(d, false, dir, inOrder); err != nil {
		t.Fatal(err)
	}
	return contents(t, dir), d.steps
}

func TestWriterFiles(t *testing.T) {
	files, _ := undisturbed(t)
	want := []string{"manifest.jsonl", "run.json", "shard-000000.msgpack.zst", "shard-000001.msgpack.zst",
		"shard-000002.msgpack.zst"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Fatalf("files %v, want %v", got, want)
	}
	lines := strings.SplitAfter(files["manifest.jsonl"], "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], `{"file":"shard-000000.msgpack.zst","rows":`) {
		t.Fatalf("manifest %q", lines)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		order := rng.Perm(testGames)
		if got := contents(t, played(t, testGames, testPerShard, order...)); !maps.Equal(got, files) {
			t.Fatalf("order %v: other bytes", order)
		}
	}
}

// TestCrashAtEveryStep lets the run fail at each of its changes to the disk, leaves less or
// more of what was being written, verifies what is there, resumes, and wants the bytes of a
// run that nothing happened to.
func TestCrashAtEveryStep(t *testing.T) {
	want, steps := undisturbed(t)
	order := []int{1, 3, 0, 2, 4}
	for kind := range crash(crashKinds) {
		for at := 1; at <= steps; at++ {
			dir := t.TempDir()
			if err := writeRun(&faultyDisk{failAt: at, kind: kind}, false, dir, order); !errors.Is(err, errFault) {
				t.Fatalf("failure at change %d: %v", at, err)
			}
			if _, err := os.Stat(filepath.Join(dir, ManifestName)); err == nil {
				if r := verify(t, dir); r.Bad != 0 || r.Planned != testGames {
					t.Errorf("crash %d at change %d: %+v", kind, at, r)
				}
			}
			if err := writeRun(&faultyDisk{}, true, dir, order); err != nil {
				t.Fatalf("crash %d at change %d: %v", kind, at, err)
			}
			if got := contents(t, dir); !maps.Equal(got, want) {
				t.Fatalf("crash %d at change %d: other bytes, or %v", kind, at, slices.Sorted(maps.Keys(got)))
			}
		}
	}
}

// TestCrashAgain fails again and again, during recovery too. A game that Add
// accepted must never be asked for again.
func TestCrashAgain(t *testing.T) {
	want, _ := undisturbed(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 25 {
		dir, accepted := t.TempDir(), map[int]bool{}
		for range 6 {
			d := &faultyDisk{failAt: 1 + rng.IntN(15), kind: crash(rng.IntN(crashKinds))}
			w, err := Open(d, dir, testRun(testGames, testPerShard), true, standStill)
			if err == nil {
				for _, id := range rng.Perm(testGames) {
					if w.Done(id) {
						continue
					}
					if accepted[id] {
						t.Fatalf("game %d was on disk and is gone", id)
					}
					if err = w.Add(testRecord(uint64(id))); err != nil {
						break
					}
					accepted[id] = true
				}
				w.Close()
			}
			if err != nil && !errors.Is(err, errFault) {
				t.Fatal(err)
			}
		}
		if err := writeRun(&faultyDisk{}, true, dir, inOrder); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, dir); !maps.Equal(got, want) {
			t.Fatalf("other bytes in %v", slices.Sorted(maps.Keys(got)))
		}
	}
}

func TestWriterOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	run := testRun(testGames, testPerShard)
	w, err := Open(Disk{}, dir, run, false, standStill)
	for id := range uint64(3) {
		if err == nil {
			err = w.Add(testRecord(id))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, resume := range []bool{false, true} {
		if _, err := Open(Disk{}, dir, run, resume, standStill); !errors.Is(err, disk.ErrHeld) {
			t.Errorf("a second writer: %v", err)
		}
	}
	if r := verify(t, dir); r.Bad != 0 || len(r.UnderWay) != 1 {
		t.Errorf("a run under way: %+v", r)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Disk{}, dir, run, false, standStill); !errors.Is(err, ErrExists) {
		t.Errorf("second run in a directory: %v", err)
	}
	journal := read(t, dir, journalName(1))
	write(t, dir, journalName(1), journal+journal[:len(journal)/2])
	write(t, dir, ShardName(1)+".123.tmp", "unfinished")
	if w, err = Open(Disk{}, dir, run, true, standStill); err != nil {
		t.Fatal(err)
	}
	if w.Complete() != 3 || w.Shards() != 1 || !w.Done(2) || w.Done(3) {
		t.Fatalf("%d games, %d shards after resuming", w.Complete(), w.Shards())
	}
	if err := errors.Join(w.AddAll([]*Record{testRecord(4), testRecord(3)}), w.Close()); err != nil {
		t.Fatal(err)
	}
	if want, _ := undisturbed(t); !maps.Equal(contents(t, dir), want) {
		t.Error("other bytes on disk")
	}
	file := filepath.Join(dir, RunName)
	if _, err := Open(Disk{}, filepath.Join(file, "run"), run, false, standStill); err == nil ||
		!strings.Contains(err.Error(), file) {
		t.Errorf("%v, want an error that names %s", err, file)
	}
}

func TestResumeRefusesOtherOptions(t *testing.T) {
	dir := played(t, testGames, testPerShard)
	for _, c := range []struct {
		change func(*Run)
		want   string
	}{
		{func(r *Run) { r.Header.Seed = 100 }, "header.seed is 99 there and 100 now"},
		{func(r *Run) { r.Header.Search[0].Value = int64(9) }, "header.search.playouts is 8 there and 9 now"},
		{func(r *Run) { r.Games = 6 }, "games is 5 there and 6 now"},
		{func(r *Run) { r.Header.Search = r.Header.Search[1:] }, "header.search.playouts is 8 there and absent now"},
	} {
		run := testRun(testGames, testPerShard)
		c.change(&run)
		_, err := Open(&faultyDisk{}, dir, run, true, standStill)
		if !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func TestResumeRefusesDamage(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string)
		want   string
	}{
		"no run.json": {func(dir string) { os.Remove(filepath.Join(dir, RunName)) },
			"not a run that can be resumed"},
		"run.json cut":           {func(dir string) { write(t, dir, RunName, "{") }, RunName},
		"shard gone":             {func(dir string) { os.Remove(filepath.Join(dir, ShardName(0))) }, ShardName(0)},
		"bit of a shard flipped": {func(dir string) { flipBit(t, dir, ShardName(1)) }, ShardName(1) + " or its line"},
		"another network's line": {func(dir string) {
			replace(t, dir, ManifestName, `"model_sha256":"`, `"model_sha256":"1`)
		}, "model_sha256"},
		"other rows": {func(dir string) { replace(t, dir, ManifestName, `"rows":`, `"rows":1`) }, "its rows is"},
		"path in the manifest": {func(dir string) { replace(t, dir, ManifestName, "shard-000001", "../shard-000001") },
			"line 2"},
		"a line that comes twice": {func(dir string) { replace(t, dir, ManifestName, "shard-000001", "shard-000000") },
			"line 2"},
		"another shard's line": {func(dir string) { replace(t, dir, ManifestName, "shard-000001", "shard-000002") },
			"is not this run's shard 1"},
		"foreign journal": {func(dir string) {
			b, err := EncodeRecord(testRecord(0))
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, journalName(2), string(b))
		}, "game 0 does not belong here"},
	} {
		dir := played(t, testGames, testPerShard, 0, 1, 2, 3)
		c.change(dir)
		for range 2 { // the first one has released the lock
			if _, err := Open(&faultyDisk{}, dir, testRun(testGames, testPerShard), true, standStill); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q", name, err, c.want)
			}
		}
	}
}

func TestAddRefuses(t *testing.T) {
	bad := testRecord(0)
	bad.Rows.Weight[0] = 0
	for want, records := range map[string][]*Record{
		"not awaited": {testRecord(testGames)}, "game 0 is not awaited": {testRecord(0), testRecord(0)}, "weight": {bad},
	} {
		w, err := Open(&faultyDisk{}, t.TempDir(), testRun(testGames, testPerShard), false, standStill)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			err = w.Add(r)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if again := w.Add(testRecord(1)); again == nil {
			t.Errorf("%s: the writer goes on after an error", want)
		}
		w.Close()
	}
}

// TestRecords cuts and changes two records at every byte: a journal has the whole ones before.
// One alone that was changed is refused.
func TestRecords(t *testing.T) {
	var whole []byte
	var ends []int
	l := testLayout()
	for id := range uint64(2) {
		data, err := EncodeRecord(testRecord(id))
		if err != nil {
			t.Fatal(err)
		}
		if r, err := DecodeRecord(data, l); err != nil || r.Game.ID != id {
			t.Fatalf("%+v, error %v", r, err)
		}
		whole = append(whole, data...)
		ends = append(ends, len(whole))
	}
	dir := t.TempDir()
	journal := func(data []byte) int {
		write(t, dir, "j", string(data))
		list, size, err := readJournal(filepath.Join(dir, "j"), l)
		if err != nil || len(list) > 0 && int(size) != ends[len(list)-1] {
			t.Fatalf("%d games in %d bytes: %v", len(list), size, err)
		}
		return len(list)
	}
	for n := 1; n < len(whole); n += 7 {
		games := 0
		if n >= ends[0] {
			games = 1
		}
		changed := slices.Clone(whole)
		changed[n] ^= 0x40
		if cut, flipped := journal(whole[:n]), journal(changed); cut != games || flipped != games {
			t.Fatalf("byte %d: %d games when cut, %d when changed, want %d", n, cut, flipped, games)
		}
		if _, err := DecodeRecord(whole[:n], l); (err == nil) != (n == ends[0]) {
			t.Fatalf("a record cut at %d: %v", n, err)
		}
		if _, err := DecodeRecord(changed[:ends[0]], l); (err == nil) != (n >= ends[0]) {
			t.Fatalf("a record changed at %d: %v", n, err)
		}
	}
}

func FuzzDecodeRecord(f *testing.F) {
	data, err := EncodeRecord(testRecord(0))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := decodeRecord(data, testLayout()); err == nil && r.Rows.Layout != testLayout() {
			t.Fatal("another layout is accepted")
		}
		r, err := DecodeRecord(data, testLayout())
		if err != nil {
			return
		}
		if data, err = EncodeRecord(r); err == nil {
			_, err = DecodeRecord(data, testLayout())
		}
		if err != nil {
			t.Errorf("written again it cannot be read: %v", err)
		}
	})
}

// recordOf returns the record of a run of shards of three games.
func recordOf(t *testing.T, dir string) *Networks {
	t.Helper()
	list, _, err := readNetworks(dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	return &Networks{files: Disk{}, dir: dir, perShard: 3, list: list}
}

// A record that is cut anywhere has its whole lines, and each game the line of its
// shard.
func TestNetworksAreReadBack(t *testing.T) {
	dir := t.TempDir()
	n := recordOf(t, dir)
	sums := []string{"", strings.Repeat("a", 64), strings.Repeat("0b", 32)}
	for k, id := range []int{1, 5, 14} { // the last one begins three shards
		if err := errors.Join(n.Begin(id, fmt.Sprint("net ", k), sums[k]), n.Begin(id, "another", "")); err != nil {
			t.Fatal(err)
		}
	}
	for id := range 20 {
		by, ok := recordOf(t, dir).Of(id)
		k := []int{0, 1, 2, 2, 2, 0, 0}[id/3]
		if ok != (id < 15) || ok && (by.FromGame != id/3*3 || by.Model != fmt.Sprint("net ", k) || by.SHA256 != sums[k]) {
			t.Errorf("game %d: %+v, %v", id, by, ok)
		}
	}
	text := read(t, dir, NetworksName)
	for cut := range text {
		write(t, dir, NetworksName, text[:cut])
		list, size, err := readNetworks(dir, 3)
		whole := strings.LastIndexByte(text[:cut], '\n') + 1
		if err != nil || int(size) != whole || !slices.Equal(list, n.list[:len(list)]) ||
			len(list) != strings.Count(text[:cut], "\n") {
			t.Fatalf("cut at %d: %d lines of %d bytes, error %v", cut, len(list), size, err)
		}
	}
	for text, want := range map[string]string{
		"x\n": "line 1", `{"from_game":3,"sha256":""}` + "\n": "want game 0",
		`{"from_game":0,"sha256":"../x"}` + "\n":                                    "SHA-256",
		`{"from_game":0,"sha256":""}` + "\n" + `{"from_game":0,"sha256":""}` + "\n": "want game 3",
	} {
		write(t, dir, NetworksName, text)
		if _, _, err := readNetworks(dir, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzManifest(f *testing.F) {
	line, err := jsonLine(Entry{File: ShardName(7), SHA256: strings.Repeat("0f", 32)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		write(t, dir, ManifestName, string(text))
		entries, size, err := readManifest(dir)
		if size > int64(len(text)) {
			t.Fatal(size)
		}
		for _, e := range entries {
			if _, ok := shardNumber(e.File); !ok && err == nil {
				t.Fatalf("file %q", e.File)
			}
		}
	})
}

// What is read is what the manifest says, and every shard once.
func TestSources(t *testing.T) {
	dir, loose := played(t, 4, 2, 0, 1, 2, 3), t.TempDir()
	first := filepath.Join(dir, ShardName(0))
	for _, paths := range [][]string{{dir, dir}, {dir, first}, {first, dir + "/./" + ShardName(0)}, {"none"},
		{filepath.Join(dir, ShardName(7))}} {
		if _, err := Sources(paths...); err == nil {
			t.Errorf("%v are read", paths)
		}
	}
	whole := read(t, dir, ShardName(0))
	write(t, loose, ShardName(3), whole)
	list, err := Sources(filepath.Join(loose, ShardName(3)), first)
	if err != nil || len(list) != 2 || list[0].Entry != nil || list[1].Entry == nil {
		t.Fatal(list, err)
	}
	for _, data := range []string{whole, whole[:len(whole)-1], read(t, dir, ShardName(1)), whole + "0"} {
		write(t, dir, ShardName(0), data)
		if _, _, err := list[1].Read(); (err == nil) != (data == whole) {
			t.Errorf("%d bytes of %d: %v", len(data), len(whole), err)
		}
	}
}
