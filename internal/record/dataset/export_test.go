package dataset

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// exported exports runs and returns the folder and its index, whose checksums and
// counts hold.
func exported(t *testing.T, o ExportOptions, runs ...string) (string, Index) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	total, err := Export(background, disk{}, openKit, dir, o, quiet, runs...)
	if err != nil {
		t.Fatal(err)
	}
	files := contents(t, dir)
	var index Index
	var raw struct {
		Total   Total
		Columns []Column
		Shards  []struct{ Rows, Games File }
	}
	if err := json.Unmarshal([]byte(files[IndexName]), &raw); err != nil {
		t.Fatal(err)
	}
	if raw.Total != total || len(files) != 2*len(raw.Shards)+1 {
		t.Fatalf("%d files; %+v, want %+v", len(files), raw.Total, total)
	}
	index.Columns = raw.Columns
	for _, s := range raw.Shards {
		for _, f := range []File{s.Rows, s.Games} {
			w := samples.Written{Bytes: int64(len(files[f.File])), SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(files[f.File])))}
			if f.Written != w {
				t.Errorf("%s: %+v, want %+v", f.File, f.Written, w)
			}
		}
		index.Shards = append(index.Shards, Part{Rows: s.Rows, Games: s.Games})
	}
	return dir, index
}

var npyHeader = regexp.MustCompile(`^\{'descr': '([<|]?[a-z]\d)', 'fortran_order': False, 'shape': \(([\d, ]*)\)\} *\n?$`)

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

