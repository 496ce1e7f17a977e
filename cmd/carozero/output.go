package main

import (
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/carozero/carozero/internal/front/report"
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
		return &progress{progressbar.NewOptions(total, progressbar.OptionSetVisibility(false), progressbar.OptionSetWriter(io.Discard), still)}
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
