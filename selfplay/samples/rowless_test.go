package samples

import (
	"bytes"
	"strings"
	"testing"
)

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
		report := verify(t, store(t, s), "run")
		switch {
		case c.want == "" && len(report.Problems) > 0:
			t.Errorf("%s: %v", c.name, report.Problems)
		case c.want != "" && (len(report.Problems) != 1 || !strings.Contains(report.Problems[0].String(), c.want) || report.Problems[0].Row != -1):
			t.Errorf("%s: %v, want %q alone", c.name, report.Problems, c.want)
		}
		if report.Games != 2 {
			t.Errorf("%s: %d games were replayed", c.name, report.Games)
		}
	}
}

// What a manifest says wrongly of a shard is said of the shard, not of a row.
func TestManifestAndShardDiffer(t *testing.T) {
	for from, to := range map[string]string{`"games":2`: `"games":3`, `"rows":`: `"rows":1`, `"model_sha256":"00"`: `"model_sha256":"01"`} {
		m := store(t, testShard(2))
		line := m.names["run/"+ManifestName]
		if !bytes.Contains(line.data, []byte(from)) {
			t.Fatalf("%s is not in %s", from, line.data)
		}
		line.data = bytes.Replace(line.data, []byte(from), []byte(to), 1)
		report := verify(t, m, "run")
		if len(report.Problems) != 1 || report.Problems[0].Row != -1 || report.Problems[0].Column != "" || !strings.Contains(report.Problems[0].String(), "the manifest says") {
			t.Errorf("%s: %+v", to, report.Problems)
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
		if report := verify(t, store(t, s), "run"); len(report.Problems) > 0 {
			t.Errorf("%d rows: %v", keep, report.Problems)
		}
		s.Header.Games[0].Reason = "tired"
		report := verify(t, store(t, s), "run")
		if len(report.Problems) != 1 || report.Problems[0].Row != keep-1 {
			t.Errorf("%d rows: %v, want one problem of the last row", keep, report.Problems)
		}
	}
}
