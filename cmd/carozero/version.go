package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine"
)

// newVersion returns the command "version".
func newVersion() *cobra.Command {
	var (
		net    netFlags
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Show the version, the commit, Go's version, and the ONNX Runtime that was found",
		Example: "  carozero version --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report := versionReport{
				Version: version, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
			}
			loader, err := net.loader()
			if err != nil {
				return err
			}
			// A missing runtime is an answer here, not a failure.
			if rt, err := loader.Runtime(); err != nil {
				report.RuntimeError = err.Error()
			} else {
				report.Runtime, report.RuntimePath = rt.Version(), rt.Path()
			}
			return output.print(cmd.OutOrStdout(), report, report.text)
		},
	}
	net.registerRuntime(cmd)
	output.register(cmd)
	return cmd
}

type versionReport struct {
	Version      string `json:"version"`
	Commit       string `json:"commit"`
	Go           string `json:"go"`
	Platform     string `json:"platform"`
	Runtime      string `json:"onnxruntime"`
	RuntimePath  string `json:"onnxruntime_path"`
	RuntimeError string `json:"onnxruntime_error,omitempty"`
}

func (r versionReport) text(w io.Writer) {
	fmt.Fprintf(w, "carozero %s (commit %s, %s, %s)\n", r.Version, r.Commit, r.Go, r.Platform)
	if r.RuntimeError != "" {
		fmt.Fprintln(w, r.RuntimeError)
		return
	}
	fmt.Fprintf(w, "ONNX Runtime %s at %s\n", r.Runtime, r.RuntimePath)
}

// build names this build of the program for files that only the same may go on
// with. One that was not told its commit, or is not quite of it, is named by the
// SHA-256 of its executable.
func build() (string, error) {
	if commit != "unknown" && !strings.HasSuffix(version, "-dirty") {
		return version + " " + commit, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	sum, err := engine.FileSHA256(path)
	return version + " " + sum, err
}
