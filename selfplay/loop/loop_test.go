package loop

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/internal/arena"
)

// A loop does its rounds: samples, candidates, verdicts by the gate's rules, and
// the best network is the last that was promoted.
func TestALoopLearns(t *testing.T) {
	dir, w := filepath.Join(t.TempDir(), "deep", "loop"), newToyWorld()
	c := toyConfig()
	c.Rounds = 6
	s := mustRunToy(t, dir, c, w)
	if s.done() != 6 {
		t.Fatalf("%d rounds are done", s.done())
	}
	best, promoted := 0, 0
	for _, r := range s.Rounds {
		v := r.Verdict
		if r.Games.Games != 6 && r.Number == 1 || r.Games.Games != 8 && r.Number > 1 || r.Games.Positions == 0 {
			t.Errorf("round %d: %+v", r.Number, r.Games)
		}
		if r.Training.Loss == nil || r.Training.Loss.Total != 2.5 || !r.Training.Checkpoint {
			t.Errorf("round %d: %+v", r.Number, r.Training)
		}
		bestSHA := ""
		if best > 0 {
			bestSHA = s.Rounds[best-1].Training.Candidate
		}
		if v.BestRound != best || v.Best != bestSHA {
			t.Errorf("round %d met round %d, want %d", r.Number, v.BestRound, best)
		}
		want := w.better(v.Candidate, bestSHA)
		if v.Promoted != want || v.Reason == "" {
			t.Errorf("round %d: promoted %v, want %v: %s", r.Number, v.Promoted, want, v.Reason)
		}
		if v.Promoted {
			best = r.Number
			promoted++
		}
	}
	if promoted == 0 || promoted == 6 {
		t.Errorf("%d of 6 promoted: the test sees only one way", promoted)
	}
	data, err := os.ReadFile(filepath.Join(dir, "best.onnx"))
	if err != nil || s.Rounds[best-1].Training.Candidate != sha(data) {
		t.Errorf("the best network is another one: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "round-0002", "net.onnx")); err != nil ||
		!strings.Contains(string(text), " after network trains ") {
		t.Errorf("the second training began with %q, %v", text, err)
	}
}

func sha(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// errKill stands for a kill.
var errKill = errors.New("killed")

// A loop that is killed before each change that it makes, once before each, ends
// with the files of one that was not.
func TestKilledAtEveryStep(t *testing.T) {
	want, c := t.TempDir(), toyConfig()
	if testing.Short() {
		c.Rounds = 2
	}
	s := mustRunToy(t, want, c, newToyWorld())
	dir, w := t.TempDir(), newToyWorld()
	seen := map[string]bool{}
	h := w.host()
	kills := 0
	for {
		count := map[string]int{}
		h.Halt = func(next string) error {
			state, _ := Load(dir)
			round := 0
			if state != nil {
				round = state.done()
			}
			count[next]++
			key := fmt.Sprint(round, next, count[next])
			if seen[key] {
				return nil
			}
			seen[key] = true
			return errKill
		}
		got, err := runToy(t, dir, c, h)
		if err == nil {
			if !reflect.DeepEqual(verdicts(got), verdicts(s)) {
				t.Errorf("after %d kills other verdicts: %+v", kills, verdicts(got))
			}
			break
		}
		if kills++; !errors.Is(err, errKill) || kills > 500 {
			t.Fatalf("kill %d: %v", kills, err)
		}
	}
	if kills < 5*c.Rounds {
		t.Errorf("only %d kills", kills)
	}
	a, b := tree(t, want), tree(t, dir)
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("%s has other bytes", name)
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d files, want %d", len(b), len(a))
	}
}

func verdicts(s *State) []Verdict {
	var list []Verdict
	for _, r := range s.Rounds {
		list = append(list, *r.Verdict)
	}
	return list
}

// Whatever a trainer does wrong ends the round with a line, and the best network
// stays.
func TestBadTrainers(t *testing.T) {
	for _, c := range []struct {
		does, want string
		limit      time.Duration
		change     func(*toyWorld)
	}{
		{does: "fails", want: "the trainer failed: "},
		{does: "fails", want: "exit status 1: the loss is not finite"},
		{does: "hangs", want: "ended at its limit of 100ms", limit: 100 * time.Millisecond},
		{does: "nothing", want: "the trainer wrote no network to {net}"},
		{does: "trains", want: "of no use: it is damaged",
			change: func(w *toyWorld) { w.tried = errors.New("it is damaged") }},
		{does: "trains", want: `of no use: it is of kind "line", want "onnx"`,
			change: func(w *toyWorld) { w.kind = KindLine }},
	} {
		dir, w := t.TempDir(), newToyWorld()
		good := toyConfig()
		good.Rounds = 1
		w.better = func(string, string) bool { return true }
		mustRunToy(t, dir, good, w)
		before, err := os.ReadFile(filepath.Join(dir, "best.onnx"))
		if err != nil {
			t.Fatal(err)
		}
		state, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		bad := toyConfig()
		bad.Rounds, bad.Patience = 9, 2
		bad.Trainer.Train = trainerOf(c.does)
		if c.limit > 0 {
			bad.Trainer.Limit = Duration(c.limit)
		}
		state.Config.Trainer.Train = bad.Trainer.Train // as if it had gone bad
		if err := (&loop{dir: dir}).writeJSON(filepath.Join(dir, stateName), state); err != nil {
			t.Fatal(err)
		}
		if c.change != nil {
			c.change(w)
		}
		var notes []string
		h := w.host()
		h.Note = func(line string) { notes = append(notes, line) }
		s, err := runToy(t, dir, bad, h)
		if !errors.Is(err, ErrPatience) || s.done() != 3 {
			t.Fatalf("%s: %v", c.does, err)
		}
		for _, r := range s.Rounds[1:] {
			if r.Training.Candidate != "" || !strings.Contains(r.Training.Failure, c.want) ||
				strings.Contains(r.Training.Failure, "\n") || r.Verdict.Promoted {
				t.Errorf("%s: %+v, want %q", c.does, r.Training, c.want)
			}
		}
		if !strings.Contains(strings.Join(notes, "\n"), "round 2: no candidate: ") {
			t.Errorf("%s: %q", c.does, notes)
		}
		if after, err := os.ReadFile(filepath.Join(dir, "best.onnx")); err != nil || string(after) != string(before) {
			t.Errorf("%s: the best network did not stay: %v", c.does, err)
		}
	}
}

// What is no loop stays as it is.
func TestForeignDirectories(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"thesis.tex", "best.onnx"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("precious"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, dir)
	if _, err := runToy(t, dir, toyConfig(), newToyWorld().host()); err == nil ||
		!strings.Contains(err.Error(), "stays as it is") {
		t.Errorf("%v", err)
	}
	if after := tree(t, dir); !maps.Equal(before, after) {
		t.Errorf("changed: %v", after)
	}
}

// Files that a kill left half written go.
func TestHalfWrittenFilesGo(t *testing.T) {
	dir, w := filepath.Join(t.TempDir(), "a[b*c"), newToyWorld()
	c := toyConfig()
	c.Rounds = 1
	mustRunToy(t, dir, c, w)
	want := tree(t, dir)
	for _, name := range []string{"state.json.12.tmp", "best.onnx.sha256.3.tmp", "best.line.4.tmp",
		"start.line.sha256.5.tmp", "round-0001/verdict.json.9.tmp",
		"round-0001/gate/match-02.jsonl.4.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mustRunToy(t, dir, c, w)
	if got := tree(t, dir); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

func TestChangedConfigurations(t *testing.T) {
	dir, w := t.TempDir(), newToyWorld()
	c := toyConfig()
	c.Rounds = 1
	mustRunToy(t, dir, c, w)
	for _, change := range []struct {
		do   func(*Config)
		want string // "": it may change
	}{
		{func(c *Config) { c.Seed = 2 }, "seed: 2, and 11 when the loop began"},
		{func(c *Config) { c.Games[1].Games = 4 }, `games[2].games: "4", and "2"`},
		{func(c *Config) { c.Games[0].Rule = "x" }, `games[1].rule: "x", and `},
		{func(c *Config) { c.Games = c.Games[:1] }, "games[2]: absent, and "},
		{func(c *Config) { c.Gate.Playouts = 9 }, "gate.playouts: 9, and 100"},
		{func(c *Config) { c.Trainer.Window = 3 }, "trainer.window: 3, and 5"},
		{func(c *Config) { c.Workers, c.AtOnce, c.Cache, c.Patience, c.Trainer.Limit = 3, 4, 5, 6, 7e9 }, ""},
	} {
		c := toyConfig()
		c.Rounds = 1
		change.do(&c)
		_, err := runToy(t, dir, c, w.host())
		if change.want == "" && err != nil || change.want != "" && (err == nil || !strings.Contains(err.Error(),
			change.want)) {
			t.Errorf("%v, want %q", err, change.want)
		}
	}
}

// Without games in the gate, and with a first candidate that is promoted for nothing, no match
// is played. Else one is.
func TestGatesWithoutAMatch(t *testing.T) {
	for _, c := range []struct {
		name              string
		change            func(*Config)
		matches, promoted []bool // of the rounds
	}{
		{"by match", func(*Config) {}, []bool{true, true}, []bool{true, true}},
		{"without games", func(c *Config) { c.Gate.Games = 0 }, []bool{false, false}, []bool{true, true}},
		{"the first for nothing", func(c *Config) { c.Gate.First = WithNothing }, []bool{false, true},
			[]bool{true, true}},
	} {
		dir, toy, w := t.TempDir(), toyConfig(), newToyWorld()
		toy.Rounds = len(c.matches)
		c.change(&toy)
		w.better = func(string, string) bool { return true }
		for i, r := range mustRunToy(t, dir, toy, w).Rounds {
			v := r.Verdict
			journals, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("round-%04d", i+1), "gate", "match-*.jsonl"))
			if err != nil || (v.Match != nil) != c.matches[i] || (len(journals) > 0) != c.matches[i] ||
				v.Promoted != c.promoted[i] {
				t.Errorf("%s, round %d: %+v, journals %v, %v", c.name, i+1, v, journals, err)
			}
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
		for _, step := range []Step{StepPlay, StepTrain, StepGate, StepPromote} {
			want := Cost{CPUSeconds: 9, WallSeconds: 2}
			if r.Number == 1 && step == StepPlay {
				want = Cost{CPUSeconds: 18, WallSeconds: 4}
			}
			if got := r.Costs[step]; got != want {
				t.Errorf("round %d, %s: %+v, want %+v", r.Number, step, got, want)
			}
		}
	}
	// The first round took 10 seconds, the second 8.
	if want := []string{"1 0s", "2 20s", "3 9s"}; !reflect.DeepEqual(left, want) {
		t.Errorf("left: %q, want %q", left, want)
	}
}

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
