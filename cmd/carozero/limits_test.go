package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/loop"
)

// eachFlag calls take for the flags of all commands.
func eachFlag(cmd *cobra.Command, take func(path string, f *pflag.Flag)) {
	path := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "carozero"), " ")
	cmd.Flags().VisitAll(func(f *pflag.Flag) { take(path, f) })
	for _, sub := range cmd.Commands() {
		eachFlag(sub, take)
	}
}

// Every flag for a number is one whose range is stated, and shows it in the
// help.
func TestEveryNumberHasARange(t *testing.T) {
	numbers := 0
	eachFlag(newRoot(nil), func(path string, f *pflag.Flag) {
		o, ranged := f.Value.(*optionFlag)
		word := false
		if ranged {
			_, word = o.of.(option.Choice)
		}
		switch kind := f.Value.Type(); {
		case word: // the help names the words
		case ranged:
			numbers++
			if _, seed := o.of.(option.Seed); !seed && o.Type() != "bool" && !strings.Contains(f.Usage, o.of.Range()) {
				t.Errorf("%s --%s: the help has no range: %s", path, f.Name, f.Usage)
			}
			if o.of.About() == "" || o.of.Name() != f.Name {
				t.Errorf("%s --%s: %+v", path, f.Name, o.of)
			}
		case kind != "string" && kind != "bool" && kind != "stringArray" && f.Name != "device":
			t.Errorf("%s --%s: a flag of type %s without a range", path, f.Name, kind)
		}
	})
	if numbers < 60 {
		t.Errorf("only %d numbers found", numbers)
	}
}

// What several numbers take together is refused before anything is allocated.
func TestMemoryIsAddedUp(t *testing.T) {
	for _, args := range []string{
		"selfplay --out x --workers 1024 --playouts 100000 --memory 1024",
		"selfplay --out x --at-once 4096 --in-flight 256 --model uniform --playouts 1000000 --memory 1024",
		"selfplay --out x --cache 1048576 --at-once 1024",
		"match --a alphabeta:table=262144 --b alphabeta:nodes=5 --workers 1024",
		"match --a mcts:memory=32768,time=1s --b alphabeta:nodes=5 --workers 1024",
		"crosscheck --input x --workers 1024 --alphabeta nodes=5,table=200000",
	} {
		refuse(t, refusal{args, statusUsage, "memory"})
	}
}

