package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/cobra"
)

// dying is a context that ends, as by a signal, when it has been asked for its
// error so often.
type dying struct {
	context.Context
	left atomic.Int64
	end  context.CancelCauseFunc
}

func newDying(t *testing.T, asked int64) *dying {
	ctx, end := context.WithCancelCause(t.Context())
	d := &dying{Context: ctx, end: end}
	d.left.Store(asked)
	if asked == 0 {
		end(nil)
	}
	return d
}

func (d *dying) Err() error {
	if d.left.Add(-1) < 0 {
		d.end(nil)
	}
	return d.Context.Err()
}

// dead runs a command line in a context that dies when it has been asked so
// often.
func dead(t *testing.T, asked int64, args []string, in io.Reader, out io.Writer) (int, string) {
	t.Helper()
	d := newDying(t, asked)
	defer d.end(nil)
	return perform(d, args, in, out, io.Discard)
}

// immediate are the commands that are done at once, whatever comes.
var immediate = []string{
	"forbidden", "version", "models list", "samples inspect", "book show", "book query", "help", "loop config",
	"loop status",
	"completion bash", "completion zsh", "completion fish", "completion powershell",
}

// Every command that a signal has ended before its work was done says so, in one
// line, with status 1, and says no more than is true; those that are done at
// once are done.
func TestEveryCommandSaysThatItWasInterrupted(t *testing.T) {
	table := cheap(t)
	table["play"] = [2]string{"--model uniform --size 5", ""}
	table["perft"] = [2]string{"--depth 8", ""}
	table["gomocup"] = [2]string{"", "ABOUT\n"}
	for _, name := range allActions() {
		line, known := table[name]
		if !known {
			if !unprinted[name] {
				t.Errorf("%s: the table has no arguments for it", name)
			}
			continue
		}
		args := append(strings.Fields(name), strings.Fields(line[0])...)
		if name == "selfplay" {
			args = append(args[:len(args)-1], filepath.Join(t.TempDir(), "run"))
		}
		var out bytes.Buffer
		status, text := dead(t, 0, args, strings.NewReader(line[1]), &out)
		switch {
		case slices.Contains(immediate, name), name == "gomocup": // its client gets nothing else
			if status != 0 {
				t.Errorf("%s: status %d, %q, want 0", name, status, text)
			}
		case status != statusFailed || !strings.HasPrefix(text, "interrupted: ") || strings.ContainsAny(text, "\n\t") ||
			strings.Contains(text, "context canceled"):
			t.Errorf("%s: status %d, %q, want 1 and what was interrupted", name, status, text)
		case strings.Contains(out.String(), "budget was spent"), strings.Contains(out.String(), "canceled"):
			t.Errorf("%s prints %q", name, out.String())
		}
	}
}

// Wherever the signal falls, the answer is the whole truth or none.
func TestASignalInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	suite := filepath.Join(dir, "suite.txt")
	writeFile(t, suite, []byte("freestyle 15 vcf win 1 h8h9i8i9j8j9k8k9 g8\n"))
	for name, line := range map[string]string{
		"solve":         "--rule freestyle --position h8i9h9i8j10k11g7f6l9j8 --kind vct --nodes 30000",
		"tactics":       "--suite " + suite,
		"models verify": "--size 9 " + testNet,
		"perft":         "--size 5 --depth 4",
		"search":        "--model uniform --size 7 --playouts 300",
		"fit": "--rule freestyle --input " + fitGames(t, "freestyle", "60") + " --out " + filepath.Join(dir,
			"weights.go"),
		"bench": "alphabeta --size 7 --depth 1",
	} {
		args := append(strings.Fields(name), strings.Fields(line)...)
		whole := mustRun(t, args...)
		ended := 0
		for _, asked := range []int64{1, 3, 20} {
			var out bytes.Buffer
			status, text := dead(t, asked, args, strings.NewReader(""), &out)
			switch {
			case status == statusFailed && strings.HasPrefix(text, "interrupted: ") && out.Len() == 0:
				ended++
			case status != 0 || text != "" || firstWords(out.String()) != firstWords(whole):
				t.Errorf("%s, ended at %d: status %d, %q, prints %q instead of %q", name, asked, status, text, out.String(), whole)
			}
		}
		if ended == 0 {
			t.Errorf("%s was never interrupted", name)
		}
	}
}

