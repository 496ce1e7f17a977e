package main

import (
	"bufio"
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

	"github.com/carozero/carozero/internal/disk"
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

// newProgress returns a progress bar on standard error if that is a terminal,
// and one that shows nothing otherwise: the work begins. A bar without a total turns only on
// progress: the library's own ticking is a goroutine that reads the bar's state
// without its lock (v3.19.1).
func newProgress(cmd *cobra.Command, total int, what string) *progress {
	begin(cmd)
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
	mu    sync.Mutex
	file  io.Writer
	begin func() // is called before anything is written
	stop  func() // is called at the first error
	err   error
}

// Write implements io.Writer.
func (r *results) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.write(printable(string(p)), len(p))
}

// write writes text, which stands for n bytes of a Write.
func (r *results) write(text string, n int) (int, error) {
	if r.err == nil {
		r.begin()
		if _, r.err = io.WriteString(r.file, text); r.err != nil {
			r.stop()
		}
	}
	if r.err != nil {
		return 0, r.err
	}
	return n, nil
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

// warnings is the command's standard error, which holds its warnings until the work begins: a
// command line that turns out to be wrong before that is told alone. Work has begun with
// whatever the command prints besides. It is safe for concurrent use.
type warnings struct {
	io.Writer
	mu    sync.Mutex
	begun bool
	held  []byte
}

// Write implements [io.Writer]; the work has begun.
func (w *warnings) Write(p []byte) (int, error) {
	w.begin()
	return w.Writer.Write(p)
}

// begin writes what is held.
func (w *warnings) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun = true
	_, _ = w.Writer.Write(w.held) // whoever reads no messages misses these too
	w.held = nil
}

// Fd returns the descriptor of the file behind the writer, or that of none.
func (w *warnings) Fd() uintptr {
	if f, ok := w.Writer.(interface{ Fd() uintptr }); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// begin lets the warnings of a command out, whose checks are done.
func begin(cmd *cobra.Command) {
	if w, held := cmd.ErrOrStderr().(*warnings); held {
		w.begin()
	}
}

// warn writes a line to a command's standard error, when its work has begun.
func warn(to io.Writer, text string) {
	line := "carozero: " + oneLine(text) + "\n"
	w, held := to.(*warnings)
	if !held {
		_, _ = io.WriteString(to, line)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held = append(w.held, line...); w.begun {
		_, _ = w.Writer.Write(w.held)
		w.held = nil
	}
}

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
