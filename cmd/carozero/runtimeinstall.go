package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/npm"
	"github.com/carozero/carozero/nn/onnx"
)

func newRuntimeInstall() *cobra.Command {
	var (
		dir, from string
		output    outputFlags
	)
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Fetch the pinned ONNX Runtime into the user's cache",
		Long: `Fetch ONNX Runtime ` + onnx.PinnedVersion + ` into the user's cache, where carozero looks for it, or
do nothing if it is there. It comes out of the npm package onnxruntime-node, from
the registry that NPM_CONFIG_REGISTRY names, else the one that npm uses, through
the proxy that HTTPS_PROXY names; npm itself does not fetch.
The package has 86 MB, and no more of it is downloaded than is needed: on Linux
less than a quarter. Nothing is installed whose SHA-256 is not the one built into
carozero, and an interrupted download leaves nothing behind: run it again.`,
		Example: `  carozero runtime install
  npm pack onnxruntime-node@` + onnx.PinnedVersion + ` && carozero runtime install --from onnxruntime-node-` + onnx.PinnedVersion + `.tgz`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts, err := installOptions(dir, from)
			if err != nil {
				return err
			}
			bar := newDownload()
			opts.Progress = bar.show
			result, err := npm.Install(cmd.Context(), opts)
			bar.clear()
			if err != nil {
				return err
			}
			if result.Installed && !onnx.Available {
				fmt.Fprintln(cmd.ErrOrStderr(), "note: this program was built without cgo and cannot load the library itself")
			}
			return output.print(cmd, report.Installed{Result: result})
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder to install into (default: the user's cache, where carozero looks)")
	cmd.Flags().StringVar(&from, "from", "", "the package onnxruntime-node, as a file or a URL (default: npm's registry)")
	output.register(cmd)
	return cmd
}

// installOptions returns what is installed, from where and to where.
func installOptions(dir, from string) (npm.Options, error) {
	opts := npm.Options{Package: npm.ONNXRuntime(flagOf), Dir: dir, From: from, Registry: npm.Registry, Naming: flagOf}
	if dir == "" {
		if opts.Dir = networks.NewLoader(networks.LoaderOptions{}).Search().InstallDir(); opts.Dir == "" {
			_, err := os.UserCacheDir()
			return opts, fmt.Errorf("the user's cache folder is not known (%w): set HOME, or name a folder with --dir and then the library with --onnxruntime", err)
		}
	}
	if npm.IsURL(from) {
		if err := npm.CheckURL(from); err != nil {
			return opts, usagef("--from %w", err)
		}
	}
	return opts, nil
}

// download shows the progress of a download on a terminal.
type download struct{ bar *progressbar.ProgressBar }

func newDownload() *download { return &download{} }

// show draws how many bytes of total have arrived; total is -1 if unknown.
func (d *download) show(done, total int64) {
	if d.bar == nil {
		if !term.IsTerminal(int(os.Stderr.Fd())) {
			return
		}
		d.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(os.Stderr),
			progressbar.OptionSetDescription("ONNX Runtime"),
			progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	_ = d.bar.Set64(done) // errors of drawing are ignored
}

// clear takes the bar away.
func (d *download) clear() {
	if d.bar != nil {
		_ = errors.Join(d.bar.Finish(), d.bar.Clear())
	}
}
