package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/carozero/carozero/internal/support/option"
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
	lines = append(lines, []string{"samples", "verify"}, []string{"models", "show"})
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
