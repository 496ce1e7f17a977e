package samples

import (
	"math"
	"strings"
	"testing"
)

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
