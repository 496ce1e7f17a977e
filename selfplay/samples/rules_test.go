package samples

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vmihailenco/msgpack/v5"
)

// Where weights are shared by surprise, those of a game's full rows have one each
// together, and keep what is not shared; other rows have no part in it.
func TestWeightsAreKeptTogether(t *testing.T) {
	for _, c := range []struct {
		name    string
		part    float64
		filter  string
		full    []uint8
		weights []float32
		want    string // rows of the problems
	}{
		{"equal", 0.5, "", []uint8{1, 1}, []float32{1, 1}, "[]"},
		{"shared", 0.5, "", []uint8{1, 0, 1}, []float32{0.5, 0.25, 1.5}, "[]"},
		{"too much", 0.5, "", []uint8{0, 1, 1}, []float32{1, 1, 1.5}, "[1]"},
		{"too little", 0.5, "", []uint8{1, 1}, []float32{1, 0.75}, "[0]"},
		{"below what is kept", 0.5, "", []uint8{1, 1}, []float32{1.75, 0.25}, "[1]"},
		{"a little below", 0.5, "", []uint8{1, 1}, []float32{1.50002, 0.49998}, "[1]"},
		{"all shared", 1, "", []uint8{1, 1}, []float32{2, 0}, "[]"},
		{"not shared", 0, "", []uint8{1, 1}, []float32{1, 0.25}, "[]"},
		{"left out", 0.5, "full=yes", []uint8{1, 1}, []float32{1, 0.75}, "[]"},
		{"no full rows", 0.5, "", []uint8{0, 0}, []float32{0.25, 0.25}, "[]"},
		{"rounded", 0.5, "", []uint8{1, 1}, []float32{1.00005, 1.00005}, "[]"},
	} {
		r := &replayer{
			problems: &problems{}, header: &Header{Filter: c.filter}, surprise: c.part,
			columns: &Columns{FullSearch: c.full, Weight: c.weights, Rows: len(c.full)},
		}
		var rows []int
		for i := range c.full {
			rows = append(rows, i)
		}
		r.weights(&Game{ID: 3}, rows)
		got := []int{}
		for _, p := range r.list {
			got = append(got, p.Row)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: problems of rows %v, want %s: %v", c.name, got, c.want, r.list)
		}
	}
}

// A game that forks leaves the one before it just where it says.
func TestForksPartWhereTheySay(t *testing.T) {
	codec := testCodec()
	game0 := &Game{ID: 6, Moves: "a1b2c3"}
	for _, c := range []struct {
		name, filter string
		before       *Game
		fork         *Fork
		moves        string
		want         string // "": nothing is wrong
	}{
		{"it does", "", game0, &Fork{Of: 6, Ply: 2}, "a1b2d4", ""},
		{"at the first move", "", game0, &Fork{Of: 6, Ply: 0}, "b1", ""},
		{"none", "", nil, nil, "b1", ""},
		{"earlier", "", game0, &Fork{Of: 6, Ply: 2}, "a1b3d4", "do not part there"},
		{"later", "", game0, &Fork{Of: 6, Ply: 1}, "a1b2d4", "do not part there"},
		{"never", "", game0, &Fork{Of: 6, Ply: 2}, "a1b2c3", "do not part there"},
		{"before its beginning", "", game0, &Fork{Of: 6, Ply: -1}, "b1", "do not part there"},
		{"at its end", "", game0, &Fork{Of: 6, Ply: 2}, "a1b2", "do not part there"},
		{"at the other's end", "", game0, &Fork{Of: 6, Ply: 3}, "a1b2c3d4", "do not part there"},
		{"of no game", "", nil, &Fork{Of: 6, Ply: 1}, "a1b3", "want the one before it"},
		{"of another game", "", game0, &Fork{Of: 5, Ply: 1}, "a1b3", "want the one before it"},
		{"of a game that was left out", "ply < 5", nil, &Fork{Of: 6, Ply: 1}, "a1b3", ""},
		{"of one left out, after another", "ply < 5", &Game{ID: 4, Moves: "d4"}, &Fork{Of: 6, Ply: 1}, "a1b3", ""},
		{"of one that is there, filtered", "ply < 5", game0, &Fork{Of: 6, Ply: 2}, "a1b3", "do not part there"},
	} {
		_, moves, err := codec.Parse(c.moves)
		if err != nil {
			t.Fatal(err)
		}
		r := &replayer{problems: &problems{}, codec: codec, header: &Header{Filter: c.filter}, before: c.before}
		r.fork(&Game{ID: 7, Moves: c.moves, Fork: c.fork}, nil, moves)
		if got := fmt.Sprint(r.list); (c.want == "") != (len(r.list) == 0) || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %q", c.name, got, c.want)
		}
	}
}