// The arrays of an npz file are those of the shard, to the byte, and with a byte for
// each bit where that was asked for.
func TestNPZ(t *testing.T) {
	run := play(t, 1, nil)
	for _, unpacked := range []bool{false, true} {
		dir, index := exported(t, ExportOptions{Kind: NPZ, Unpacked: unpacked}, run)
		for k, shard := range shards(t, run) {
			z, err := zip.OpenReader(filepath.Join(dir, index.Shards[k].Rows.File))
			if err != nil {
				t.Fatal(err)
			}
			defer z.Close()
			arrays := shard.Columns.Arrays()
			if len(z.File) != len(arrays) || len(index.Columns) != len(arrays) {
				t.Fatalf("%d arrays, want %d", len(z.File), len(arrays))
			}
			for i, want := range arrays {
				if unpacked {
					want = bitByBit(shard, want)
				}
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
}

// bitByBit unpacks planes and legal actions by samples.Bit, a bit at a time.
func bitByBit(s *samples.Shard, a samples.Array) samples.Array {
	shape := kit().Encoder.Shape()
	l := s.Columns.Layout
	var out []uint8
	switch a.Name {
	case "planes":
		for i := range s.Columns.Rows * l.Planes {
			for cell := range 9 {
				out = append(out, bit(s.Columns.Planes[i*l.PlaneBytes:], cell))
			}
		}
		a.Shape = []int{s.Columns.Rows, l.Planes, shape.Height, shape.Width}
	case "legal":
		for i := range s.Columns.Rows {
			for action := range shape.Actions {
				out = append(out, bit(s.Columns.Legal[i*l.LegalBytes:], action))
			}
		}
		a.Shape = []int{s.Columns.Rows, shape.Actions}
	default:
		return a
	}
	a.Data = out
	return a
}

func bit(b []uint8, i int) uint8 { return b[i/8] >> (7 - i%8) & 1 }

// An array without elements, and one of one element, are valid npy files.
func TestNpyOfFewElements(t *testing.T) {
	for _, a := range []samples.Array{
		{ColumnInfo: samples.ColumnInfo{Name: "none", DType: "<f4", Shape: []int{0}}, Data: []float32{}},
		{ColumnInfo: samples.ColumnInfo{Name: "no rows", DType: "u1", Shape: []int{0, 2, 3}}, Data: []uint8{}},
		{ColumnInfo: samples.ColumnInfo{Name: "no globals", DType: "<f4", Shape: []int{5, 0}}, Data: []float32{}},
		{ColumnInfo: samples.ColumnInfo{Name: "one", DType: "i1", Shape: []int{1}}, Data: []int8{-1}},
		{ColumnInfo: samples.ColumnInfo{Name: "one of two", DType: "<u2", Shape: []int{1, 2}}, Data: []uint16{1, 65535}},
		{ColumnInfo: samples.ColumnInfo{Name: "ones", DType: "<u4", Shape: []int{1, 1, 1}}, Data: []uint32{7}},
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

// parquetRow is a row as another reader of Parquet sees it.
type parquetRow struct {
	Shard        uint32    `parquet:"shard"`
	Planes       []byte    `parquet:"planes"`
	Globals      []float32 `parquet:"globals,list"`
	Legal        []byte    `parquet:"legal"`
	VisitActions []uint16  `parquet:"visit_actions,list"`
	VisitCounts  []uint32  `parquet:"visit_counts,list"`
	PolicyTarget []float32 `parquet:"policy_target,list"`
	Outcome      int8      `parquet:"outcome"`
	RootQ        float32   `parquet:"root_q"`
	NetQ         float32   `parquet:"net_q"`
	Played       uint16    `parquet:"played"`
	Reply        uint16    `parquet:"reply"`
	Game         uint32    `parquet:"game"`
	Ply          uint16    `parquet:"ply"`
	PliesLeft    uint16    `parquet:"plies_left"`
	FullSearch   uint8     `parquet:"full_search"`
	Proven       int8      `parquet:"proven"`
	Weight       float32   `parquet:"weight"`
	RowCRC       uint32    `parquet:"row_crc"`
}

// The rows and games of Parquet files are those of the shard, and the header is in
// their metadata.
func TestParquet(t *testing.T) {
	run := play(t, 2, func(o *selfplay.Options) { o.ResignAt, o.ResignAudit = 0.9, 0.5 })
	for _, unpacked := range []bool{false, true} {
		dir, index := exported(t, ExportOptions{Kind: Parquet, Unpacked: unpacked}, run)
		for k, shard := range shards(t, run) {
			file, names := openParquet(t, filepath.Join(dir, index.Shards[k].Rows.File))
			for i, c := range index.Columns {
				if names[i] != c.Name {
					t.Errorf("column %d is %s, want %s", i, names[i], c.Name)
				}
			}
			if header, _ := file.Lookup(headerKey); header != marshal(t, &shard.Header) {
				t.Errorf("header %s", header)
			}
			rows := readParquet[parquetRow](t, file)
			if len(rows) != shard.Columns.Rows {
				t.Fatalf("%d rows, want %d", len(rows), shard.Columns.Rows)
			}
			planes, legal := shard.Columns.Planes, shard.Columns.Legal
			if unpacked {
				planes = bitByBit(shard, samples.Array{ColumnInfo: samples.ColumnInfo{Name: "planes"}}).Data.([]uint8)
				legal = bitByBit(shard, samples.Array{ColumnInfo: samples.ColumnInfo{Name: "legal"}}).Data.([]uint8)
			}
			for i, got := range rows {
				r := shard.Columns.Row(i)
				p, l := len(planes)/len(rows), len(legal)/len(rows)
				want := parquetRow{
					uint32(k), planes[i*p:][:p], r.Globals, legal[i*l:][:l], r.Actions, r.Counts, r.Target, r.Outcome, r.RootQ, r.NetQ,
					r.Played, r.Reply, r.Game, r.Ply, r.PliesLeft, r.FullSearch, r.Proven, r.Weight, shard.Columns.RowCRC[i],
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("row %d is %v, want %v", i, got, want)
				}
			}
			file, _ = openParquet(t, filepath.Join(dir, index.Shards[k].Games.File))
			want := (&table{shard: shard, number: k}).games()
			if got := readParquet[gameEntry](t, file); marshal(t, got) != marshal(t, want) || len(got) != len(shard.Header.Games) {
				t.Errorf("games %s, want %s", marshal(t, got), marshal(t, want))
			}
		}
	}
}

// The games beside an npz file are those of the shard.
func TestGamesAsLines(t *testing.T) {
	run := play(t, 3, nil)
	dir, index := exported(t, ExportOptions{Kind: NPZ}, run)
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

// Runs of other options go into one export, and the same runs into the same bytes.
func TestExportOfSeveralRuns(t *testing.T) {
	one, two := play(t, 4, nil), play(t, 5, func(o *selfplay.Options) { o.Playouts = 30 })
	for _, kind := range []Kind{NPZ, Parquet} {
		dir, index := exported(t, ExportOptions{Kind: kind}, one, two)
		again, _ := exported(t, ExportOptions{Kind: kind}, one, two)
		if len(index.Shards) != 6 || !maps.Equal(contents(t, dir), contents(t, again)) {
			t.Errorf("%s: %d shards, or other bytes", kind, len(index.Shards))
		}
	}
}

func openParquet(t *testing.T, path string) (*parquet.File, []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range file.Schema().Fields() {
		names = append(names, f.Name())
	}
	return file, names
}

func readParquet[T any](t *testing.T, file *parquet.File) []T {
	t.Helper()
	rows := make([]T, file.NumRows())
	n, err := parquet.NewGenericReader[T](file).Read(rows)
	if n != len(rows) || err != nil && err != io.EOF {
		t.Fatal(n, err)
	}
	return rows
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
