package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/support/limitio"
)

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
		return statusFailed, oneLine(fmt.Sprintf("standard output: %v", limitio.Cause(unwritten)))
	}
	status, text := exitStatus(err)
	if !closedPipe(unwritten) {
		status, text = statusFailed, oneLine(fmt.Sprintf("%s; standard output: %v", text, limitio.Cause(unwritten)))
	}
	return status, text
}