// The program ends although the diagram is never typed.
func TestASignalWhileADiagramIsAwaited(t *testing.T) {
	silent, typist := io.Pipe()
	defer typist.Close()
	if status, text := dead(t, 0, []string{"search", "--board", "-"}, silent, io.Discard); status != statusFailed ||
		!strings.HasPrefix(text, "interrupted: ") {
		t.Errorf("status %d, %q", status, text)
	}
}

// firstWords returns what of a text does not depend on the clock.
func firstWords(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(line)
	return strings.Join(words[:min(2, len(words))], " ")
}

// The command that an interruption names works, even if nothing was done yet.
func TestTheNamedCommandWorks(t *testing.T) {
	t.Setenv(asProgram, "1")
	dir, list := filepath.Join(t.TempDir(), "a folder's name"), filepath.Join(t.TempDir(), "list.txt")
	writeFile(t, list, []byte("c3b2\n"))
	for _, args := range [][]string{
		{"selfplay", "--model", "uniform", "--size", "5", "--games", "2", "--playouts", "8", "--out", dir + "/run"},
		{"crosscheck", "--input", list, "--size", "5", "--mcts", "playouts=4,model=uniform",
			"--alphabeta", "nodes=20", "--solver-nodes", "1", "--rows", dir + "/rows"},
		{"match", "--size", "5", "--a", "alphabeta:nodes=20,table=1", "--b", "alphabeta:nodes=30,table=1", "--games", "2",
			"--journal", dir + "/m.jsonl"},
		{"tune", "--size", "5", "--player", "mcts:playouts=4,model=uniform", "--set", "cpuct", "--pairs", "2", "--trial",
			"1", "--journal", dir + "/t.jsonl"},
		{"play", "--model", "uniform", "--size", "5", "--playouts", "4"},
		{"loop", "run", dir + "/loop", "--config", smallestLoop(t)},
	} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		status, text := dead(t, 0, args, strings.NewReader(""), io.Discard)
		if status != statusFailed {
			t.Errorf("%s: status %d, %q", args[0], status, text)
		}
		goOn(t, text)
	}
}

// goOn runs the command that a message names.
func goOn(t *testing.T, message string) {
	t.Helper()
	_, command, found := strings.Cut(message, "go on with: ")
	if !found {
		t.Fatalf("%q names no command to go on with", message)
	}
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v, %s", command, err, out)
	}
}

// A shell reads back what was quoted, whatever it is.
func TestQuotedWords(t *testing.T) {
	words := []string{
		"plain", "", "two words", "it's", `"$HOME"`, "`id`", "a\\b", "*", "~", "-n", "#x", "exec:./x  --fast:time=1s", "é",
		"a;b", "!",
	}
	line := "printf '%s|'"
	for _, w := range words {
		line += " " + quoted(w)
	}
	out, err := exec.Command("sh", "-c", line).Output()
	if want := strings.Join(words, "|") + "|"; err != nil || string(out) != want {
		t.Errorf("%s gives %q, %v, want %q", line, out, err, want)
	}
}

// Flags keep their values, lists their order, and those that were not given
// stay away.
func TestAgain(t *testing.T) {
	cmd := &cobra.Command{Use: "carozero", RunE: func(*cobra.Command, []string) error { return nil }}
	cmd.Flags().Bool("resume", false, "")
	cmd.Flags().Bool("off", true, "")
	cmd.Flags().Int("n", 3, "")
	cmd.Flags().Int("unset", 3, "")
	cmd.Flags().StringArray("player", nil, "")
	if err := cmd.ParseFlags([]string{"--player", "b c", "--n", "-4", "--player=a", "--off=false"}); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(again(cmd, []string{"x", "y z"}, map[string]string{"resume": "true"}), " ")
	if want := "--n=-4 --off=false --player 'b c' --player a --resume x 'y z'"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
