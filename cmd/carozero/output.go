package main

import (
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// outputFlags choose between text and JSON.
type outputFlags struct{ json bool }

func (f *outputFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.json, "json", false, "print exactly one JSON object to standard output")
}

// print writes v as JSON, or calls text. What text could not write, the
// program's standard output remembers; see results.
func (f *outputFlags) print(w io.Writer, v any, text func(io.Writer)) error {
	if !f.json {
		text(w)
		return nil
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// newProgress returns a progress bar on standard error if that is a terminal,
// and one that shows nothing otherwise. A bar without a total turns only on
// progress: the library's own ticking is a goroutine that reads the bar's state
// without its lock (v3.19.1).
func newProgress(total int, what string) *progressbar.ProgressBar {
	still := progressbar.OptionSetSpinnerChangeInterval(0)
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return progressbar.NewOptions(total, progressbar.OptionSetVisibility(false), progressbar.OptionSetWriter(io.Discard), still)
	}
	return progressbar.NewOptions(total,
		still,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}
