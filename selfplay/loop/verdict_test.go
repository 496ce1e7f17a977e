package loop

import (
	"bytes"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/arena"
)

func TestDecisions(t *testing.T) {
	lost := &MatchReport{SPRT: arena.AcceptH0}
	won := &MatchReport{SPRT: arena.AcceptH1}
	ahead, behind := &MatchReport{SPRT: arena.Continue, LLR: 0.1}, &MatchReport{SPRT: arena.Continue, LLR: -0.1}
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

// The status of any loop, one without anything included, has a line a round.
func TestStatus(t *testing.T) {
	dir := t.TempDir()
	s := mustRunToy(t, dir, toyConfig(), newToyWorld())
	for _, s := range []*State{s, {Config: toyConfig()}} {
		var table bytes.Buffer
		s.Status(dir).Text(&table)
		if n := strings.Count(table.String(), "promoted: "); n != len(s.Rounds) {
			t.Errorf("%d rounds in\n%s", n, table.String())
		}
	}
}
