package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/nn/onnx"
)

// newRuntime returns the command "runtime".
func newRuntime() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runtime",
		Short: "Install ONNX Runtime, and show where it is looked for",
		Args:  cobra.ArbitraryArgs,
		RunE:  groupRun,
	}
	cmd.AddCommand(newRuntimeInstall(), newRuntimeShow())
	return cmd
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
			loader, err := net.loader()
			if err != nil {
				return err
			}
			report := runtimeReport{Pinned: onnx.PinnedVersion}
			for _, place := range loader.Search().Places() {
				row := placeReport{Where: place.Where, Path: place.Path}
				if place.Err != nil {
					row.Error = place.Err.Error()
				}
				report.Places = append(report.Places, row)
			}
			if rt, err := loader.Runtime(); err != nil {
				report.Error = err.Error()
			} else {
				report.Version, report.Path = rt.Version(), rt.Path()
			}
			return output.print(cmd.OutOrStdout(), report, report.text)
		},
	}
	net.registerLibrary(cmd)
	output.register(cmd)
	return cmd
}

// runtimeReport is the result of "runtime show".
type runtimeReport struct {
	Pinned  string        `json:"pinned"`  // the version that "runtime install" fetches
	Version string        `json:"version"` // of the library that was loaded; "": none
	Path    string        `json:"path"`
	Error   string        `json:"error,omitempty"`
	Places  []placeReport `json:"places"`
}

type placeReport struct {
	Where string `json:"where"`
	Path  string `json:"path,omitempty"`
	Error string `json:"error,omitempty"`
}

func (r runtimeReport) text(w io.Writer) {
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
