package samples

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
)

// store puts a shard in a run's directory, with a manifest that agrees.
func store(t *testing.T, s *Shard) *memFS {
	t.Helper()
	var b bytes.Buffer
	if err := WriteShard(&b, &s.Header, s.Columns); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	line, err := Entry{File: ShardName(0), Rows: s.Header.Rows, Games: len(s.Header.Games), Bytes: int64(b.Len()),
		SHA256: hex.EncodeToString(sum[:]), ModelSHA256: s.Header.ModelSHA256, Created: standStill()}.line()
	if err != nil {
		t.Fatal(err)
	}
	m := newMemFS()
	m.names["run/"+ShardName(0)] = &inode{data: b.Bytes()}
	m.names["run/"+ManifestName] = &inode{data: line}
	return m
}

func verify(t *testing.T, m *memFS, path string) Report {
	t.Helper()
	r, err := Verify(context.Background(), m, testCodecOf, 100, path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestVerifyAcceptsARun(t *testing.T) {
	m := newMemFS()
	w, err := Create(m, "run", testRun(20, 8), standStill)
	for id := range 20 {
		if err == nil {
			err = w.Add(testRecord(uint64(id)))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	r := verify(t, m, "run")
	if r.Bad != 0 || r.Shards != 3 || r.Games != 20 || r.Rows < 60 {
		t.Fatalf("%+v", r)
	}
	if r := verify(t, m, "run/"+ShardName(1)); r.Bad != 0 || r.Shards != 1 || r.Games != 8 {
		t.Fatalf("one file: %+v", r)
	}
}

// TestVerifyNamesTheRow changes one value in each column in turn, in the first,
// a middle and the last row of a shard, re-encodes the shard with a manifest that agrees, and wants the
// row to be named.
func TestVerifyNamesTheRow(t *testing.T) {
	clean := testShard(2)
	rows := clean.Columns.Rows
	for k, col := range clean.Columns.table() {
		for _, row := range []int{0, rows / 2, rows - 1} {
			s := testShard(2)
			flip(s.Columns, k, row)
			report := verify(t, store(t, s), "run")
			named, column := false, false
			for _, p := range report.Problems {
				named = named || p.Row == row
				column = column || p.Row == row && (p.Column == col.name || p.Column == crcColumn)
				if p.Row >= 0 && p.Row != row && col.kind == perRow && col.name != "game" && col.name != "ply" && col.name != "proven" {
					t.Errorf("%s of row %d changed, row %d named: %v", col.name, row, p.Row, p)
				}
			}
			if !named || !column {
				t.Errorf("%s of row %d changed: %v", col.name, row, report.Problems)
			}
		}
	}
}

// flip changes the lowest bit of the first byte that row has in column k.
func flip(c *Columns, k, row int) {
	col := c.table()[k]
	at := row * max(1, col.width())
	if col.kind == sparse {
		at, _ = c.visits(row)
	}
	raw := col.data.bytes(nil, 0, col.data.len())
	raw[at*col.data.item()] ^= 1
	switch v := col.data.(type) {
	case numbers[uint8]:
		*v.slice = nil
	case numbers[int8]:
		*v.slice = nil
	case numbers[uint16]:
		*v.slice = nil
	case numbers[uint32]:
		*v.slice = nil
	case numbers[float32]:
		*v.slice = nil
	}
	col.data.read(raw)
}

// TestVerifyKnowsTheRules changes values and seals the row again, so that only
// the rules can tell.
func TestVerifyKnowsTheRules(t *testing.T) {
	for _, c := range []struct {
		column string
		change func(c *Columns)
	}{
		{"planes", func(c *Columns) { c.Planes[0] ^= 0x10 }},
		{"globals", func(c *Columns) { c.Globals[0] += 0.25 }},
		{"legal", func(c *Columns) { c.Legal[0] ^= 0xff }},
		{"visit_offsets", func(c *Columns) { c.VisitOffsets[0] = 1 }},
		{"visit_offsets", func(c *Columns) { c.VisitOffsets[1] = math.MaxUint32 }},
		{"visit_offsets", func(c *Columns) { c.VisitOffsets[c.Rows]-- }},
		{"visit_actions", func(c *Columns) { c.VisitActions[1] = c.VisitActions[0] }},
		{"visit_actions", func(c *Columns) { c.VisitActions[0] = 999 }},
		{"visit_counts", func(c *Columns) { clear(c.VisitCounts[:c.VisitOffsets[1]]) }},
		{"policy_target", func(c *Columns) { c.VisitCounts[0] += 7 }},
		{"policy_target", func(c *Columns) { c.PolicyTarget[0] += 0.5 }},
		{"policy_target", func(c *Columns) { c.PolicyTarget[0] = float32(math.NaN()) }},
		{"outcome", func(c *Columns) { c.Outcome[0] = (c.Outcome[0]+2)%3 - 1 }},
		{"outcome", func(c *Columns) { c.Outcome[0] = 5 }},
		{"root_q", func(c *Columns) { c.RootQ[0] = 1.5 }},
		{"net_q", func(c *Columns) { c.NetQ[0] = float32(math.NaN()) }},
		{"played", func(c *Columns) { c.Played[0] ^= 1 }},
		{"reply", func(c *Columns) { c.Reply[0] ^= 1 }},
		{"game", func(c *Columns) { c.Game[c.Rows-1] = 7 }},
		{"ply", func(c *Columns) { c.Ply[1] = c.Ply[0] }},
		{"plies_left", func(c *Columns) { c.PliesLeft[0]++ }},
		{"full_search", func(c *Columns) { c.FullSearch[0] = 2 }},
		{"proven", func(c *Columns) { c.Proven[0] = 3 }},
		{"proven", func(c *Columns) { c.Proven[c.Rows-1] = ProvenLoss }},
		{"proven", func(c *Columns) { c.Proven[0], c.Proven[1] = ProvenDraw, ProvenLoss }},
		{"weight", func(c *Columns) { c.Weight[0] = 0 }},
		{"weight", func(c *Columns) { c.Weight[0] = float32(math.Inf(1)) }},
	} {
		s := testShard(2)
		c.change(s.Columns)
		s.Columns.Seal()
		found := false
		report := verify(t, store(t, s), "run")
		for _, p := range report.Problems {
			found = found || p.Column == c.column && p.Row >= 0
		}
		if !found {
			t.Errorf("%s: %v", c.column, report.Problems)
		}
	}
}

func TestVerifyHeader(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(h *Header)
	}{
		{"is unknown", func(h *Header) { h.Game = "chess" }},
		{"planes", func(h *Header) { h.Planes.Version = "grid-2" }},
		{"seed", func(h *Header) { h.Seed++ }},
		{"seed", func(h *Header) { h.Games[1].Seed++ }},
		{"ascending", func(h *Header) { h.Games[0], h.Games[1] = h.Games[1], h.Games[0] }},
		{"moves", func(h *Header) { h.Games[0].Moves = "a1z9" }},
		{"is not legal", func(h *Header) { h.Games[0].Moves = "a1a1" }},
		{"plies", func(h *Header) { h.Games[1].Plies++ }},
		{"from", func(h *Header) { h.Games[0].From = h.Games[0].Moves }},
		{"result", func(h *Header) { h.Games[0].Result = "nobody" }},
		{"reason", func(h *Header) { h.Games[0].Reason = game.Full }},
	} {
		s := testShard(2)
		c.change(&s.Header)
		report, found := verify(t, store(t, s), "run"), false
		for _, p := range report.Problems {
			found = found || strings.Contains(p.What, c.want)
		}
		if !found {
			t.Errorf("%q: %v", c.want, report.Problems)
		}
	}
}

// TestVerifyEndings ends a game before the rules do.
func TestVerifyEndings(t *testing.T) {
	for _, c := range []struct {
		reason game.Reason
		result string
		proven int8
		want   string
	}{
		{game.MoveLimit, "draw", ProvenUnknown, ""},
		{game.MoveLimit, "first", ProvenUnknown, "want \"draw\""},
		{game.Resigned, "first", ProvenUnknown, ""},
		{game.Resigned, "second", ProvenUnknown, "want \"first\""},
		{game.Proven, "first", ProvenWin, ""},
		{game.Proven, "second", ProvenLoss, ""},
		{game.Proven, "draw", ProvenDraw, ""},
		{game.Proven, "first", ProvenLoss, "want \"second\""},
		{game.Proven, "first", ProvenUnknown, "proves nothing"},
		{game.Line, "first", ProvenUnknown, "do not end it"},
	} {
		s := shortShard(c.reason, c.result, c.proven)
		report := verify(t, store(t, s), "run")
		switch {
		case c.want == "" && report.Bad > 0:
			t.Errorf("%s, %s: %v", c.reason, c.result, report.Problems)
		case c.want != "" && (report.Bad == 0 || !strings.Contains(report.Problems[0].What, c.want)):
			t.Errorf("%s, %s: %v, want %q", c.reason, c.result, report.Problems, c.want)
		}
	}
}

// shortShard holds a game of one move, a1, and its row.
func shortShard(reason game.Reason, result string, proven int8) *Shard {
	h := testHeader()
	h.Rows = 1
	h.Games = []Game{{ID: 0, Seed: GameSeed(testSeed, 0), Moves: "a1", Result: result, Reason: reason, Plies: 1}}
	pos := testStart()
	row := testRow(pos, 0, pos.Moves(nil), testRand())
	row.Played, row.Reply, row.PliesLeft, row.Proven = 0, None, 1, proven
	o, _ := outcomeOf(result)
	row.Outcome = int8(o.Value(game.First))
	c := NewColumns(testLayout())
	c.Append(row)
	c.Seal()
	return &Shard{h, c}
}

func TestVerifyFiles(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(m *memFS)
		want   string
	}{
		{"no file", func(m *memFS) { delete(m.names, "run/"+ShardName(0)) }, "no such file"},
		{"byte changed", func(m *memFS) { d := m.names["run/"+ShardName(0)].data; d[len(d)/2] ^= 1 }, "sha256"},
		{"cut", func(m *memFS) { f := m.names["run/"+ShardName(0)]; f.data = f.data[:20] }, "20 bytes, the manifest says"},
		{"rows", func(m *memFS) {
			f := m.names["run/"+ManifestName]
			f.data = bytes.Replace(f.data, []byte(`"games":2`), []byte(`"games":3`), 1)
		}, "2 games"},
		{"manifest", func(m *memFS) { m.names["run/"+ManifestName].data = []byte("{}\n") }, "line 1"},
		{"run.json", func(m *memFS) {
			r := testRun(2, 2)
			r.Header.Model = "other"
			text, err := r.text()
			if err != nil {
				t.Fatal(err)
			}
			m.names["run/"+RunName] = &inode{data: text}
		}, "header.model"},
	} {
		m := store(t, testShard(2))
		c.change(m)
		if r := verify(t, m, "run"); r.Bad == 0 || !strings.Contains(r.Problems[0].What, c.want) {
			t.Errorf("%s: %v, want %q", c.name, r.Problems, c.want)
		}
	}
	m := store(t, testShard(2))
	m.names["run/"+ShardName(1)] = m.names["run/"+ShardName(0)]
	if r := verify(t, m, "run/"+ShardName(1)); r.Bad != 1 {
		t.Errorf("a shard that is not in the manifest: %v", r.Problems)
	}
	if _, err := Verify(context.Background(), m, testCodecOf, 9, "elsewhere"); err == nil {
		t.Error("a directory without a manifest is accepted")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Verify(ended, m, testCodecOf, 9, "run"); err == nil {
		t.Error("goes on after the context's end")
	}
}

func TestVerifyLimit(t *testing.T) {
	s := testShard(2)
	clear(s.Columns.Weight)
	r, err := Verify(context.Background(), store(t, s), testCodecOf, 3, "run")
	if err != nil || len(r.Problems) != 3 || r.Bad != 2*s.Columns.Rows {
		t.Fatalf("%d of %d problems, error %v", len(r.Problems), r.Bad, err)
	}
}