// endless is a column of more bytes than msgpack can hold, which nobody reads.
type endless struct{ vector }

func (endless) len() int  { return math.MaxUint32 }
func (endless) item() int { return 2 }

// A column that is too large for the format is an error that says what to do, and
// nothing of it is written.
func TestColumnsTooLarge(t *testing.T) {
	e := &mapEncoder{Encoder: msgpack.NewEncoder(io.Discard)}
	(&column{name: "planes", data: endless{}}).encodeData(e, nil)
	if e.err == nil || !strings.Contains(e.err.Error(), "column planes has 8589934590 bytes") {
		t.Errorf("%v", e.err)
	}
}

// A row whose offsets lead nowhere has no visits.
func TestOffsetsThatLeadNowhere(t *testing.T) {
	for _, offsets := range [][]uint32{{2, 1}, {0, 3}, {math.MaxUint32, 1}} {
		c := &Columns{VisitOffsets: offsets, VisitActions: []uint16{4, 5}}
		if lo, hi := c.visits(0); lo != 0 || hi != 0 {
			t.Errorf("%v: %d to %d", offsets, lo, hi)
		}
	}
	c := &Columns{VisitOffsets: []uint32{1, 2}, VisitActions: []uint16{4, 5}}
	if lo, hi := c.visits(0); lo != 1 || hi != 2 {
		t.Errorf("%d to %d, want 1 to 2", lo, hi)
	}
}

// Widths are learnt from the last of a shape's numbers, if there is one that can be.
func TestWidthsAreLearnt(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape []int
		want  Layout
	}{
		{"planes", nil, Layout{}}, {"planes", []int{7, 2, 3}, Layout{PlaneBytes: 3}}, {"planes", []int{5}, Layout{PlaneBytes: 5}},
		{"legal", []int{7, 4}, Layout{LegalBytes: 4}}, {"legal", []int{7, maxWidth}, Layout{LegalBytes: maxWidth}},
		{"legal", []int{7, maxWidth + 1}, Layout{}}, {"root_q", []int{7}, Layout{}},
	} {
		got := &Columns{}
		if learnWidths(got, c.name, c.shape); got.Layout != c.want {
			t.Errorf("%s %v: %+v, want %+v", c.name, c.shape, got.Layout, c.want)
		}
	}
}

// A path that is shown is bounded, and stays text.
func TestPathsAreBounded(t *testing.T) {
	for _, c := range []struct{ key, path, want string }{
		{"a", "", "a"}, {"a", "b.c", "a.b.c"},
		{strings.Repeat("x", mostPath), "", strings.Repeat("x", mostPath)},
		{strings.Repeat("x", mostPath), "y", strings.Repeat("x", mostPath) + "..."},
		{strings.Repeat("x", mostPath-1) + "é", "", strings.Repeat("x", mostPath-1) + "..."},
	} {
		if got := join(c.key, c.path); got != c.want || !utf8.ValidString(got) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A manifest with a shard more than the run has is not this run's.
func TestResumeOfTooManyShards(t *testing.T) {
	m := newMemFS()
	w, err := Create(m, "run", testRun(4, 2), standStill)
	if err == nil {
		err = writeAll(w, []int{0, 1, 2, 3})
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	f := m.names["run/"+ManifestName]
	line := strings.SplitAfter(string(f.data), "\n")[1]
	line = strings.Replace(strings.Replace(line, "shard-000001", "shard-000002", 1), `"games":2`, `"games":0`, 1)
	f.data = append(f.data, line...)
	if _, err := Resume(m, "run", testRun(4, 2), standStill); err == nil || !strings.Contains(err.Error(), "line 3: "+ShardName(2)+" of 0 games is not this run's shard 2") {
		t.Errorf("%v", err)
	}
}

// What was appended is there after a power failure, in a new file too.
func TestAppendedDataLasts(t *testing.T) {
	m := newMemFS()
	for i, line := range []string{"one\n", "two\n"} {
		if err := appendTo(m, "run/x", []byte(line), i == 0); err != nil {
			t.Fatal(err)
		}
		m.restart(loseAll)
		if f := m.names["run/x"]; f == nil || string(f.data) != "one\ntwo\n"[:4*(i+1)] {
			t.Fatalf("after %q: %+v", line, f)
		}
	}
}
