package samples

import (
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
)

// A game that ended by a proof has the row that proved it, unless a filter left it out;
// where the row is there, the filter is no excuse for it.
func TestProofsThatWereLeftOut(t *testing.T) {
	for _, c := range []struct {
		name, filter string
		ply          int // of the one row of a game of two moves; -1: it has none
		result       string
		proven       int8
		want         string // part of the one problem; "": there is none
	}{
		{"with its row", "", 1, "second", ProvenWin, ""},
		{"without its row", "", 0, "second", ProvenUnknown, "without the row that proved it"},
		{"without rows", "", -1, "second", ProvenUnknown, "without the row that proved it"},
		{"filtered, with its row", "ply < 5", 1, "second", ProvenWin, ""},
		{"filtered, with a row that proves nothing", "ply < 5", 1, "second", ProvenUnknown, "proves nothing"},
		{"filtered, with a row that proves another result", "ply < 5", 1, "first", ProvenWin, `want "second"`},
		{"its row left out", "ply < 1", 0, "second", ProvenUnknown, ""},
		{"all left out", "ply < 0", -1, "draw", ProvenUnknown, ""},
		{"its row left out, and no result", "ply < 1", 0, "nobody", ProvenUnknown, `result "nobody"`},
	} {
		s := filteredShard(c.filter, c.ply, c.result, c.proven)
		report := verify(t, store(t, s), "run")
		switch {
		case c.want == "" && report.Bad > 0:
			t.Errorf("%s: %v", c.name, report.Problems)
		case c.want != "" && (report.Bad == 0 || !strings.Contains(report.Problems[0].String(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, report.Problems, c.want)
		}
	}
}

// filteredShard holds a game of two moves that a proof ended, and its row of a ply.
func filteredShard(filter string, ply int, result string, proven int8) *Shard {
	codec, moves := testCodec(), []game.Move{0, 5}
	h := testHeader()
	h.Filter = filter
	g := Game{Seed: GameSeed(testSeed, 0), Moves: codec.Format(testStart(), moves), Result: result, Reason: game.Proven, Plies: 2}
	c := NewColumns(testLayout())
	pos := testStart()
	if ply == 1 {
		pos.Play(moves[0])
	}
	if ply >= 0 {
		row := testRow(pos, ply, pos.Moves(nil), testRand())
		row.Played, row.Reply, row.PliesLeft, row.Proven = uint16(moves[ply]), None, uint16(2-ply), proven
		if ply == 0 {
			row.Reply = uint16(moves[1])
		}
		o, _ := outcomeOf(result)
		row.Outcome = int8(o.Value(pos.ToMove()))
		c.Append(row)
		h.Rows, g.From = 1, codec.Format(testStart(), moves[:ply])
	} else {
		g.From = g.Moves
	}
	c.Seal()
	h.Games = []Game{g}
	return &Shard{h, c}
}

// A shard was played by the network that the record names for it, of this name and
// these bytes; one that the record does not know is said to be wrong.
func TestNetworkOfAShard(t *testing.T) {
	list := []PlayedBy{{0, "a", "0a"}, {2, "b", "0b"}}
	for _, c := range []struct {
		shard      int
		model, sum string
		right      bool
	}{
		{0, "a", "0a", true}, {1, "b", "0b", true}, {0, "b", "0b", false}, {1, "a", "0a", false},
		{0, "b", "0a", false}, {0, "a", "0b", false}, {2, "b", "0b", false}, {2, "", "", false},
	} {
		r := &verifiedRun{networks: list, plan: &plan{}}
		r.plan.Header.Model, r.plan.Header.ModelSHA256 = "run's", "ff"
		run := Run{Header: Header{Model: c.model, ModelSHA256: c.sum}}
		var p problems
		r.sameNetwork(c.shard, &run, &p)
		if (len(p.list) == 0) != c.right {
			t.Errorf("shard %d by %q %q: %v", c.shard, c.model, c.sum, p.list)
		}
		if run.Header.Model != "run's" || run.Header.ModelSHA256 != "ff" {
			t.Errorf("shard %d is compared as one of %q %q", c.shard, run.Header.Model, run.Header.ModelSHA256)
		}
		var none problems
		run.Header.Model, run.Header.ModelSHA256 = c.model, c.sum
		if (&verifiedRun{plan: r.plan}).sameNetwork(c.shard, &run, &none); len(none.list) > 0 || run.Header.Model != c.model || run.Header.ModelSHA256 != c.sum {
			t.Errorf("a run of one network: %v, then %q", none.list, run.Header.Model)
		}
	}
}

// Whatever reads a run closes its files.
func TestFilesAreClosed(t *testing.T) {
	m := newMemFS()
	run := testRun(testGames, testPerShard)
	w, err := Create(m, "run", run, standStill)
	if err == nil {
		err = writeAll(w, []int{0, 1, 2, 3})
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		w, err = Resume(m, "run", run, standStill)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil || m.open != 0 {
		t.Errorf("a run that was resumed: %v, %d files are open", err, m.open)
	}
	verify(t, m, "run")
	if _, _, err := Inspect(m, "run"); err != nil || m.open != 0 {
		t.Errorf("a run that was verified and counted: %v, %d files are open", err, m.open)
	}
}
