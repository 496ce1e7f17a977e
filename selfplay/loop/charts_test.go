package loop

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// Each chart of a report shows its own figure, in its unit, of the rounds that have it;
// only what is to be compared with nothing begins at 0.
func TestChartsOfAStatus(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	count := func(n int) *int { return &n }
	st := &Status{List: []Result{
		{
			Round: 1, Games: 10, Plies: 61, Draws: 0.25, Entropy: 1.25, Search: 0.125, Net: 0.375, CPUHours: 2.5,
			Loss: &Loss{Total: 3.5, Policy: 3.25, Value: 0.25}, Elo: number(50), EloError: number(20), Promoted: true,
			Missed: count(5), Asked: count(100), Blunders: number(71), Calibration: []Bin{{N: 1, Expected: 0.25, Result: 0.5},
				{}},
		},
		{
			Round: 2, Games: 11, Plies: 63, Draws: 0.5, Entropy: 1.5, Search: 0.25, Net: 0.5, CPUHours: 3.5,
			Loss: &Loss{Total: 3.375, Policy: 3.125, Value: 0.125}, Elo: number(90), EloError: number(30),
			Missed: count(10), Asked: count(100), Blunders: number(73), Calibration: []Bin{{}, {N: 9, Expected: 0.75,
				Result: 1}},
		},
		{Round: 3, CPUHours: 4.5, Missed: count(0), Asked: count(0)},
	}}
	want := map[string][]string{
		"Elo over the first network, with its 95% error": {
			"0", "candidates at 1: 50 +- 20", "candidates at 2: 90 +- 30", "promoted at 1: 50"},
		"Loss on held-out games": {
			"1.000", "all at 1: 3.500", "all at 2: 3.375", "policy at 1: 3.250", "policy at 2: 3.125", "value at 1: 0.250",
			"value at 2: 0.125"},
		"Blunders in 1,000 fixed positions": {"0", "candidates at 1: 71", "candidates at 2: 73"},
		"Proven positions solved, %":        {"90", "candidates at 1: 95", "candidates at 2: 90"},
		"Moves of a game":                   {"0", "mean at 1: 61", "mean at 2: 63"},
		"Drawn games, %":                    {"0.0", "draws at 1: 25.0", "draws at 2: 50.0"},
		"Entropy of the policy targets, nats": {
			"0.00", "mean at 1: 1.25", "mean at 2: 1.50"},
		"Brier score of expected results": {
			"0.000", "search at 1: 0.125", "search at 2: 0.250", "network or evaluation at 1: 0.375",
			"network or evaluation at 2: 0.500"},
		"Calibration of the search: result over expectation": {
			"0.00", "round 1 at 0.25: 0.50", "round 2 at 0.75: 1.00", "ideal at 0: 0.00", "ideal at 1: 1.00"},
		"CPU-hours of a round": {"0", "hours at 1: 2.5", "hours at 2: 3.5", "hours at 3: 4.5"},
	}
	charts := st.charts()
	for _, c := range charts {
		got := []string{c.YTicks[0].Text}
		for _, l := range c.Curves {
			for _, d := range l.Dots {
				got = append(got, d.Title)
			}
		}
		if !reflect.DeepEqual(got, want[c.Title]) {
			t.Errorf("%s: %q, want %q", c.Title, got, want[c.Title])
		}
	}
	if len(charts) != len(want) {
		t.Errorf("%d charts, want %d", len(charts), len(want))
	}
}

