package report

import (
	"fmt"
	"io"

	"github.com/carozero/carozero/internal/fetch"
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

// Installed is what "runtime install" prints.
type Installed struct{ fetch.Result }

// Text implements [Report].
func (r Installed) Text(w io.Writer) {
	fmt.Fprintf(w, "ONNX Runtime %s: %s\n", r.Version, r.Path)
}
