package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
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
