package loop

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/selfplay/samples"
)

func TestApartAgreesWithSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SliceOfNDistinct(rapid.IntRange(0, 12), 0, 8, rapid.ID[int])
		in := [2]map[int]bool{{}, {}}
		for i := range in {
			for _, n := range draw.Draw(t, "numbers") {
				in[i][n] = true
			}
		}
		var lists [2][]int
		b, c := 0, 0
		for n := range 13 {
			for i := range in {
				if in[i][n] {
					lists[i] = append(lists[i], n)
				}
			}
			if in[0][n] && !in[1][n] {
				b++
			}
			if in[1][n] && !in[0][n] {
				c++
			}
		}
		if gotB, gotC := apart(lists[0], lists[1]); gotB != b || gotC != c {
			t.Errorf("%v, %v: %d, %d, want %d, %d", lists[0], lists[1], gotB, gotC, b, c)
		}
	})
}

func TestDecisions(t *testing.T) {
	lost := &MatchReport{SPRT: arena.AcceptH0}
	won := &MatchReport{SPRT: arena.AcceptH1}
	ahead, behind := &MatchReport{SPRT: arena.Continue, LLR: 0.1}, &MatchReport{SPRT: arena.Continue, LLR: -0.1}
	some := func(n ...int) []BlunderScore { return []BlunderScore{{Positions: 20, Blunders: n}} }
	solved := func(n int) TacticsScore { return TacticsScore{Wins: 10, Won: n} }
	rule := &Tactics{Tolerance: 2}
	for i, c := range []struct {
		v        Verdict
		promoted bool
		reason   string
	}{
		{Verdict{}, false, "no candidate"},
		{Verdict{Candidate: "x"}, true, "no match"},
		{Verdict{Candidate: "x", Match: lost}, false, "the match"},
		{Verdict{Candidate: "x", Match: won}, true, "the match"},
		{Verdict{Candidate: "x", Match: ahead}, true, "the match"},
		{Verdict{Candidate: "x", Match: behind}, false, "the match"},
		{Verdict{Candidate: "x", Match: won, Tactics: compareTactics(solved(5), solved(7), rule)}, true, ""},
		{Verdict{Candidate: "x", Match: won, Tactics: compareTactics(solved(4), solved(7), rule)}, false,
			"tactics: 6 of 10 missed, the best network 3"},
		// One against none is one standard error, which is not more than one.
		{Verdict{Candidate: "x", Match: won, Blunders: compareBlunders(some(4), some(), 1)}, true, ""},
		{Verdict{Candidate: "x", Match: won, Blunders: compareBlunders(some(4, 5), some(), 1)}, false,
			"blunders: 2 where the best network makes none, 0 the other way round"},
		{Verdict{Candidate: "x", Match: won, Blunders: compareBlunders(some(1, 2, 3, 4, 5), some(1, 2, 3, 4, 9), 1)}, true,
			""},
		{Verdict{Candidate: "x", Match: won, Broken: "it is broken"}, false, "it is broken"},
	} {
		c.v.decide()
		if c.v.Promoted != c.promoted || !strings.Contains(c.v.Reason, c.reason) {
			t.Errorf("%d: %v, %q, want %v, %q", i, c.v.Promoted, c.v.Reason, c.promoted, c.reason)
		}
	}
}

func TestEloIsAChain(t *testing.T) {
	a := &Verdict{Match: &MatchReport{Elo: 100.00004, EloError: 30.00002}}
	a.chain(nil)
	b := &Verdict{Match: &MatchReport{Elo: -20, EloError: 40}}
	b.chain(a)
	c := &Verdict{Match: &MatchReport{Elo: 0.33336, EloError: 1}}
	c.chain(b)
	for i, got := range []*Verdict{a, b, c} {
		want := []Verdict{{Elo: 100, EloError: 30}, {Elo: 80, EloError: 50}, {Elo: 80.3334, EloError: 50.01}}[i]
		if got.Elo != want.Elo || got.EloError != want.EloError {
			t.Errorf("verdict %d: %v +- %v, want %v +- %v", i, got.Elo, got.EloError, want.Elo, want.EloError)
		}
	}
	none := Verdict{}
	if none.chain(a); none.Elo != 0 || none.EloError != 0 {
		t.Errorf("without a match: %v +- %v", none.Elo, none.EloError)
	}
}

