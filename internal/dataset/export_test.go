package dataset

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/carozero/carozero/selfplay/samples"
)

// exported exports runs and returns the folder and its index, whose checksums and
// counts hold.
func exported(t *testing.T, runs ...string) (string, Index) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	total, err := Export(background, openKit, dir, quiet, runs...)
	if err != nil {
		t.Fatal(err)
	}
	files := tree(t, dir)
	var index Index
	var raw struct {
		Total  Total
		Shards []struct{ Rows, Games File }
	}
	if err := json.Unmarshal([]byte(files[IndexName]), &raw); err != nil {
		t.Fatal(err)
	}
	if raw.Total != total || len(files) != 2*len(raw.Shards)+1 {
		t.Fatalf("%d files; %+v, want %+v", len(files), raw.Total, total)
	}
	for _, s := range raw.Shards {
		for _, f := range []File{s.Rows, s.Games} {
			if f.Bytes != int64(len(files[f.File])) || f.SHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte(files[f.File]))) {
				t.Errorf("%+v", f)
			}
		}
		index.Shards = append(index.Shards, Part{Rows: s.Rows, Games: s.Games})
	}
	return dir, index
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
	if m == nil || n%16 != 0 {
		return "", nil, nil, fmt.Errorf("header of %d bytes: %q", n, text[10:n])
	}
	for _, part := range strings.Split(strings.TrimSuffix(string(m[2]), ","), ",") {
		var size int
		if _, err := fmt.Sscan(part, &size); err != nil {
			return "", nil, nil, err
		}
		shape = append(shape, size)
	}
	if strings.Count(string(m[2]), ",") == 0 {
		return "", nil, nil, fmt.Errorf("shape (%s) is a number, no tuple", m[2])
	}
	return string(m[1]), shape, text[n:], nil
}

// littleEndian returns a slice of numbers as bytes.
func littleEndian(t *testing.T, data any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, data); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The arrays of an npz file are those of the shard, to the byte.
func TestNPZ(t *testing.T) {
	run := play(t, 1, nil)
	dir, index := exported(t, run)
	for k, shard := range shards(t, run) {
		z, err := zip.OpenReader(filepath.Join(dir, index.Shards[k].Rows.File))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		arrays := shard.Columns.Arrays()
		if len(z.File) != len(arrays) {
			t.Fatalf("%d arrays, want %d", len(z.File), len(arrays))
		}
		for i, want := range arrays {
			f, err := z.File[i].Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(f)
			if err != nil {
				t.Fatal(err)
			}
			dtype, shape, data, err := readNpy(text)
			if err != nil || z.File[i].Name != want.Name+".npy" || strings.Trim(dtype, "<|") != strings.Trim(want.DType, "<") ||
				!reflect.DeepEqual(shape, want.Shape) || !bytes.Equal(data, littleEndian(t, want.Data)) {
				t.Errorf("%s: %s %v, want %s %v: %v", z.File[i].Name, dtype, shape, want.DType, want.Shape, err)
			}
		}
	}
}

// An array without elements, and one of one element, are valid npy files.
func TestNpyOfFewElements(t *testing.T) {
	for _, a := range []samples.Array{
		{ColumnInfo: samples.ColumnInfo{Name: "none", DType: "<f4", Shape: []int{0}}, Data: []float32{}},
		{ColumnInfo: samples.ColumnInfo{Name: "no globals", DType: "<f4", Shape: []int{5, 0}}, Data: []float32{}},
		{ColumnInfo: samples.ColumnInfo{Name: "one", DType: "i1", Shape: []int{1}}, Data: []int8{-1}},
		{ColumnInfo: samples.ColumnInfo{Name: "one of two", DType: "<u2", Shape: []int{1, 2}}, Data: []uint16{1, 65535}},
	} {
		var b bytes.Buffer
		if err := npy(&b, a); err != nil {
			t.Fatal(a.Name, err)
		}
		dtype, shape, data, err := readNpy(b.Bytes())
		if err != nil || strings.Trim(dtype, "<") != strings.Trim(a.DType, "<") || !reflect.DeepEqual(shape, a.Shape) ||
			!bytes.Equal(data, littleEndian(t, a.Data)) {
			t.Errorf("%s: %s %v %v: %v", a.Name, dtype, shape, data, err)
		}
	}
}

// The games beside an npz file are those of the shard.
func TestGamesAsLines(t *testing.T) {
	run := play(t, 3, nil)
	dir, index := exported(t, run)
	for k, shard := range shards(t, run) {
		text, err := os.ReadFile(filepath.Join(dir, index.Shards[k].Games.File))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
			var got gameEntry
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatal(err)
			}
			g := shard.Header.Games[i]
			if got.ID != g.ID || got.Seed != g.Seed || got.From != g.From || got.Moves != g.Moves || got.Result != g.Result ||
				got.Reason != string(g.Reason) || int(got.Plies) != g.Plies || int(got.Game) != i {
				t.Errorf("game %s, want %+v", line, g)
			}
		}
	}
}
