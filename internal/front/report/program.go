package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/carozero/carozero/internal/support/npm"
)

// Version is what "version" prints.
type Version struct {
	Version      string `json:"version"`
	Commit       string `json:"commit"`
	Go           string `json:"go"`
	Platform     string `json:"platform"`
	Runtime      string `json:"onnxruntime"`
	RuntimePath  string `json:"onnxruntime_path"`
	RuntimeError string `json:"onnxruntime_error,omitempty"`
}

// Text implements [Report].
func (r Version) Text(w io.Writer) {
	fmt.Fprintf(w, "carozero %s (commit %s, %s, %s)\n", r.Version, r.Commit, r.Go, r.Platform)
	if r.RuntimeError != "" {
		fmt.Fprintln(w, r.RuntimeError)
		return
	}
	fmt.Fprintf(w, "ONNX Runtime %s at %s\n", r.Runtime, r.RuntimePath)
}

// Runtime is what "runtime show" prints.
type Runtime struct {
	Pinned  string  `json:"pinned"`  // the version that "runtime install" fetches
	Version string  `json:"version"` // of the library that was loaded; "": none
	Path    string  `json:"path"`
	Error   string  `json:"error,omitempty"`
	Places  []Place `json:"places"`
}

// Place is where a library is looked for, with what was found or what is wrong there.
type Place struct {
	Where string `json:"where"`
	Path  string `json:"path,omitempty"`
	Error string `json:"error,omitempty"`
}

// Text implements [Report].
func (r Runtime) Text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, place := range r.Places {
		fmt.Fprintf(t, "%s\t%s%s\n", place.Where, place.Path, place.Error)
	}
	t.Flush()
	if r.Error != "" {
		fmt.Fprintln(w, r.Error)
		return
	}
	fmt.Fprintf(w, "loaded: ONNX Runtime %s at %s\n", r.Version, r.Path)
}

// Installed is what "runtime install" prints.
type Installed struct{ npm.Result }

// Text implements [Report].
func (r Installed) Text(w io.Writer) {
	fmt.Fprintf(w, "ONNX Runtime %s: %s\n", r.Version, r.Path)
}
