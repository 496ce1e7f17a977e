package main

import (
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/front/report"
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
			r := report.Version{
				Version: version, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
			}
			loader := net.loader()
			// A missing runtime is an answer here, not a failure.
			if rt, err := loader.Runtime(); err != nil {
				r.RuntimeError = err.Error()
			} else {
				r.Runtime, r.RuntimePath = rt.Version(), rt.Path()
			}
			return output.print(cmd, r)
		},
	}
	net.registerRuntime(cmd)
	output.register(cmd)
	return cmd
}

// build names this build of the program, for files that only the same build may continue. A
// build with an unknown commit, or with changes beside it, is named by the SHA-256 of its
// executable.
func build() (string, error) {
	if commit != "unknown" && !strings.HasSuffix(version, "-dirty") {
		return version + " " + commit, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	sum, err := players.FileSHA256(path)
	return version + " " + sum, err
}
