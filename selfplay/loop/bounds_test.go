package loop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A trainer is given the samples of as many rounds as its window holds, all of them
// without one, and what the last round with a checkpoint left.
func TestAssignments(t *testing.T) {
	for _, c := range []struct {
		window, round int
		want          string // folders of samples
	}{
		{0, 1, "1-01"}, {0, 3, "1-01 2-01 2-02 3-01 3-02"}, {1, 3, "3-01 3-02"}, {2, 3, "2-01 2-02 3-01 3-02"},
		{3, 3, "1-01 2-01 2-02 3-01 3-02"}, {9, 3, "1-01 2-01 2-02 3-01 3-02"},
	} {
		toy := toyConfig()
		toy.Games[0].From = 0 // the first round as well
		toy.Trainer.Window, toy.Workers, toy.Trainer.Limit = c.window, 1, Duration(time.Minute)
		l := &loop{dir: "loop", config: &toy, state: &State{Rounds: []Round{
			{Number: 1, Training: &Training{Checkpoint: true}}, {Number: 2, Training: &Training{}}, {Number: 3},
		}}}
		a, err := l.assignment(&l.state.Rounds[c.round-1])
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, path := range a.samples {
			round := filepath.Base(filepath.Dir(filepath.Dir(path)))
			got = append(got, strings.TrimPrefix(round, "round-000")+"-"+filepath.Base(path)[:2])
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("round %d, window %d: %q, want %s", c.round, c.window, got, c.want)
		}
		previous := ""
		if c.round > 1 {
			previous = l.checkpoint(1)
		}
		if a.previous != previous || a.round != c.round || a.workers != 1 || a.limit != time.Minute {
			t.Errorf("round %d: %+v, want to go on from %q", c.round, a, previous)
		}
	}
}

// Further samples are named one by one or by patterns, whose matches come in order; a
// folder whose name looks like a pattern is that folder.
func TestFurtherSamples(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"10-b", "2-a", "2-c", "[2]-a"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "2-b.err"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ names, want, err string }{
		{"", "", ""},
		{"10-b 2-a", "10-b 2-a", ""},
		{"missing", "missing", ""}, // told by the check that it is no run
		{"2-*", "2-a 2-c", ""},
		{"2-*/", "2-a 2-c", ""},
		{"10-b *-[ac]", "10-b 2-a 2-c [2]-a", ""},
		{"?-*", "2-a 2-c", ""},
		{"[2]-a", "[2]-a", ""},
		{"2-a 3-*", "", "no folder has such a name"},
		{"[", "", "syntax error in pattern"},
	} {
		var trainer Trainer
		for _, name := range strings.Fields(c.names) {
			trainer.Samples = append(trainer.Samples, filepath.ToSlash(dir)+"/"+name)
		}
		got, err := trainer.further()
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.names, err, c.err)
			}
			continue
		}
		for i, path := range got {
			got[i] = filepath.Base(path)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v, want %s", c.names, got, err, c.want)
		}
	}
}

// A state whose rounds do not follow, or are over without what they came to, is
// damaged; the last round alone may be under way.
func TestStatesThatDoNotFollow(t *testing.T) {
	const done = `{"round":1,"games":{},"training":{},"verdict":{},"done":true}`
	for rounds, whole := range map[string]bool{
		"": true, done: true, `{"round":1}`: true, done + `,{"round":2}`: true,
		`{"round":2}`: false, `{"round":0}`: false, done + `,{"round":3}`: false, `{"round":1},{"round":2}`: false,
		`{"round":1,"training":{},"verdict":{},"done":true}`: false,
		`{"round":1,"games":{},"verdict":{},"done":true}`:    false,
		`{"round":1,"games":{},"training":{},"done":true}`:   false,
	} {
		s, err := parseState([]byte(`{"format":"carozero-loop","version":1,"rounds":[` + rounds + `]}`))
		if whole != (err == nil) || whole != (s != nil) || err != nil && !strings.Contains(err.Error(), "does not follow") {
			t.Errorf("%s: %v, whole %t", rounds, err, whole)
		}
	}
}
