package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/internal/disk"
)

// Whatever a text holds, a terminal shows all of it and obeys nothing; in JSON
// it stands for the same text.
func TestPrintable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()),
			func(b []byte) string { return string(b) }),
			rapid.Map(rapid.SliceOf(rapid.Int32Range(0, 0xa0)), func(c []int32) string { return string(c) })).Draw(t, "text")
		shown := printable(text)
		if strings.IndexFunc(shown, obeyed) >= 0 || !utf8.ValidString(shown) {
			t.Fatalf("%q is shown as %q", text, shown)
		}
		var encoded bytes.Buffer
		enc := json.NewEncoder(&encoded)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(text); err != nil {
			t.Fatal(err)
		}
		var back string
		if err := json.Unmarshal([]byte(printable(encoded.String())), &back); err != nil ||
			back != strings.ToValidUTF8(text, "\ufffd") && utf8.ValidString(text) {
			t.Fatalf("%q comes back from JSON as %q, %v", text, back, err)
		}
	})
	for text, want := range map[string]string{
		"plain\ttext\n": "plain\ttext\n", "\x1b[31m": `\u001b[31m`, "a\rb": `a\u000db`, "\u009b1m": `\u009b1m`,
		"\x9b1m": `\ufffd1m`, "\u202egnp": `\u202egnp`, "é 囲 ♟": "é 囲 ♟", "\x7f": `\u007f`,
	} {
		if got := printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A file has the same bytes on standard output as under a name, whatever is in it; the
// first write that fails ends the command there too.
func TestFilesOnStandardOutput(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.sgf")
	writeFile(t, in, []byte("(;GM[4]SZ[15]RU[freestyle]PB[王\u200f李];B[hh]C["+strings.Repeat("围棋é", 2000)+
		"];W[hi])\n"))
	for _, to := range []string{"sgf", "text"} {
		args := []string{"convert", in, "--to", to}
		named := filepath.Join(dir, "out")
		mustRun(t, append(args, "--out", named)...)
		want, err := os.ReadFile(named)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(named); err != nil {
			t.Fatal(err)
		}
		var out, messages bytes.Buffer
		ctx, stop := context.WithCancelCause(t.Context())
		status, text := perform(ctx, stop, append(args, "--out", "-"), strings.NewReader(""), &out, &messages)
		stop(nil)
		if status != 0 || !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%s: status %d, %q: %d bytes, want the %d of the file", to, status, text, out.Len(), len(want))
		}
		if status, text := performed(t, append(args, "--out", "-"), strings.NewReader(""),
			failing{errDisk}); status != statusFailed || text != "standard output: no space left on device" {
			t.Errorf("%s on a full disk: status %d, %q", to, status, text)
		}
	}
}

// failing is a standard output that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// errDisk is what a full disk says.
var errDisk = &os.PathError{Op: "write", Path: "/dev/stdout", Err: errors.New("no space left on device")}

// performed runs a command line until it ends.
func performed(t *testing.T, args []string, in io.Reader, out io.Writer) (int, string) {
	t.Helper()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	return perform(ctx, stop, args, in, out, out)
}

// folderWriters are the commands that write to a new folder or file, their last argument.
var folderWriters = []string{
	"selfplay", "samples export", "samples pack", "samples unpack",
	"cluster coordinator",
}

// No command is done, with status 0, when its results could not be written; and
// none fails, or says anything, when its reader has seen enough.
func TestResultsThatCannotBeWritten(t *testing.T) {
	table := cheap(t)
	_, closed := closedPipeEnd(t)
	for _, name := range allActions() {
		line, known := table[name]
		if unprinted[name] {
			continue
		}
		if !known {
			t.Errorf("%s: the table has no arguments for it", name)
			continue
		}
		args := append(strings.Fields(name), strings.Fields(line[0])...)
		fresh := func(out string) []string {
			if !slices.Contains(folderWriters, name) {
				return args
			}
			return append(args[:len(args)-1:len(args)-1], filepath.Join(t.TempDir(), out))
		}
		status, text := performed(t, fresh("full"), strings.NewReader(line[1]), failing{errDisk})
		if want := "standard output: no space left on device"; status != statusFailed || text != want {
			t.Errorf("%s on a full disk: status %d, %q, want %d, %q", name, status, text, statusFailed, want)
		}
		// the others print in the same ways
		if name != "search" && name != "version" && name != "selfplay" && name != "convert" {
			continue
		}
		status, text = performed(t, fresh("closed"), strings.NewReader(line[1]), closed)
		if status != 0 || text != "" {
			t.Errorf("%s into a closed pipe: status %d, %q, want 0 and nothing", name, status, text)
		}
	}
}

