package samples

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/internal/disk"
	"pgregory.net/rapid"
)

const (
	testGames    = 5
	testPerShard = 2
)

// writeAll adds the games that w lacks, in the given order.
func writeAll(w *Writer, order []int) error {
	for _, id := range order {
		if w.Done(id) {
			continue
		}
		if err := w.Add(testRecord(uint64(id))); err != nil {
			return err
		}
	}
	return nil
}

var inOrder = []int{0, 1, 2, 3, 4}

// undisturbed returns the files of a run that nothing happened to.
func undisturbed(t *testing.T) (files map[string]string, steps int) {
	t.Helper()
	m := newMemFS()
	w, err := Create(m, "run", testRun(testGames, testPerShard), standStill)
	if err == nil {
		err = writeAll(w, inOrder)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m.contents(), m.steps
}

func TestWriterFiles(t *testing.T) {
	files, _ := undisturbed(t)
	want := []string{"run/manifest.jsonl", "run/run.json",
		"run/shard-000000.msgpack.zst", "run/shard-000001.msgpack.zst", "run/shard-000002.msgpack.zst"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Fatalf("files %v, want %v", got, want)
	}
	lines := strings.SplitAfter(files["run/manifest.jsonl"], "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], `{"file":"shard-000000.msgpack.zst","rows":`) {
		t.Fatalf("manifest %q", lines)
	}
}

func TestWriterOrderDoesNotMatter(t *testing.T) {
	want, _ := undisturbed(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		order := rng.Perm(testGames)
		m := newMemFS()
		w, err := Create(m, "run", testRun(testGames, testPerShard), standStill)
		if err == nil {
			err = writeAll(w, order)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := m.contents(); !maps.Equal(got, want) {
			t.Fatalf("order %v: other bytes", order)
		}
	}
}

// TestCrashAtEveryStep lets the run fail at each of its changes to the disk,
// leaves less or more of what was not synced, resumes, and wants the bytes of
// a run that nothing happened to.
func TestCrashAtEveryStep(t *testing.T) {
	want, steps := undisturbed(t)
	order := []int{1, 3, 0, 2, 4}
	for kind := range crash(crashKinds) {
		for at := 1; at <= steps+2; at++ {
			m := newMemFS()
			m.failAt = at
			w, err := Create(m, "run", testRun(testGames, testPerShard), standStill)
			if err == nil {
				err = writeAll(w, order)
			}
			if err == nil {
				break
			}
			if !errors.Is(err, errFault) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("failure at change %d: %q", at, err)
			}
			m.restart(kind)
			w, err = Resume(m, "run", testRun(testGames, testPerShard), standStill)
			if err == nil {
				err = writeAll(w, order)
			}
			if err != nil {
				t.Fatalf("crash %d at change %d: %v", kind, at, err)
			}
			if got := m.contents(); !maps.Equal(got, want) {
				t.Fatalf("crash %d at change %d: other bytes in %v", kind, at, differing(got, want))
			}
		}
	}
}

func differing(a, b map[string]string) (names []string) {
	for k := range a {
		if a[k] != b[k] {
			names = append(names, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			names = append(names, k)
		}
	}
	return names
}

// TestCrashAgain fails again and again, during recovery too. A game that Add
// accepted must never be asked for again.
func TestCrashAgain(t *testing.T) {
	want, _ := undisturbed(t)
	rapid.Check(t, func(t *rapid.T) {
		m := newMemFS()
		accepted := map[int]bool{}
		for range 6 {
			m.steps, m.failAt = 0, rapid.IntRange(1, 30).Draw(t, "fail at")
			w, err := Resume(m, "run", testRun(testGames, testPerShard), standStill)
			if err == nil {
				for _, id := range rapid.Permutation(inOrder).Draw(t, "order") {
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
			}
			if err != nil && !errors.Is(err, errFault) {
				t.Fatal(err)
			}
			m.restart(crash(rapid.IntRange(0, crashKinds-1).Draw(t, "kind")))
		}
		w, err := Resume(m, "run", testRun(testGames, testPerShard), standStill)
		if err == nil {
			err = writeAll(w, inOrder)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := m.contents(); !maps.Equal(got, want) {
			t.Fatalf("other bytes in %v", differing(got, want))
		}
	})
}

func TestWriterOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	run := testRun(testGames, testPerShard)
	w, err := Create(Disk{}, dir, run, standStill)
	if err == nil {
		err = writeAll(w, []int{0, 1, 2})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(FS, string, Run, func() time.Time) (*Writer, error){Create, Resume} {
		if _, err := open(Disk{}, dir, run, standStill); !errors.Is(err, disk.ErrHeld) {
			t.Errorf("a second writer: %v", err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(Disk{}, dir, run, standStill); !errors.Is(err, ErrExists) {
		t.Errorf("second run in a directory: %v", err)
	}
	journal := filepath.Join(dir, journalName(1))
	data, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journal, append(data, data[:len(data)/2]...), 0o666); err != nil {
		t.Fatal(err)
	}
	if w, err = Resume(Disk{}, dir, run, standStill); err != nil {
		t.Fatal(err)
	}
	if w.Complete() != 3 || w.Shards() != 1 || !w.Done(2) || w.Done(3) {
		t.Fatalf("%d games, %d shards after resuming", w.Complete(), w.Shards())
	}
	if err := cmp.Or(writeAll(w, inOrder), w.Close()); err != nil {
		t.Fatal(err)
	}
	want, _ := undisturbed(t)
	for name, content := range want {
		got, err := os.ReadFile(filepath.Join(dir, filepath.Base(name)))
		if err != nil || string(got) != content {
			t.Errorf("%s: other bytes on disk, error %v", name, err)
		}
	}
}

func TestUnwritableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Create(Disk{}, filepath.Join(file, "run"), testRun(1, 1), standStill)
	if err == nil || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("error %v, want one line that names %s", err, file)
	}
}

func TestResumeRefusesOtherOptions(t *testing.T) {
	for _, c := range []struct {
		change func(*Run)
		want   string
	}{
		{func(r *Run) { r.Header.Seed = 100 }, "header.seed is 99 there and 100 now"},
		{func(r *Run) { r.Header.Search[0].Value = int64(9) }, "header.search.playouts is 8 there and 9 now"},
		{func(r *Run) { r.Games = 6 }, "games is 5 there and 6 now"},
		{func(r *Run) { r.Header.ModelSHA256 = "11" }, `header.model_sha256 is "00" there and "11" now`},
		{func(r *Run) { r.Header.Search = r.Header.Search[1:] }, "header.search.playouts is 8 there and absent now"},
		{func(r *Run) { r.GamesPerShard = 3 }, "games_per_shard is 2 there and 3 now"},
	} {
		m := newMemFS()
		w, err := Create(m, "run", testRun(testGames, testPerShard), standStill)
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		run := testRun(testGames, testPerShard)
		c.change(&run)
		_, err = Resume(m, "run", run, standStill)
		if !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func TestResumeRefusesDamage(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(files map[string]*inode)
		want   string
	}{
		{"no run.json", func(f map[string]*inode) { delete(f, "run/run.json") }, "not a run that can be resumed"},
		{"run.json cut", func(f map[string]*inode) { f["run/run.json"].data = []byte("{") }, "damaged"},
		{"shard gone", func(f map[string]*inode) { delete(f, "run/"+ShardName(0)) }, ShardName(0)},
		{"shard cut", func(f map[string]*inode) { f["run/"+ShardName(0)].data = nil }, "0 bytes, the manifest says"},
		{"bit of a shard flipped", func(f map[string]*inode) {
			data := slices.Clone(f["run/"+ShardName(1)].data)
			data[len(data)/2] ^= 1
			f["run/"+ShardName(1)].data = data
		}, ShardName(1) + " is damaged and the run cannot be resumed without a whole copy of it: sha256"},
		{"manifest out of order", func(f map[string]*inode) {
			lines := strings.SplitAfter(string(f["run/manifest.jsonl"].data), "\n")
			f["run/manifest.jsonl"].data = []byte(lines[1] + lines[0])
		}, "line 1"},
		{"path in the manifest", func(f map[string]*inode) {
			text := string(f["run/manifest.jsonl"].data)
			f["run/manifest.jsonl"].data = []byte(strings.Replace(text, "shard-000001", "../shard-000001", 1))
		}, "line 2"},
		{"foreign journal", func(f map[string]*inode) {
			b, err := testRecord(0).encode()
			if err != nil {
				t.Fatal(err)
			}
			f["run/"+journalName(2)] = &inode{data: b}
		}, "game 0 does not belong here"},
	} {
		m := newMemFS()
		w, err := Create(m, "run", testRun(testGames, testPerShard), standStill)
		if err == nil {
			err = writeAll(w, []int{0, 1, 2, 3})
		}
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		c.change(m.names)
		if _, err := Resume(m, "run", testRun(testGames, testPerShard), standStill); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if m.locked {
			t.Errorf("%s: the directory stays locked", c.name)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	bad := testRecord(0)
	bad.Rows.Weight[0] = 0
	for _, c := range []struct {
		records []*Record
		want    string
	}{
		{[]*Record{testRecord(testGames)}, "not awaited"},
		{[]*Record{testRecord(0), testRecord(0)}, "game 0 is not awaited"},
		{[]*Record{bad}, "weight"},
	} {
		w, err := Create(newMemFS(), "run", testRun(testGames, testPerShard), standStill)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range c.records {
			err = w.Add(r)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
		if again := w.Add(testRecord(1)); again == nil {
			t.Errorf("%s: the writer goes on after an error", c.want)
		}
	}
}

func TestJournalCutAnywhere(t *testing.T) {
	first, err := testRecord(0).encode()
	if err != nil {
		t.Fatal(err)
	}
	second, err := testRecord(1).encode()
	if err != nil {
		t.Fatal(err)
	}
	whole := slices.Concat(first, second)
	read := func(data []byte) (games int, size int64) {
		m := newMemFS()
		m.names["j"] = &inode{data: data}
		size, err := readJournal(m, "j", func([]byte) error { games++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		return games, size
	}
	for n := range whole {
		games, size := read(whole[:n])
		want, length := 0, 0
		if n >= len(first) {
			want, length = 1, len(first)
		}
		if games != want || size != int64(length) {
			t.Fatalf("cut at %d: %d games in %d bytes, want %d in %d", n, games, size, want, length)
		}
	}
	for n := range second {
		damaged := slices.Clone(whole)
		damaged[len(first)+n] ^= 1
		if games, _ := read(damaged); games != 1 {
			t.Fatalf("byte %d of the second record changed: %d games", n, games)
		}
	}
}

func ExampleProblem_String() {
	fmt.Println(Problem{File: "shard-000000.msgpack.zst", Row: 3, Column: "played", What: "4, want 5"})
	// Output: shard-000000.msgpack.zst: row 3: played: 4, want 5
}