// The report is a page for any loop, one without anything included, and no number
// of it is lost on the way.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	s := mustRunToy(t, dir, toyConfig(), newToyWorld())
	for _, s := range []*State{s, {Config: toyConfig()}} {
		var page, table bytes.Buffer
		st := s.Status(dir)
		if err := st.WriteReport(&page, "seed = 1 <b>"); err != nil {
			t.Fatal(err)
		}
		st.Text(&table)
		text := page.String()
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "<b>") ||
			strings.Contains(text, "ZgotmplZ") || !strings.Contains(text[:512], reportMark) {
			t.Errorf("the page is not well: %.600s", text)
		}
		if n := strings.Count(text, "<svg"); len(s.Rounds) > 0 && n != 10 {
			t.Errorf("%d pictures", n)
		}
		if n := strings.Count(table.String(), "promoted: "); n != len(s.Rounds) {
			t.Errorf("%d rounds in\n%s", n, table.String())
		}
	}
	path := dir + "/report.html"
	if err := s.Status(dir).SaveReport(path, ""); err != nil {
		t.Error(err)
	}
	if err := s.Status(dir).SaveReport(dir+"/state.json", ""); err == nil {
		t.Error("the state was taken for a report")
	}
}

// What a round's report says of games is what a reader of the shards counts.
func TestGamesReport(t *testing.T) {
	shard := samples.Shard{Columns: samples.NewColumns(samples.Layout{}), Header: samples.Header{Games: []samples.Game{
		{Plies: 7, Result: game.FirstWins.String()}, {Plies: 5, Result: game.SecondWins.String()},
		{Plies: 9, Result: game.Draw.String()}, {Plies: 8, Result: game.SecondWins.String()},
	}}}
	row := func(outcome int8, rootQ, netQ float32, proven int8, target ...float32) {
		actions := make([]uint16, len(target))
		shard.Columns.Append(&samples.Row{Outcome: outcome, RootQ: rootQ, NetQ: netQ, Proven: proven, Target: target,
			Actions: actions, Counts: make([]uint32, len(target))})
	}
	row(1, 1, 0.5, samples.ProvenWin, 1, 0)             // expected to win, and does
	row(-1, -1, 0, samples.ProvenLoss, 0.5, 0.5)        // to lose, and does
	row(0, 0, 1, samples.ProvenUnknown, 0.5, 0.25, .25) // half, and draws
	row(1, -0.5, -1, samples.ProvenUnknown, 1)          // a quarter, and wins
	row(1, 0.125, 1, samples.ProvenUnknown, 1)          // a little above half, and wins
	g, tally := GamesReport{Calibration: make([]Bin, calibrationBins)}, samples.NewTally()
	tally.Add(&shard, 0)
	g.add(&shard)
	g.finish(tally.Means())
	want := GamesReport{
		Games: 4, Positions: 5, First: 1, Second: 2, Draws: 1, MeanPlies: 7.25, Shortest: 5, Longest: 9, Proven: 2,
		Entropy:     rounded((math.Ln2 + 1.5*math.Ln2) / 5),
		SearchBrier: rounded((0.75*0.75 + 0.4375*0.4375) / 5),
		NetBrier:    rounded((0.25*0.25 + 0.5*0.5 + 0.5*0.5 + 1) / 5),
		Calibration: make([]Bin, calibrationBins),
	}
	want.Calibration[0], want.Calibration[2] = Bin{1, 0, 0}, Bin{1, 0.25, 1}
	want.Calibration[5], want.Calibration[9] = Bin{2, rounded(0.53125), 0.75}, Bin{1, 1, 1}
	if fmt.Sprint(g) != fmt.Sprint(want) || g.DrawShare() != 0.25 {
		t.Errorf("got\n%+v, want\n%+v", g, want)
	}
	none := GamesReport{}
	none.finish(samples.NewTally().Means())
	if fmt.Sprint(none) != fmt.Sprint(GamesReport{}) || none.DrawShare() != 0 {
		t.Errorf("without games: %+v", none)
	}
}

// Each chart of a report shows its own figure of the rounds that have it.
func TestChartsOfAStatus(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	count := func(n int) *int { return &n }
	st := &Status{List: []Result{
		{
			Round: 1, Games: 10, Plies: 61, Draws: 0.25, Entropy: 1.25, Search: 0.125, Net: 0.375, CPUHours: 2.5,
			Loss: &Loss{Total: 3.5, Policy: 3.25, Value: 0.25}, Elo: number(50), EloError: number(20), Promoted: true,
			Missed: count(5), Asked: count(100), Blunders: number(71), Calibration: []Bin{{N: 1, Expected: 0.25, Result: 0.5}},
		},
		{Round: 2, CPUHours: 4.5, Missed: count(0), Asked: count(0)},
	}}
	var got []string
	for _, c := range st.charts() {
		for _, l := range c.Curves {
			for _, d := range l.Dots {
				got = append(got, d.Title)
			}
		}
	}
	want := []string{
		"candidates at 1: 50 +- 20", "promoted at 1: 50", "all at 1: 3.500", "policy at 1: 3.250", "value at 1: 0.250",
		"candidates at 1: 71", "candidates at 1: 95", "mean at 1: 61", "draws at 1: 25.0", "mean at 1: 1.25",
		"search at 1: 0.125", "network or evaluation at 1: 0.375", "round 1 at 0.25: 0.50", "ideal at 0: 0.00",
		"ideal at 1: 1.00", "hours at 1: 2.5", "hours at 2: 4.5",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
