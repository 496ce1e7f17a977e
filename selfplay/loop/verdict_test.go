package loop

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/internal/arena"
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