// closedPipeEnd returns the ends of a pipe without a reader. The one for
// reading is closed at once, the other with the test.
func closedPipeEnd(t *testing.T) (read, write *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { write.Close() })
	read.Close()
	return read, write
}

// What was wrong before anything was written counts, too.
func TestVerdicts(t *testing.T) {
	ctx := t.Context()
	found, pipe := errors.Join(errors.New("two"), errFound), &os.PathError{Op: "write", Path: "x", Err: brokenPipe(t)}
	for _, c := range []struct {
		err, unwritten error
		status         int
		text           string
	}{
		{nil, nil, 0, ""},
		{errors.New("bad"), nil, 1, "bad"},
		{errors.New("bad"), pipe, 1, "bad"},
		{errors.New("bad"), errDisk, 1, "bad; standard output: no space left on device"},
		{found, pipe, 3, "two"},
		{found, errDisk, 1, "two; standard output: no space left on device"},
		{usagef("--x"), pipe, 2, "--x"},
		{context.Canceled, pipe, 0, ""},
		{context.Canceled, errDisk, 1, "standard output: no space left on device"},
		{context.Canceled, nil, 1, "interrupted: nothing of it is kept"},
	} {
		if status, text := verdict(ctx, c.err, c.unwritten); status != c.status || text != c.text {
			t.Errorf("%v, %v: %d %q, want %d %q", c.err, c.unwritten, status, text, c.status, c.text)
		}
	}
	ended, cancel := context.WithCancelCause(ctx)
	cancel(nil)
	if status, text := verdict(ended, context.Canceled, pipe); status != 1 || !strings.HasPrefix(text, "interrupted") {
		t.Errorf("interrupted, and the pipe closed: %d %q", status, text)
	}
}

// brokenPipe returns the system's error for a write without a reader.
func brokenPipe(t *testing.T) error {
	_, write := closedPipeEnd(t)
	_, err := write.WriteString("x")
	return disk.Cause(err)
}

// The program itself, with real descriptors: a closed pipe on standard output
// ends it quietly, one on standard error changes nothing.
func TestClosedPipesOfAProcess(t *testing.T) {
	_, closed := closedPipeEnd(t)
	var messages bytes.Buffer
	quiet := program("perft", "--depth", "2", "--divide")
	quiet.Stdout, quiet.Stderr = closed, &messages
	_ = quiet.Run() // its status is looked at
	if exitOf(quiet) != 0 || messages.Len() > 0 {
		t.Errorf("standard output closed: status %d, %q", exitOf(quiet), messages.String())
	}
	failed := program("search", "--nonsense")
	failed.Stderr = closed
	if _ = failed.Run(); exitOf(failed) != statusUsage {
		t.Errorf("a message that nobody reads: status %d", exitOf(failed))
	}
}

// What files hold reaches a terminal only as text.
func TestFilesDoNotControlTheTerminal(t *testing.T) {
	dir := t.TempDir()
	evil := "\x1b]0;owned\a\u009b2J\u202e"
	sgf, suite, list, diagram := filepath.Join(dir, "e\x1b[2J.sgf"), filepath.Join(dir, "s.txt"), filepath.Join(dir,
		"l.txt"), filepath.Join(dir, "d.txt")
	writeFile(t, sgf, []byte("(;GM[4]SZ[15]RU["+evil+"];B[hh])"))
	writeFile(t, suite, []byte("caro 15 vcf "+evil+" 3 h8 h8\n"))
	writeFile(t, list, []byte("h8"+evil+"\n"))
	writeFile(t, diagram, []byte(".....\n"+evil+"\n"))
	for _, args := range [][]string{
		{"crosscheck", "--input", sgf},
		{"crosscheck", "--input", list},
		{"tactics", "--suite", suite},
		{"search", "--board", diagram},
		{"search", "--model", filepath.Join(dir, evil+".onnx")},
		{"models", "verify", sgf},
		{"match", "--a", "alphabeta:nodes=10", "--b", "exec:" + filepath.Join(dir, evil), "--games", "1"},
	} {
		var out bytes.Buffer
		status, text := performed(t, args, strings.NewReader(""), &out)
		if status == 0 || text == "" || strings.ContainsFunc(text+out.String(), obeyed) || strings.Contains(text, "\n") {
			t.Errorf("%q: status %d, %q, %q", args, status, text, out.String())
		}
	}
}

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
	return perform(d, d.end, args, in, out, io.Discard)
}

// immediate are the commands that are done at once, whatever comes.
var immediate = []string{
	"forbidden", "version", "models list", "samples inspect", "book show", "book query", "help", "loop config",
	"loop status", "show",
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