// Arguments are as many as a command takes, and none is empty, as of a script whose variable was
// not set.
func TestArguments(t *testing.T) {
	cmd := &cobra.Command{Use: "x"}
	for _, c := range []struct {
		takes cobra.PositionalArgs
		args  []string
		want  string
	}{
		{noArgs, nil, ""}, {noArgs, []string{"a"}, "unexpected argument a"}, {takes(1, many, "a file"), nil, "want a file"},
		{takes(1, many, "a file"), []string{"a", ""}, "argument 2 is empty"}, {takes(1, 1, "a file"), []string{"a"}, ""},
	} {
		err := c.takes(cmd, c.args)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
}

// A wrong value is shown as it was given if that is a plain word, and quoted
// and shortened otherwise.
func TestShownValue(t *testing.T) {
	for text, want := range map[string]string{
		"12": "12", "": `""`, "a b": `"a b"`, "\x1b[31m": `"\x1b[31m"`,
		strings.Repeat("9", 50): strings.Repeat("9", 40) + "...", `a"b`: `"a\"b"`,
	} {
		if got := shownValue(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// flagless says which settings of the tree search a command has no flag for, by what
// makes them senseless there.
var flagless = map[string]map[string]string{
	"search": noiseless, "play": noiseless, "gomocup": noiseless,
	"selfplay": {
		"solver-root":    "the games' positions follow each other within one tree",
		"solver-audit":   "likewise",
		"solver-replies": "likewise",
		"solver-threes":  "a device waits for the processor",
	},
	"analysis": whatVaries, "serve": whatVaries,
}

// noiseless are settings of the noise, which only games of self-play and of matches have.
var noiseless = map[string]string{"noise-total": "no noise", "noise-share": "no noise"}

// whatVaries are settings by which an answer would depend on chance or time.
var whatVaries = map[string]string{
	"noise-total": "chance", "noise-share": "chance", "early-stop": "an answer's visits are what was asked for",
}

// Every setting that a search declares can be set by the flags of every command that
// searches, and by the keys of players, but for those named above.
func TestEverySettingIsReachedFromEveryCommand(t *testing.T) {
	root := newRoot(nil)
	for name, without := range flagless {
		cmd, _, err := root.Find(strings.Fields(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range engine.TreeSettingsList {
			flag := cmd.Flags().Lookup(s.Name())
			if _, left := without[s.Name()]; left == (flag != nil) {
				t.Errorf("%s --%s: there is a flag: %v, want the opposite", name, s.Name(), flag != nil)
			}
			if flag != nil && !strings.Contains(flag.Usage, s.About()) {
				t.Errorf("%s --%s says %q, want %q", name, s.Name(), flag.Usage, s.About())
			}
		}
		for key := range without {
			if !slices.Contains(option.Keys(engine.TreeSettingsList), key) {
				t.Errorf("%s: there is no setting %s", name, key)
			}
		}
		if name != "selfplay" && cmd.Flags().Lookup("techniques") == nil {
			t.Errorf("%s has no --techniques", name)
		}
	}
	defaults := engine.DefaultTreeSettings(16)
	defaults.Solvers.Leaf, defaults.Solvers.Threes, defaults.Solvers.Audit = 10, 10, 10
	for _, s := range engine.TreeSettingsList {
		playerTakes(t, "mcts:"+s.Name()+"="+s.Text(&defaults))
		fixed := players.Spec{Kind: players.MCTS, Args: players.Args{{Key: s.Name(), Value: s.Text(&defaults)}}}
		_, err := players.ParseFixedTree(fixed)
		if _, varies := whatVaries[s.Name()]; varies != (err != nil) {
			t.Errorf("crosscheck --mcts %s: %v", s.Name(), err)
		}
	}
	for _, s := range alphabeta.Techniques {
		playerTakes(t, "alphabeta:nodes=9,"+s.Name()+"=off")
		fixed := players.Spec{Kind: players.AlphaBeta, Args: players.Args{{Key: s.Name(), Value: "off"}}}
		if _, _, err := players.ParseFixedClassical(fixed); err != nil {
			t.Errorf("crosscheck --alphabeta %s: %v", s.Name(), err)
		}
	}
}

// Every option of a run's games is a flag of the commands that play runs, with its default,
// and a key of a loop's tables of games, whose player takes the settings of the search.
func TestEveryOptionOfGamesIsReached(t *testing.T) {
	var want selfplay.Options
	option.SetDefaults(selfplay.Settings, &want)
	root := newRoot(nil)
	for _, name := range [][]string{{"selfplay"}, {"cluster", "coordinator"}} {
		cmd, _, err := root.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range selfplay.Settings {
			flag := cmd.Flags().Lookup(s.Name())
			if flag == nil || flag.DefValue != s.Text(&want) || !strings.Contains(flag.Usage, s.About()) {
				t.Errorf("%s --%s: %+v", name, s.Name(), flag)
			}
		}
	}
	table := func(line string) error {
		_, err := loop.Parse("f", []byte("[[games]]\nplayer = 'mcts'\n"+line+"\n[trainer]\ntrain = ['x']\n"))
		return err
	}
	for _, s := range selfplay.Settings {
		key := strings.ReplaceAll(s.Name(), "-", "_")
		more := "\ngames = 4"
		switch key {
		case "games":
			more = ""
		case "opening_min":
			more += "\nopening_max = 10"
		}
		if err := table(key + " = " + s.Text(&want) + more); err != nil {
			t.Errorf("[[games]] %s: %v", key, err)
		}
		if err := table(key + " = -7" + more); err == nil || !strings.Contains(err.Error(), key+": -7: want") {
			t.Errorf("[[games]] %s = -7: %v", key, err)
		}
	}
	defaults := engine.DefaultTreeSettings(16)
	worker := loop.Worker{Loader: networks.NewLoader(networks.LoaderOptions{})}
	for _, s := range engine.TreeSettingsList {
		c := loop.DefaultConfig()
		text := s.Text(&defaults)
		if s.Name() == "solver-leaf" {
			text = "9"
		}
		c.Games = []loop.Games{{Player: "mcts:" + s.Name() + "=" + text, Options: selfplay.Options{Games: 4}}}
		_, without := flagless["selfplay"][s.Name()]
		if err := worker.Check(&c); without != (err != nil) {
			t.Errorf("a table's player with %s: %v", s.Name(), err)
		}
	}
}

// playerTakes wants the description of a player to be good.
func playerTakes(t *testing.T, text string) {
	t.Helper()
	spec, err := players.ParseSpec(text)
	if err == nil {
		_, err = players.ParsePlayer(spec)
	}
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
}

var machines = flag.String("machines", "",
	"kinds of machine that must compute the same, such as amd64/v1,amd64/v3,arm64; what is not this one's runs under "+
		"qemu-user")

// A line network and both searches that ask it compute the same on every kind of
// machine: moves, nodes, scores and the bytes of samples.
func TestMachinesComputeTheSame(t *testing.T) {
	var first map[string]string
	for _, kind := range strings.Split(*machines, ",") {
		if kind == "" {
			continue
		}
		got := computed(t, kind)
		if first == nil {
			first = got
		}
		for what, text := range got {
			if text != first[what] {
				t.Errorf("%s: %s differs from that of the first of %s:\n%s\n%s", kind, what, *machines, text, first[what])
			}
		}
	}
}

// computed returns what a program for a kind of machine computes.
func computed(t *testing.T, kind string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	arch, level, _ := strings.Cut(kind, "/")
	program := filepath.Join(dir, "carozero")
	build := exec.Command("go", "build", "-pgo=off", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+arch, "GOAMD64="+level)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", kind, err, out)
	}
	run := func(args ...string) []byte {
		cmd := exec.Command(program, args...)
		if arch == "arm64" {
			cmd = exec.Command("qemu-aarch64-static", append([]string{program}, args...)...)
		}
		var failed bytes.Buffer
		cmd.Stderr = &failed
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v: %v\n%s", kind, args, err, failed.String())
		}
		return out
	}
	found := map[string]string{}
	for _, rule := range []string{"caro", "renju", "school42"} {
		position := []string{"search", "--rule", rule, "--position", "h8h9i9g10", "--json"}
		found["classical "+rule] = untimed(t,
			run(append(position, "--engine", "alphabeta", "--net", lineModel, "--nodes", "20000")...))
		found["tree "+rule] = untimed(t, run(append(position, "--model", lineModel, "--playouts", "300")...))
	}
	samples := filepath.Join(dir, "run")
	run("selfplay", "--model", lineModel, "--games", "2", "--playouts", "60", "--size", "9", "--seed", "3", "--out",
		samples)
	shard, err := os.ReadFile(filepath.Join(samples, "shard-000000.msgpack.zst"))
	if err != nil {
		t.Fatal(err)
	}
	found["samples"] = string(shard)
	return found
}

// lineModel is a shipped line network.
const lineModel = "taught7-line16"

// untimed returns a report without times.
func untimed(t *testing.T, report []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(report, &v); err != nil {
		t.Fatalf("%v: %s", err, report)
	}
	text, err := json.MarshalIndent(without(v), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// without leaves out every number of milliseconds or per second.
func without(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if strings.HasSuffix(key, "_ms") || strings.HasSuffix(key, "_per_s") {
				delete(v, key)
			} else {
				v[key] = without(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	}
	return v
}
