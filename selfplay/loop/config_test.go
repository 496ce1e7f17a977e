package loop

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/selfplay/samples"
)

// The example has every key, and its values are the defaults where there are any.
func TestTheExampleIsTheDefault(t *testing.T) {
	c, err := Parse("example", Example)
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultConfig()
	want.Games = c.Games
	want.Trainer.Folder, want.Trainer.Train, want.Trainer.Resume, want.Trainer.Export = c.Trainer.Folder, c.Trainer.Train,
		c.Trainer.Resume, c.Trainer.Export
	want.Trainer.Samples, want.name, want.text = c.Trainer.Samples, c.name, c.text
	if !reflect.DeepEqual(c, want) {
		t.Errorf("the example says\n%+v, the defaults are\n%+v", c, want)
	}
	keys := keysOf(reflect.TypeFor[Config]())
	for _, s := range gamesSettings {
		keys = append(keys, keyOf(s.Name()))
	}
	for _, key := range keys {
		if !bytes.Contains(Example, []byte(key)) {
			t.Errorf("the example does not tell of %s", key)
		}
	}
}

// The configurations that ship with the trainer are ones.
func TestShippedConfigurations(t *testing.T) {
	files, err := filepath.Glob("../../train/loops/*.toml")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d configurations: %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err == nil {
			_, err = Parse(filepath.Base(name), text)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// keysOf returns all keys of a configuration, without their tables.
func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if name != "" {
			keys = append(keys, name)
		}
		of := f.Type
		if of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct {
			keys = append(keys, keysOf(of)...)
		}
	}
	return keys
}

const little = `
rounds = 2
[[games]]
player = "mcts"
games = 4
[trainer]
train = ["train"]
`

// What is wrong in a configuration is told in one line, with the file, the line
// and the key.
func TestWrongConfigurations(t *testing.T) {
	if _, err := Parse("f", []byte(little)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"round = 3" + little, "f:1: round: there is no such key"},
		{little + "[gate]\n\nplayout = 3", "f:10: gate.playout: there is no such key"},
		{little + "[[gate.boards]]\nruel = \"caro\"", "f:9: gate.boards.ruel: there is no such key"},
		{little + "[gate]\nplayouts = \"many\"", "f:9: gate.playouts: want another kind of value"},
		{little + "[gate]\nplayouts = 0", "f: gate.playouts: 0: want 1..1000000000"},
		{little + "[gate]\ngames = 19\n[[gate.boards]]\nsize = 9\n[[gate.boards]]\nsize = 15",
			"f: gate.games: 19: want at least gate.batch on each of 2 boards, 20"},
		{little + "[gate]\nbatch = 3", "f: gate.batch: 3: want an even number"},
		{little + "[gate]\nelo0 = 50.0", "f: gate.elo1: 40: want more than gate.elo0, 50"},
		{little + "[gate]\nfirst = \"luck\"", `f: gate.first: "luck": want "match" or "nothing"`},
		{little + `network = "keras"`, `f: trainer.network: "keras": want "onnx" or "line"`},
		{strings.Replace(little, "games = 4", "games = 4\nfrom = 2", 1), "f: games: round 1 has no table"},
		{strings.Replace(little, "games = 4", "games = 4\nfrom = 2\nuntil = 1", 1),
			"f: games[1].until: 1: want at least from, 2, or 0"},
		{strings.Replace(little, `"mcts"`, `""`, 1), "f: games[1].player: : want mcts:playouts=N"},
		{strings.Replace(little, "games = 4", "games = 4\nresign = nan", 1), "f: games[1].resign: NaN: want 0..1"},
		{strings.Replace(little, "games = 4", "games = 4\nfull-share = 0.5", 1),
			"f: games[1].full-share: there is no such key"},
		{little + "limit = \"-3s\"", "f: trainer.limit: -3s: want a time"},
		{little + "checkpoint = \"../../x\"", "f: trainer.checkpoint: "},
		{little + "export = [\"x\", \"{nonsense}\"]", "f: trainer.export: {nonsense}: want {samples} as a word of its own"},
		{strings.Replace(little, `["train"]`, "[]", 1), "f: trainer.train: want a command"},
		{strings.Replace(little, "games = 4", "games = 4.5", 1), "f: games[1].games: 4.5: want "},
		{"", "f: games: want at least one table [[games]]"},
		{"start = \"\"" + little, "f: start: want uniform"},
	} {
		_, err := Parse("f", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80q...: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestPlaceholders(t *testing.T) {
	a := assignment{samples: []string{"a", "b c"}, out: "o", net: "n", round: 3, seed: 1<<64 - 1, limit: 90e9, workers: 2}
	words := []string{"p", "{samples}", "--out={out}/x", "{--init-from previous}", "{--minutes minutes}", "{net}",
		"{round}-{seed}", "{workers}"}
	for previous, want := range map[string]string{
		"":   "p|a|b c|--out=o/x|--minutes|1.5|n|3-9223372036854775807|2",
		"ck": "p|a|b c|--out=o/x|--init-from|ck|--minutes|1.5|n|3-9223372036854775807|2",
	} {
		a.previous = previous
		got, err := a.expand(words)
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

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
		previous := map[bool]string{true: l.checkpoint(1)}[c.round > 1]
		if strings.Join(got, " ") != c.want || a.previous != previous || a.round != c.round || a.workers != 1 ||
			a.limit != time.Minute {
			t.Errorf("round %d, window %d: %q of %+v, want %s after %q", c.round, c.window, got, a, c.want, previous)
		}
	}
}

// Further samples are named one by one or by patterns, whose matches come in order. What is no
// run is refused.
func TestFurtherSamples(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"10-b", "2-a", "2-c"} {
		if err := errors.Join(os.Mkdir(filepath.Join(dir, name), 0o755),
			os.WriteFile(filepath.Join(dir, name, samples.RunName), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "2-b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ names, want, err string }{
		{"", "", ""}, {"10-b 2-a", "10-b 2-a", ""}, {"2-*", "2-a 2-c", ""}, {"2-*/", "2-a 2-c", ""},
		{"10-b *-[ac]", "10-b 2-a 2-c", ""}, {"missing", "", "no run of samples has such a name"},
		{"2-b", "", "no run of samples has such a name"}, {"[", "", "syntax error in pattern"},
	} {
		var trainer Trainer
		for _, name := range strings.Fields(c.names) {
			trainer.Samples = append(trainer.Samples, filepath.ToSlash(dir)+"/"+name)
		}
		got, err := trainer.furtherSamples()
		for i, path := range got {
			got[i] = filepath.Base(path)
		}
		if strings.Join(got, " ") != c.want || (err == nil) != (c.err == "") || err != nil &&
			!strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v, want %s, %s", c.names, got, err, c.want, c.err)
		}
	}
}
