package main

import (
	"bytes"
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/carozero/carozero/internal/support/option"
)

var numbers = flag.Int("numbers", 5, "hostile values that each flag for a number is given, drawn for each; all if there are fewer")

// hostile are values that no flag for a number may choke on.
var hostile = []string{
	"0", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1000000000000000000", "1000000000000",
	"NaN", "Inf", "-Inf", "1e400", "1e18", "-1e18", "1e18s", "2562047h47m16.854775807s", "-1s", "many", "", "1 2", strings.Repeat("9", 1000),
}

// beginnings are what commands need beside the flag that is tried. Nothing comes
// of any but an error, for want of files, or an end at once, because the context
// has ended.
func beginnings(t *testing.T) map[string]string {
	none, file := filepath.Join(t.TempDir(), "none"), filepath.Join(t.TempDir(), "file")
	writeFile(t, file, nil)
	return map[string]string{
		"selfplay":            "--model uniform --cache 0 --out " + filepath.Join(file, "run"),
		"cluster coordinator": "--model uniform --cache 0 --out " + filepath.Join(file, "run"),
		"cluster worker":      "--token-file " + none,
		"samples verify":      none,
		"samples unpack":      none + " --list",
		"search":              "--model uniform",
		"match":               "--cache 0 --a alphabeta:nodes=1,table=1 --b mcts:playouts=1,model=uniform",
		"tune":                "--cache 0 --player mcts:playouts=1,model=uniform --set cpuct",
		"play":                "--model uniform",
		"gomocup":             "--engine mcts --model uniform",
		"convert":             "--to sgf --out " + filepath.Join(file, "a.sgf") + " " + none,
		"show":                "--nth 1",
		"perft":               "--depth 1",
		"bitbase":             "--cards Crab,Crane,Dragon,Monkey,Tiger --out " + filepath.Join(file, "two.bitbase"),
		"bitbase verify":      none,
		"bitbase compare":     none,
		"book add":            filepath.Join(file, "a.book") + " --position a1",
		"book build":          filepath.Join(file, "a.book") + " --expansions 1",
		"book export":         none + " --out -",
		"book import":         filepath.Join(file, "a.book") + " " + none,
		"book prove":          none,
		"book prune":          none + " --min-games 1",
		"book query":          none,
		"bench":               "nn --model " + none + ".onnx",
		"tactics":             "--suite " + none,
		"tactics find":        none,
		"tactics holds":       "--suite " + none,
		"tactics dense":       "--engine alphabeta --rule freestyle --boards 1 --nodes 10 --least 0",
		"tactics claims":      "--rule freestyle --boards 1 --nodes 10",
		"tactics compose":     "--steps 1 --stones 2 --size 5 --nodes 10",
		"tactics mcts":        "--suite " + none,
		"crosscheck":          "--input " + none,
		"review":              none,
		"loop run":            filepath.Join(file, "loop") + " --config " + none,
		"fit":                 "--input " + none + " --out " + none,
		"fit order":           "--input " + none + " --out " + none,
		"fit play":            "--out " + filepath.Join(file, "games"),
	}
}

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
	eachFlag(newRoot(), func(path string, f *pflag.Flag) {
		o, ranged := f.Value.(*optionFlag)
		switch kind := f.Value.Type(); {
		case ranged:
			numbers++
			if _, seed := o.of.(option.Seed); !seed && o.Type() != "bool" && !strings.Contains(f.Usage, o.of.Range()) {
				t.Errorf("%s --%s: the help has no range: %s", path, f.Name, f.Usage)
			}
			if o.of.About() == "" || o.of.Name() != f.Name {
				t.Errorf("%s --%s: %+v", path, f.Name, o.of)
			}
		case kind != "string" && kind != "bool" && kind != "stringArray":
			t.Errorf("%s --%s: a flag of type %s without a range", path, f.Name, kind)
		}
	})
	if numbers < 60 {
		t.Errorf("only %d numbers found", numbers)
	}
}

// Whatever number is given for a flag, the command ends without a panic and
// without taking memory: it refuses the number in one line that names the flag,
// or the number is harmless. Each flag is given the ends of its range and a few of the
// hostile values, and each of these comes for many flags.
func TestNoNumberTakesTheMachineDown(t *testing.T) {
	begin := beginnings(t)
	rng := rand.New(rand.NewPCG(1, 1))
	eachFlag(newRoot(), func(path string, f *pflag.Flag) {
		if _, ok := f.Value.(*optionFlag); !ok {
			return
		}
		values := ends(f.Value.(*optionFlag).of)
		for _, i := range rng.Perm(len(hostile))[:min(*numbers, len(hostile))] {
			values = append(values, hostile[i])
		}
		for _, value := range values {
			args := append(strings.Fields(path), strings.Fields(begin[path])...)
			tryNumber(t, append(args, "--"+f.Name+"="+value), f.Name)
		}
	})
}