// Without games in the gate, and with a first candidate that is promoted for nothing,
// no match is played and what else is known decides. Else one is.
func TestGatesWithoutAMatch(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*Config)
		matches []bool // of the rounds
	}{
		{"by match", func(*Config) {}, []bool{true, true}},
		{"without games", func(c *Config) { c.Gate.Games = 0 }, []bool{false, false}},
		{"the first for nothing", func(c *Config) { c.Gate.First = WithNothing }, []bool{false, true}},
	} {
		dir, toy, w := t.TempDir(), toyConfig(), newToyWorld()
		toy.Rounds = len(c.matches)
		c.change(&toy)
		w.better = func(string, string) bool { return true }
		w.missed = func(string) int { return 0 }
		w.blunders = func(string) []int { return nil }
		s := mustRunToy(t, dir, toy, w)
		for i, r := range s.Rounds {
			v := r.Verdict
			journals, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("round-%04d", i+1), "gate", "match-*.jsonl"))
			if err != nil || (v.Match != nil) != c.matches[i] || (len(journals) > 0) != c.matches[i] {
				t.Errorf("%s, round %d: %+v, journals %v, %v", c.name, i+1, v.Match, journals, err)
			}
			if !v.Promoted || v.Tactics == nil || v.Blunders == nil {
				t.Errorf("%s, round %d: not promoted, or without evidence: %+v", c.name, i+1, v)
			}
		}
	}
}

// A candidate that is promoted for nothing may be worse than no network at all.
func TestFirstCandidateWithoutAMatch(t *testing.T) {
	for _, first := range []string{ByMatch, WithNothing} {
		toy, w := toyConfig(), newToyWorld()
		toy.Rounds, toy.Gate.First = 1, first
		w.better = func(string, string) bool { return true }
		w.missed = func(sha string) int { return map[bool]int{true: 0, false: 10}[sha == ""] }
		w.blunders = func(sha string) []int { return map[bool][]int{true: nil, false: {0, 1, 2, 3, 4, 5, 6, 7}}[sha == ""] }
		v := mustRunToy(t, t.TempDir(), toy, w).Rounds[0].Verdict
		free := first == WithNothing
		if v.Promoted != free || v.Tactics.Worse == free || v.Blunders.Worse == free {
			t.Errorf("%s: promoted %t, worse %t and %t: %s", first, v.Promoted, v.Tactics.Worse, v.Blunders.Worse, v.Reason)
		}
	}
}

// Every step costs what the clocks went on meanwhile, a try that failed included, and
// what is left is told by the rounds that are over.
func TestCostsOfSteps(t *testing.T) {
	dir, toy, w := t.TempDir(), toyConfig(), newToyWorld()
	var now time.Time
	var cpu time.Duration
	var left []string
	h := w.host()
	h.Now = func() time.Time { now = now.Add(2 * time.Second); return now }
	h.CPU = func() time.Duration { cpu += 9 * time.Second; return cpu }
	h.Progress = func(p Progress) {
		if text := fmt.Sprint(p.Round, " ", p.Left); p.What == "" && p.Step == StepGate {
			left = append(left, text)
		}
	}
	w.fail = errors.New("no space left on device")
	if _, err := runToy(t, dir, toy, h); err == nil {
		t.Fatal("the games did not fail")
	}
	w.fail = nil
	s, err := runToy(t, dir, toy, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Rounds {
		hours := 4 * 9.0 / 3600
		for _, step := range []Step{StepPlay, StepTrain, StepGate, StepPromote} {
			want := Cost{CPUSeconds: 9, WallSeconds: 2}
			if r.Number == 1 && step == StepPlay {
				want = Cost{CPUSeconds: 18, WallSeconds: 4}
				hours = 5 * 9.0 / 3600
			}
			if got := r.Costs[step]; got != want {
				t.Errorf("round %d, %s: %+v, want %+v", r.Number, step, got, want)
			}
		}
		if got := r.CPUHours(); math.Abs(got-hours) > 1e-9 {
			t.Errorf("round %d: %v CPU-hours, want %v", r.Number, got, hours)
		}
	}
	// The first round took 10 seconds, the second 8.
	if want := []string{"1 0s", "2 20s", "3 9s"}; !reflect.DeepEqual(left, want) {
		t.Errorf("left: %q, want %q", left, want)
	}
}
