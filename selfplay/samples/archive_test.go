package samples

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/disk"
)

func quiet(int, int) {}

// playedIn makes a run of ten games in a folder, with a change to each of its records.
func playedIn(t testing.TB, dir string, run Run, change func(r *Record)) {
	t.Helper()
	w, err := Open(Disk{}, dir, run, false, standStill)
	if err != nil {
		t.Fatal(err)
	}
	if n := w.Networks(); n != nil {
		for id := 0; id < run.Games; id += run.GamesPerShard {
			data := []byte{'n', byte(id / 8)}
			err = errors.Join(err, n.Keep(disk.Sum(data), data), n.Begin(id, "followed", disk.Sum(data)))
		}
	}
	for id := range run.Games {
		r := testRecord(uint64(id))
		if change != nil {
			change(r)
		}
		err = errors.Join(err, w.Add(r))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
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
func TestArchiveRoundTrip(t *testing.T) {
	dir := t.TempDir()
	followed := testRun(10, 4)
	followed.Follows = true
	playedIn(t, filepath.Join(dir, "followed"), followed, nil)
	playedIn(t, filepath.Join(dir, "plain"), testRun(10, 4), nil)
	playedIn(t, filepath.Join(dir, "other targets"), testRun(3, 8), func(r *Record) {
		for i := range r.Rows.Rows {
			row := r.Rows.Row(i)
			clear(row.Target)
			row.Target[0] = 1
		}
		r.Game.Audit = &Audit{Resigns: "first", Ply: 3}
	})
	want := contents(t, dir)
	if _, ok := want["followed/"+NetworkName(disk.Sum([]byte("n\x01")))]; !ok {
		t.Error("the run has one network")
	}
	none := func(*Header) (Codec, error) { return Codec{}, errors.New("none") }
	for name, open := range map[string]CodecFunc{"by the rules": testCodecOf, "as they are": none} {
		file, out := filepath.Join(t.TempDir(), "runs"), filepath.Join(t.TempDir(), "deep", "out")
		packed, err := Pack(context.Background(), open, file, quiet, dir)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Size() != packed.Bytes || packed.Rows == 0 {
			t.Errorf("%+v, %v", packed, err)
		}
		got, err := Unpack(context.Background(), open, file, out, quiet)
		if err != nil || got.Runs != 3 || got.Rows != packed.Rows || !maps.Equal(contents(t, out), want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// What cannot be packed is refused in one line, and no file is made.
func TestPackRefuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"run", "unfinished", "changed", "other", "twin/RUN"} {
		playedIn(t, at(name), testRun(10, 4), nil)
	}
	lines := strings.SplitAfter(read(t, at("unfinished"), ManifestName), "\n")
	write(t, at("unfinished"), ManifestName, lines[0])
	write(t, at("changed"), ShardName(1), "x")
	write(t, dir, "there", "mine")
	held, err := disk.LockDir(at("other"))
	if err = errors.Join(err, os.Mkdir(at("empty"), 0o777)); err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	for _, c := range []struct {
		paths     []string
		out, want string
	}{
		{[]string{at("unfinished")}, at("x"), "4 of 10 games are in shards"},
		{[]string{at("changed")}, at("x"), "shard-000001"},
		{[]string{at("other")}, at("x"), "is under way"},
		{[]string{at("run"), at("twin/RUN")}, at("x"), "have one name"},
		{[]string{at("run")}, at("there"), "is there already"},
		{[]string{at("empty")}, at("x"), "want a run's directory"},
		{[]string{at("run")}, at("none/x"), "none"},
	} {
		_, err := Pack(context.Background(), testCodecOf, c.out, quiet, c.paths...)
		refused(t, err, c.want)
		if _, err := os.Lstat(at("x")); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%s: an archive is there, %v", c.want, err)
		}
	}
	if text := read(t, dir, "there"); text != "mine" {
		t.Error(text)
	}
}

// Files that were changed, cut or lengthened anywhere are refused in one line, and so is an
// older format; an interruption and every error leave nothing.
func TestDamagedArchives(t *testing.T) {
	dir := t.TempDir()
	playedIn(t, filepath.Join(dir, "run"), testRun(10, 4), nil)
	file, path, out := filepath.Join(dir, "file"), filepath.Join(dir, "damaged"), filepath.Join(dir, "out")
	if _, err := Pack(context.Background(), testCodecOf, file, quiet, filepath.Join(dir, "run")); err != nil {
		t.Fatal(err)
	}
	whole, run := read(t, dir, "file"), contents(t, filepath.Join(dir, "run"))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		at := rng.IntN(len(whole))
		data := whole[:at] + string(whole[at]^1<<rng.IntN(8)) + whole[at+1:]
		switch i % 4 {
		case 2:
			data = whole[:at]
		case 3:
			data = whole[:at] + string(rune(i%128)) + whole[at:]
		}
		write(t, dir, "damaged", data)
		_, err := Unpack(context.Background(), testCodecOf, path, out, quiet)
		if err == nil && maps.Equal(contents(t, filepath.Join(out, "run")), run) {
			os.RemoveAll(out)
			continue // in a byte that means nothing
		}
		if _, there := os.Lstat(out); err == nil || strings.Contains(err.Error(), "\n") || there == nil {
			t.Fatalf("damage %d at %d of %d: %v", i, at, len(whole), err)
		}
	}
	write(t, dir, "damaged", archiveMagic+"\x01\x01more")
	_, err := Unpack(context.Background(), testCodecOf, path, out, quiet)
	refused(t, err, "version 1")
	ctx, cancel := context.WithCancel(context.Background())
	_, err = Unpack(ctx, testCodecOf, file, out, func(int, int) { cancel() })
	if _, there := os.Lstat(out); !errors.Is(err, context.Canceled) || there == nil {
		t.Error(err)
	}
}

// A process that is gone leaves nothing that counts, and it is begun anew to the same bytes.
// Nobody else's folder is written to.
func TestNoExportIsHalfWritten(t *testing.T) {
	run, whole, dir := played(t, 3, 1, upTo(3)...), filepath.Join(t.TempDir(), "whole"), t.TempDir()
	copies := 0
	_, err := Export(context.Background(), testCodecOf, whole, func(int, int) {
		copies++
		if err := os.CopyFS(filepath.Join(dir, fmt.Sprint(copies)), os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
	}, run)
	want := contents(t, whole)
	if err != nil || copies != 3 {
		t.Fatal(copies, err)
	}
	for i := range copies {
		dir := filepath.Join(dir, fmt.Sprint(i+1))
		if _, err := os.Stat(filepath.Join(dir, indexName)); err == nil {
			t.Error("half of an export counts")
		}
		_, err := Export(context.Background(), testCodecOf, dir, quiet, run)
		if err != nil || !maps.Equal(contents(t, dir), want) {
			t.Errorf("begun anew: %v", err)
		}
	}
	if _, err := Export(context.Background(), testCodecOf, whole, quiet, run); !errors.Is(err, disk.ErrNotEmpty) {
		t.Errorf("over its own: %v", err)
	}
}

// Damaged shards are refused, and so are other columns; an interruption ends everything, with
// nothing left.
func TestExportRefuses(t *testing.T) {
	run, damaged, other, dir := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	renamed := testRun(2, 2)
	renamed.Header.Planes.Version = "grid-2"
	playedIn(t, run, testRun(4, 2), nil)
	playedIn(t, damaged, testRun(4, 2), nil)
	playedIn(t, other, renamed, nil)
	flipBit(t, damaged, ShardName(1))
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx   context.Context
		paths []string
		want  string
	}{
		{context.Background(), []string{damaged}, ShardName(1)}, {over, []string{run}, "canceled"},
		{context.Background(), []string{run, other}, `planes.version is "grid-2"`},
	} {
		_, err := Export(c.ctx, testCodecOf, dir, quiet, c.paths...)
		refused(t, err, c.want)
		if left := contents(t, dir); len(left) > 0 {
			t.Errorf("%s: %d files are left", c.want, len(left))
		}
	}
}

var npyHeader = regexp.MustCompile(
	`^\{'descr': '([<|]?[a-z]\d)', 'fortran_order': False, 'shape': \(([\d, ]*)\)\} *\n?$`)

// readNpy reads an npy file of version 1.0 as numpy's format is described.
func readNpy(text []byte) (dtype string, shape []int, data []byte, err error) {
	if len(text) < 10 || string(text[:8]) != "\x93NUMPY\x01\x00" {
		return "", nil, nil, fmt.Errorf("it begins with %q", text[:min(10, len(text))])
	}
	n := 10 + int(binary.LittleEndian.Uint16(text[8:]))
	m := npyHeader.FindSubmatch(text[10:n])
	if m == nil || n%16 != 0 || !bytes.Contains(m[2], []byte(",")) {
		return "", nil, nil, fmt.Errorf("header of %d bytes: %q", n, text[10:n])
	}
	for _, part := range strings.Split(strings.TrimSuffix(string(m[2]), ","), ",") {
		var size int
		if _, err := fmt.Sscan(part, &size); err != nil {
			return "", nil, nil, err
		}
		shape = append(shape, size)
	}
	return string(m[1]), shape, text[n:], nil
}

// The arrays and games of an export are those of the shards, to the byte, and the index counts
// and hashes the files.
func TestExport(t *testing.T) {
	run, dir := t.TempDir(), t.TempDir()
	playedIn(t, run, testRun(10, 4), func(r *Record) {
		if r.Game.ID%2 == 1 {
			r.Game.Audit = &Audit{Resigns: Nobody}
		}
	})
	total, err := Export(context.Background(), testCodecOf, dir, quiet, run)
	files := contents(t, dir)
	var index struct {
		Total  Total
		Shards []struct{ Rows, Games exportedFile }
	}
	if err = errors.Join(err, json.Unmarshal([]byte(files[indexName]), &index)); err != nil {
		t.Fatal(err)
	}
	if index.Total != total || len(index.Shards) != 3 || len(files) != 2*3+1 {
		t.Fatalf("%d files; %+v, want %+v", len(files), index.Total, total)
	}
	for k, s := range index.Shards {
		for _, f := range []exportedFile{s.Rows, s.Games} {
			if text := files[f.File]; f.Bytes != int64(len(text)) || f.SHA256 != disk.Sum([]byte(text)) {
				t.Errorf("%+v", f)
			}
		}
		shard, err := ReadFile(filepath.Join(run, ShardName(k)))
		if err != nil {
			t.Fatal(err)
		}
		z, err := zip.NewReader(strings.NewReader(files[s.Rows.File]), s.Rows.Bytes)
		columns := shard.Columns.present()
		if err != nil || len(z.File) != len(columns) {
			t.Fatalf("%d arrays, want %d, %v", len(z.File), len(columns), err)
		}
		for i, want := range columns {
			f, err := z.File[i].Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(f)
			if err != nil {
				t.Fatal(err)
			}
			dtype, shape, data, err := readNpy(text)
			sizes := want.shape(shard.Columns.Rows, len(shard.Columns.VisitActions))
			if err != nil || z.File[i].Name != want.name+".npy" || strings.Trim(dtype, "<|") != strings.Trim(want.dtype, "<") ||
				fmt.Sprint(shape) != fmt.Sprint(sizes) || !bytes.Equal(data, want.bytes()) {
				t.Errorf("%s: %s %v, want %s %v: %v", z.File[i].Name, dtype, shape, want.dtype, sizes, err)
			}
		}
		for i, line := range strings.Split(strings.TrimSuffix(files[s.Games.File], "\n"), "\n") {
			g, audit := shard.Header.Games[i], ""
			if g.Audit != nil {
				audit = `,"audit_resigns":"none","audit_ply":0`
			}
			want := fmt.Sprintf(`{"shard":%d,"game":%d,"id":%d,"seed":%d,"from":%q,"moves":%q,`+
				`"result":%q,"reason":%q,"plies":%d%s}`, k, i, g.ID, g.Seed, g.From, g.Moves, g.Result, g.Reason, g.Plies, audit)
			if line != want {
				t.Errorf("game %s, want %s", line, want)
			}
		}
	}
}

// An array without elements, and one of one element, are valid npy files.
func TestNpyOfFewElements(t *testing.T) {
	for _, want := range [][]int{{0}, {5, 0}, {1}, {1, 2}} {
		var b bytes.Buffer
		data := []byte{1, 2}[:min(2, want[0]*want[len(want)-1])]
		if err := npy(&b, "u1", want, data); err != nil {
			t.Fatal(err)
		}
		dtype, shape, got, err := readNpy(b.Bytes())
		if err != nil || dtype != "<u1" || fmt.Sprint(shape) != fmt.Sprint(want) || !bytes.Equal(got, data) {
			t.Errorf("%v: %s %v %v: %v", want, dtype, shape, got, err)
		}
	}
}