// ends returns the ends of a range; of sizes, which may be allocated at once, the
// smaller one.
func ends(o option.Option) []string {
	bounds, _, _ := strings.Cut(o.Range(), ",")
	bounds, size := strings.CutSuffix(bounds, " MiB")
	low, high, _ := strings.Cut(bounds, "..")
	if size {
		return []string{low}
	}
	return []string{low, high}
}

// mostTaken is what a command may allocate before it ends, in bytes: the most
// threads of a search, or the games of a run, and a table of the default size.
const mostTaken = 512 << 20

// tryNumber runs a command line with a context that has ended.
func tryNumber(t *testing.T, args []string, flag string) {
	t.Helper()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	root := newRoot()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetIn(strings.NewReader(""))
	root.SetArgs(args)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := root.ExecuteContext(ended)
	runtime.ReadMemStats(&after)
	line := strings.Join(args, " ")
	if len(line) > 120 {
		line = line[:120]
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > mostTaken {
		t.Errorf("%s takes %d MiB", line, taken>>20)
	}
	if err == nil {
		return
	}
	status, message := exitStatus(err)
	if strings.Contains(message, "\n") || len(message) > 400 {
		t.Errorf("%s: message %q", line, message)
	}
	if status == statusUsage && !strings.Contains(message, flag) {
		t.Errorf("%s: message %q, want one that names --%s", line, message, flag)
	}
}

// What several numbers take together is refused before anything is allocated.
func TestMemoryIsAddedUp(t *testing.T) {
	for _, args := range []string{
		"selfplay --out x --workers 1024 --at-once 4096",
		"selfplay --out x --workers 1024 --at-once 64 --in-flight 256 --model uniform --memory 1024",
		"selfplay --out x --cache 1048576 --workers 1024 --at-once 1024",
		"match --a alphabeta:table=262144 --b alphabeta:nodes=5 --workers 1024",
		"match --a mcts:memory=32768,time=1s --b alphabeta:nodes=5 --workers 1024",
		"crosscheck --input x --workers 1024 --alphabeta nodes=5,table=200000",
		"bench selfplay --threads 1024",
	} {
		status, _, message := run(t, strings.Fields(args)...)
		if status != statusUsage || !strings.Contains(message, "memory") || strings.Contains(message, "\n") {
			t.Errorf("%s: status %d, %q", args, status, message)
		}
	}
}

// A wrong value is shown as it was given if that is a plain word, and quoted
// and shortened otherwise.
func TestShownValue(t *testing.T) {
	for text, want := range map[string]string{
		"12": "12", "": `""`, "a b": `"a b"`, "\x1b[31m": `"\x1b[31m"`, strings.Repeat("9", 50): strings.Repeat("9", 40) + "...", `a"b`: `"a\"b"`,
	} {
		if got := shownValue(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// Whatever is wrong with a command line, the program's name comes once, from
// main.
func TestTheProgramIsNamedOnce(t *testing.T) {
	var lines [][]string
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		for _, wrong := range []string{"nonsense", "--nonsense", "--json=5", "--size=x", "--size"} {
			lines = append(lines, append(append([]string{}, path...), wrong))
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
	lines = append(lines, []string{"samples", "verify"}, []string{"models", "show"}, []string{"tactics", "find"})
	for _, args := range lines {
		status, _, message := run(t, args...)
		if status == 0 {
			t.Errorf("%v: status 0", args)
		}
		if strings.HasPrefix(message, "carozero") || strings.Contains(message, "\n") {
			t.Errorf("%v: message %q", args, message)
		}
	}
}

// Files that never end, are too large or are none are refused in one line, by
// whatever command reads them.
func TestFilesAreBounded(t *testing.T) {
	dir := t.TempDir()
	sparse := filepath.Join(dir, "sparse")
	writeFile(t, sparse, nil)
	if err := os.Truncate(sparse, 6<<30); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{sparse, folder, os.DevNull} {
		for _, args := range []string{
			"search --model " + path,
			"models show ./" + path,
			"search --model uniform --board " + path,
			"forbidden --board " + path,
			"match --a alphabeta:nodes=1 --b alphabeta:nodes=2 --openings " + path,
			"tactics --suite " + path,
			"crosscheck --input " + path,
			"fit --out x --input " + path,
			"tactics holds " + path,
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			status, _, message := run(t, strings.Fields(args)...)
			runtime.ReadMemStats(&after)
			if status != statusFailed || strings.Contains(message, "\n") || !strings.Contains(message, filepath.Base(path)) {
				t.Errorf("%s: status %d, %q", args, status, message)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 100<<20 {
				t.Errorf("%s takes %d MiB", args, taken>>20)
			}
		}
	}
}
