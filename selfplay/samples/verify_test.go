package samples

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
)

// store puts a shard in a run's directory, with a manifest that agrees.
func store(t *testing.T, s *Shard) string {
	t.Helper()
	data, sum := shardBytes(t, s), disk.NewDigest()
	sum.Write(data)
	line, err := jsonLine(Entry{File: ShardName(0), Rows: s.Header.Rows, Games: len(s.Header.Games), Bytes: sum.Bytes,
		SHA256: sum.SHA256(), ModelSHA256: s.Header.ModelSHA256, Created: standStill()})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, ShardName(0), string(data))
	write(t, dir, ManifestName, string(line))
	return dir
}

func verify(t *testing.T, path string) Report {
	t.Helper()
	r, err := Verify(context.Background(), testCodecOf, 100, path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// told checks that a report has a problem with a text, or none for "".
func told(t *testing.T, what string, r Report, want string) {
	t.Helper()
	found := slices.ContainsFunc(r.Problems, func(p Problem) bool { return strings.Contains(p.String(), want) })
	if want == "" && r.Bad > 0 || want != "" && !found {
		t.Errorf("%s: %v, want %q", what, r.Problems, want)
	}
}

func TestVerifyAcceptsARun(t *testing.T) {
	dir := played(t, 20, 8, upTo(20)...)
	if r := verify(t, dir); r.Bad != 0 || r.Shards != 3 || r.Games != 20 || r.Rows < 60 || r.Planned != 20 ||
		r.Waiting != 0 {
		t.Fatalf("%+v", r)
	}
	if r := verify(t, filepath.Join(dir, ShardName(1))); r.Bad != 0 || r.Shards != 1 || r.Games != 8 {
		t.Fatalf("one file: %+v", r)
	}
	for _, c := range []struct {
		ids                     []int
		shards, games, waitings int
	}{
		{nil, 0, 0, 0}, {[]int{0, 1, 2, 3, 9, 5}, 1, 4, 2}, {[]int{11}, 0, 0, 1},
	} {
		r := verify(t, played(t, 12, 4, c.ids...))
		if r.Bad != 0 || r.Shards != c.shards || r.Games != c.games || r.Waiting != c.waitings || r.Planned != 12 ||
			r.UnderWay != nil {
			t.Errorf("games %v: %+v", c.ids, r)
		}
	}
}

// TestVerifyMissesLines takes lines out of a manifest: whatever is missing, the
// games that are left are counted against those that the run plans.
func TestVerifyMissesLines(t *testing.T) {
	dir := played(t, 23, 4, upTo(23)...)
	lines := strings.SplitAfter(read(t, dir, ManifestName), "\n")
	lines = lines[:len(lines)-1]
	for kept := range 1<<len(lines) - 1 {
		text, games := "", 0
		for k, line := range lines {
			if kept>>k&1 == 1 {
				text, games = text+line, games+min(4, 23-4*k)
			}
		}
		write(t, dir, ManifestName, text)
		r := verify(t, dir)
		if r.Bad != 1 || r.Games != games {
			t.Fatalf("lines %b: %+v", kept, r)
		}
		told(t, "lines", r, fmt.Sprintf("%s: %d of 23 games: no line for ", ManifestName, games))
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
			report := verify(t, store(t, s))
			named, column := false, false
			for _, p := range report.Problems {
				named = named || p.Row == row
				column = column || p.Row == row && (p.Column == col.name || p.Column == crcColumn)
				if p.Row >= 0 && p.Row != row && col.kind == perRow && col.name != "game" && col.name != "ply" &&
					col.name != "proven" {
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
	at := row
	for _, n := range col.inner {
		at *= n
	}
	if col.kind == sparse {
		at, _ = c.visits(row)
	}
	raw := col.bytes()
	raw[at*col.size()] ^= 1
	col.set(raw)
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
		report := verify(t, store(t, s))
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
		told(t, "header", verify(t, store(t, s)), c.want)
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
		told(t, fmt.Sprint(c), verify(t, store(t, s)), c.want)
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
	o, _ := game.ParseOutcome(result)
	row.Outcome = int8(o.Value(game.First))
	c := NewColumns(testLayout())
	c.Append(row)
	c.Seal()
	return &Shard{h, c}
}

func TestVerifyFiles(t *testing.T) {
	other := played(t, 20, 5, upTo(20)...)
	for name, c := range map[string]struct {
		change func(dir string)
		want   string
	}{
		"no file":      {func(dir string) { os.Remove(filepath.Join(dir, ShardName(0))) }, "no such file"},
		"byte changed": {func(dir string) { flipBit(t, dir, ShardName(0)) }, "CRC check failed"},
		"cut": {func(dir string) { write(t, dir, ShardName(0), read(t, dir, ShardName(0))[:20]) },
			"unexpected EOF"},
		"rows": {func(dir string) { replace(t, dir, ManifestName, `"rows":`, `"rows":1`) },
			"the manifest says"},
		"games": {func(dir string) { replace(t, dir, ManifestName, `"games":4`, `"games":3`) },
			"the manifest says"},
		"model": {func(dir string) {
			replace(t, dir, ManifestName, `"model_sha256":"00"`,
				`"model_sha256":"01"`)
		}, "the manifest says"},
		"manifest": {func(dir string) { write(t, dir, ManifestName, "{}\n") }, "line 1"},
		"of another division": {func(dir string) { write(t, dir, RunName, read(t, other, RunName)) },
			"want the games 0 to 4"},
		"of a longer run": {func(dir string) { replace(t, dir, RunName, `"games": 20`, `"games": 6`) },
			"the run has 2 shards only"},
		"other options": {func(dir string) { replace(t, dir, RunName, `"seed": 99`, `"seed": 98`) },
			"header.seed is 98 there and 99 now"},
		"damaged run.json": {func(dir string) { write(t, dir, RunName, "{") }, "run.json is damaged"},
		"foreign run.json": {func(dir string) { write(t, dir, RunName, `{"games": 20}`) },
			`want "carozero-samples" version 1`},
		"damaged journal": {func(dir string) { write(t, dir, journalName(6), "\x01\x00\x00\x00\x51\x53\x7d\x52\x00") },
			"journal-000006.bin, record at byte 0"},
		"no copy of a network": {func(dir string) { writeNetworks(t, dir, "") }, "game 0 was played with it"},
		"a copy of another":    {func(dir string) { writeNetworks(t, dir, "other") }, "its sha256 is"},
		"played by another":    {func(dir string) { writeNetworks(t, dir, "") }, `networks.jsonl says "net"`},
	} {
		dir := played(t, 20, 4, upTo(20)...)
		c.change(dir)
		told(t, name, verify(t, dir), c.want)
	}
	dir := store(t, testShard(2))
	write(t, dir, ShardName(1), read(t, dir, ShardName(0)))
	told(t, "no line", verify(t, filepath.Join(dir, ShardName(1))), "never finished")
	if _, err := Verify(context.Background(), testCodecOf, 9, "elsewhere"); err == nil {
		t.Error("a directory without a manifest is accepted")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Verify(ended, testCodecOf, 9, dir); err == nil {
		t.Error("goes on after the context's end")
	}
	s := testShard(2)
	clear(s.Columns.Weight)
	r, err := Verify(context.Background(), testCodecOf, 3, store(t, s))
	if err != nil || len(r.Problems) != 3 || r.Bad != 2*s.Columns.Rows {
		t.Fatalf("%d of %d problems, error %v", len(r.Problems), r.Bad, err)
	}
}

// writeNetworks names a network for the first shards, and keeps a copy of it that may be of
// other bytes.
func writeNetworks(t *testing.T, dir, data string) {
	t.Helper()
	sum := strings.Repeat("0a", 32)
	line, err := jsonLine(PlayedBy{Model: "net", SHA256: sum})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, NetworksName, string(line))
	if data != "" {
		write(t, dir, NetworkName(sum), data)
	}
}

// FuzzRunFile reads any bytes as a run.json: it is refused, or its shards cover its games.
func FuzzRunFile(f *testing.F) {
	run := testRun(20, 8)
	text, err := run.Text()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format":"carozero-samples","version":1,"games":9223372036854775807,"games_per_shard":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseRun(data)
		if err != nil {
			return
		}
		if from, to := r.gamesOf(r.Shards() - 1); from < 0 || from >= to || to != r.Games {
			t.Fatalf("%+v: the last shard has the games %d to %d", r, from, to)
		}
	})
}

// A game that ended by a proof has the row that proved it, unless a filter of an older version
// left it out.
func TestProofsThatWereLeftOut(t *testing.T) {
	for filter, want := range map[string]string{"": "without the row that proved it", "ply < 0": ""} {
		s := shortShard(game.Proven, "first", ProvenWin)
		s.Header.Filter, s.Header.Rows, s.Header.Games[0].From = filter, 0, "a1"
		s.Columns = NewColumns(testLayout())
		s.Columns.Seal()
		told(t, filter, verify(t, store(t, s)), want)
	}
}

// A game of which no position was recorded is a game all the same: it is replayed, and
// what is wrong of it is said without a row.
func TestGamesWithoutRows(t *testing.T) {
	for _, c := range []struct {
		name   string
		keep   int // the game that has rows; -1: none has
		change func(g *Game)
		want   string // part of the one problem; "": there is none
	}{
		{"the first of two", 1, nil, ""},
		{"the second of two", 0, nil, ""},
		{"another result", 1, func(g *Game) { g.Result = "nobody" }, "game 0: result \"nobody\""},
		{"another reason", 1, func(g *Game) { g.Reason = "tired" }, "game 0: reason \"tired\""},
		{"a move more", 1, func(g *Game) { g.Plies++ }, "plies, it has"},
		{"begun elsewhere", 1, func(g *Game) { g.From = "" }, "its first row comes after"},
	} {
		s := &Shard{Header: testHeader()}
		var parts []*Columns
		for id := range 2 {
			r := testRecord(uint64(id))
			if id != c.keep {
				r.Rows, r.Game.From = NewColumns(testLayout()), r.Game.Moves
			}
			if c.change != nil && id != c.keep {
				c.change(&r.Game)
			}
			s.Header.Games = append(s.Header.Games, r.Game)
			parts = append(parts, r.Rows)
		}
		s.Columns = concat(testLayout(), parts)
		for i := range s.Columns.Rows {
			s.Columns.Game[i] = uint32(c.keep)
		}
		s.Columns.Seal()
		s.Header.Rows = s.Columns.Rows
		report := verify(t, store(t, s))
		switch {
		case c.want == "" && len(report.Problems) > 0:
			t.Errorf("%s: %v", c.name, report.Problems)
		case c.want != "" && (len(report.Problems) != 1 || !strings.Contains(report.Problems[0].String(), c.want) ||
			report.Problems[0].Row != -1):
			t.Errorf("%s: %v, want %q alone", c.name, report.Problems, c.want)
		}
		if report.Games != 2 {
			t.Errorf("%s: %d games were replayed", c.name, report.Games)
		}
	}
}

// What is wrong of a game's end is said of its last row, be it the only one.
func TestEndsAreSaidOfTheLastRow(t *testing.T) {
	codec := testCodec()
	for keep := 1; keep <= 2; keep++ {
		r := testRecord(0)
		_, moves, err := codec.Parse(r.Game.Moves)
		if err != nil {
			t.Fatal(err)
		}
		rows := NewColumns(testLayout())
		for i := r.Rows.Rows - keep; i < r.Rows.Rows; i++ {
			row := r.Rows.Row(i)
			rows.Append(&row)
		}
		r.Game.From = codec.Format(testStart(), moves[:rows.Ply[0]])
		s := &Shard{Header: testHeader(), Columns: concat(testLayout(), []*Columns{rows})}
		s.Header.Games = []Game{r.Game}
		s.Columns.Seal()
		s.Header.Rows = s.Columns.Rows
		if report := verify(t, store(t, s)); len(report.Problems) > 0 {
			t.Errorf("%d rows: %v", keep, report.Problems)
		}
		s.Header.Games[0].Reason = "tired"
		report := verify(t, store(t, s))
		if len(report.Problems) != 1 || report.Problems[0].Row != keep-1 {
			t.Errorf("%d rows: %v, want one problem of the last row", keep, report.Problems)
		}
	}
}
