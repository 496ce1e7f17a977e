package main

import (
	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/nn/onnx"
)

// newRuntime returns the command "runtime".
func newRuntime() *cobra.Command {
	return group("runtime", "Install ONNX Runtime, and show where it is looked for",
		newRuntimeInstall(), newRuntimeShow())
}

func newRuntimeShow() *cobra.Command {
	var (
		net    netFlags
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show where ONNX Runtime is looked for, what is there, and what was loaded",
		Long: `Show where ONNX Runtime is looked for, in that order, what is there, and which
library was loaded. That none could be loaded is an answer, not a failure.`,
		Example: "  carozero runtime show --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loader := net.loader()
			r := report.Runtime{Pinned: onnx.PinnedVersion}
			for _, place := range loader.Search().Places() {
				row := report.Place{Where: place.Where, Path: place.Path}
				if place.Err != nil {
					row.Error = place.Err.Error()
				}
				r.Places = append(r.Places, row)
			}
			if rt, err := loader.Runtime(); err != nil {
				r.Error = err.Error()
			} else {
				r.Version, r.Path = rt.Version(), rt.Path()
			}
			return output.print(cmd, r)
		},
	}
	net.registerLibrary(cmd)
	output.register(cmd)
	return cmd
}
