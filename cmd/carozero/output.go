package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/report"
)

// outputFlags choose between text and JSON.
type outputFlags struct{ json bool }

func (f *outputFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.json, "json", false, "print exactly one JSON object to standard output")
}

// print writes a report to standard output.
func (f *outputFlags) print(cmd *cobra.Command, r report.Report) error {
	return f.printTo(cmd.OutOrStdout(), r)
}

// printAfter is print for work that ended with err, which it returns if there is one.
func (f *outputFlags) printAfter(cmd *cobra.Command, err error, r report.Report) error {
	if printErr := f.print(cmd, r); err == nil {
		err = printErr
	}
	return err
}

// printTo writes a report as JSON or as text. What its text could not write, the
// program's standard output remembers; see results.
func (f *outputFlags) printTo(w io.Writer, r report.Report) error {
	if !f.json {
		r.Text(w)
		return nil
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress is a bar that shows how far work has come. Errors of drawing are ignored.
type progress struct{ *progressbar.ProgressBar }

// step moves the bar on by one.
func (p *progress) step() { _ = p.Add(1) }

// at moves the bar to what is done, and changes what is to be done in all.
func (p *progress) at(done, all int) {
	p.ChangeMax(all)
	_ = p.Set(done)
}

// newProgress returns a progress bar on standard error if that is a terminal,
// and one that shows nothing otherwise. A bar without a total turns only on
// progress: the library's own ticking is a goroutine that reads the bar's state
// without its lock (v3.19.1).
func newProgress(total int, what string) *progress {
	still := progressbar.OptionSetSpinnerChangeInterval(0)
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return &progress{
			progressbar.NewOptions(total, progressbar.OptionSetVisibility(false), progressbar.OptionSetWriter(io.Discard),
				still),
		}
	}
	return &progress{progressbar.NewOptions(total,
		still,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// results is the command's standard output. It writes text as printable has it
// and remembers the first error, after which it writes nothing more and
// ends the command. It is safe for concurrent use.
type results struct {
	mu   sync.Mutex
	file io.Writer
	stop func() // is called at the first error
	part []byte // of a character whose rest the next Write has
	err  error
}

// Write implements io.Writer.
func (r *results) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := append(r.part, p...)
	whole := len(text) - begun(text)
	r.part = slices.Clone(text[whole:])
	return r.write(printable(string(text[:whole])), len(p))
}

// write writes text, which stands for n bytes of a Write.
func (r *results) write(text string, n int) (int, error) {
	if r.err == nil {
		if _, r.err = io.WriteString(r.file, text); r.err != nil {
			r.stop()
		}
	}
	if r.err != nil {
		return 0, r.err
	}
	return n, nil
}

// end writes what is left of a character that was not completed.
func (r *results) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.part) > 0 {
		_, _ = r.write(printable(string(r.part)), 0) // failure has the error
		r.part = nil
	}
}

// begun returns how many bytes at the end of text begin a character that is not complete.
func begun(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// fileBytes writes the bytes of a file to results, as they are.
type fileBytes struct{ *results }

// Write implements io.Writer.
func (f fileBytes) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.write(string(p), len(p))
}

// fileOutput returns the command's standard output for a file that --out - sends there:
// with the bytes that a file would have, unless a person is to see them.
func fileOutput(cmd *cobra.Command) io.Writer {
	if r, ours := cmd.OutOrStdout().(*results); ours && !isTerminal(r.file) {
		return fileBytes{r}
	}
	return cmd.OutOrStdout()
}

// failure returns the first error of a Write.
func (r *results) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// notes is the command's standard error, with text as printable has it. Write never fails:
// the command goes on whether its messages are read or not.
type notes struct{ file *os.File }

// Write implements io.Writer.
func (n notes) Write(p []byte) (int, error) {
	_, _ = io.WriteString(n.file, printable(string(p)))
	return len(p), nil
}

// Fd returns the descriptor of the file behind the writer.
func (n notes) Fd() uintptr { return n.file.Fd() }

// printable returns text without anything that a terminal obeys or that turns
// what it shows around: control characters but for line ends and tabs, the
// overrides of writing direction, and bytes that are not UTF-8. They become
// escapes such as \u001b, which in JSON stand for the same characters.
func printable(text string) string {
	if strings.IndexFunc(text, obeyed) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, c := range text {
		if obeyed(c) || c == utf8.RuneError {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// obeyed reports whether a terminal does anything but show c.
func obeyed(c rune) bool {
	return c != '\n' && c != '\t' && unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)
}

// oneLine joins the lines of a message; spaces inside a line stay as they are.
func oneLine(text string) string {
	if strings.ContainsAny(text, "\n\r\t\v\f") {
		text = strings.Join(strings.Fields(text), " ")
	}
	return printable(text)
}

// closedPipe reports whether err means that the reader of a pipe has closed
// it.
func closedPipe(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // of Windows
	return errors.Is(err, syscall.EPIPE) ||
		runtime.GOOS == "windows" && (errors.Is(err, brokenPipe) || errors.Is(err, noData))
}

// verdict returns the exit status and the line to print for the error of a
// command and that of its standard output, either of them nil. A reader that
// closes the pipe is not a failure, and silences the command; results that could not be
// written are a failure, whatever the command returns.
func verdict(ctx context.Context, err, unwritten error) (int, string) {
	switch {
	case unwritten == nil && err == nil:
		return 0, ""
	case unwritten == nil:
		return exitStatus(err)
	}
	if err == nil || errors.Is(err, unwritten) || errors.Is(err, context.Canceled) && !signalled(ctx) {
		if closedPipe(unwritten) {
			return 0, ""
		}
		return statusFailed, oneLine(fmt.Sprintf("standard output: %v", disk.Cause(unwritten)))
	}
	status, text := exitStatus(err)
	if !closedPipe(unwritten) {
		status, text = statusFailed, oneLine(fmt.Sprintf("%s; standard output: %v", text, disk.Cause(unwritten)))
	}
	return status, text
}

// longestLine bounds a line that a person types, in bytes.
const longestLine = 4096

// lines reads lines; an interrupt need not wait for one.
type lines struct {
	lines chan string
	errs  chan error
}

func newLines(ctx context.Context, r io.Reader) *lines {
	l := &lines{lines: make(chan string), errs: make(chan error, 1)}
	go func() {
		scanner := bufio.NewScanner(r)
		scanner.Buffer(nil, longestLine)
		number := 1
		for ; scanner.Scan(); number++ {
			select {
			case l.lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
		if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
			l.errs <- fmt.Errorf("standard input: line %d is longer than %d bytes", number, longestLine)
			return
		} else if err != nil {
			l.errs <- fmt.Errorf("standard input: %w", err)
			return
		}
		l.errs <- io.EOF
	}()
	return l
}

// next returns the next line, or the error of ctx once it has ended, even if a line is
// there.
func (l *lines) next(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case err := <-l.errs:
		return "", err
	case line := <-l.lines:
		return line, nil
	}
}

// Set by the linker; see the Makefile.
var linkedVersion, linkedCommit string

// The program's version and commit, as samples, records and reports carry them.
var version, commit = stamp(linkedVersion, linkedCommit, debug.ReadBuildInfo)

// unknown stands for what a build does not tell.
const unknown = "unknown"

// commitLength is how many digits of a commit are shown.
const commitLength = 12

// pseudoVersion matches the version of a module at a commit without a tag.
var pseudoVersion = regexp.MustCompile(`[-.][0-9]{14}-([0-9a-f]{12})(?:\+.*)?$`)

// stamp returns the version and commit of a build: what the linker was told,
// else what the go command wrote into it. `go install` of a module knows its
// version, `go build` in a repository its commit.
func stamp(version, commit string, read func() (*debug.BuildInfo, bool)) (string, string) {
	info, ok := read()
	if ok && version == "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	if ok && commit == "" {
		commit = revision(info)
	}
	if version == "" {
		version = unknown
	}
	if commit == "" {
		commit = unknown
	}
	return version, commit
}

// revision returns the commit that the go command knows of, "" if none.
func revision(info *debug.BuildInfo) string {
	var found, dirty string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			found = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if found != "" {
		return found[:min(len(found), commitLength)] + dirty
	}
	if m := pseudoVersion.FindStringSubmatch(info.Main.Version); m != nil {
		return m[1]
	}
	return ""
}
