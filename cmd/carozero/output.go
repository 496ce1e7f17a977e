package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

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

// newProgress returns a progress bar on standard error if that is a terminal, and one that shows
// nothing otherwise. A bar without a total turns only on progress: the library's own ticking
// reads the bar's state without its lock (v3.19.1).
func newProgress(total int, what string) *progress {
	var to io.Writer = io.Discard
	if isTerminal(os.Stderr) {
		to = os.Stderr
	}
	return &progress{progressbar.NewOptions(total,
		progressbar.OptionSetSpinnerChangeInterval(0),
		progressbar.OptionSetVisibility(to != io.Discard),
		progressbar.OptionSetWriter(to),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// results is the command's standard output. It writes text as printable has it and remembers the
// first error, after which it writes nothing more and ends the command. It is safe for
// concurrent use.
type results struct {
	mu   sync.Mutex
	file io.Writer
	stop func() // is called at the first error
	err  error
}

// Write implements io.Writer.
func (r *results) Write(p []byte) (int, error) { return len(p), r.write(printable(string(p))) }

func (r *results) write(text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		if _, r.err = io.WriteString(r.file, text); r.err != nil {
			r.stop()
		}
	}
	return r.err
}

// failure returns the first error of a Write.
func (r *results) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// fileBytes writes the bytes of a file to results, as they are.
type fileBytes struct{ *results }

// Write implements io.Writer.
func (f fileBytes) Write(p []byte) (int, error) { return len(p), f.write(string(p)) }

// fileOutput returns the command's standard output for a file that --out - sends there:
// with the bytes that a file would have, unless a person is to see them.
func fileOutput(cmd *cobra.Command) io.Writer {
	if r, ours := cmd.OutOrStdout().(*results); ours && !isTerminal(r.file) {
		return fileBytes{r}
	}
	return cmd.OutOrStdout()
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

// warn writes a line to a command's standard error.
func warn(to io.Writer, text string) { fmt.Fprintln(to, "carozero: "+oneLine(text)) }

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

// await returns what read does, or the error of ctx if that ends first, since a read of a terminal
// or a pipe cannot be stopped. read then goes on until the process ends.
func await[T any](ctx context.Context, read func() (T, error)) (none T, err error) {
	if err := ctx.Err(); err != nil {
		return none, err
	}
	var value T
	var failure error
	done := make(chan struct{})
	go func() {
		defer close(done)
		value, failure = read()
	}()
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case <-done:
		return value, failure
	}
}
