package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/fetch"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn/onnx"
)

// newModels returns the command "models".
func newModels() *cobra.Command {
	return group("models", "List and verify networks", newModelsList(), newModelsVerify())
}

func newModelsList() *cobra.Command {
	var net netFlags
	return define(&cobra.Command{
		Use:   "list [NAME|PATH...]",
		Short: "List the shipped networks, or show what is known of some",
		Long: `List the shipped networks, or show what is known of those that are named: manifest,
properties, checksum.`,
		Example: "  carozero models list\n  carozero models list net.onnx",
		Args:    takes(0, many, "a shipped network's name or a path"),
	}, func(_ *cobra.Command, args []string) (report.Report, error) {
		if len(args) == 0 {
			list, err := models.List()
			return report.Shipped(list), err
		}
		loader := net.loader()
		var list report.Models
		for _, name := range args {
			info, err := loader.Describe(name)
			if err != nil {
				return nil, err
			}
			list = append(list, info)
		}
		return list, nil
	}, net.registerRuntime, func(cmd *cobra.Command) {
		goesWith(cmd, "a name or a path", func() bool { return cmd.Flags().NArg() > 0 }, "onnxruntime", "provider")
	})
}

// verifyCommand holds the flags of "models verify".
type verifyCommand struct {
	variant variantFlags
	net     netFlags
}

func newModelsVerify() *cobra.Command {
	var c verifyCommand
	return define(&cobra.Command{
		Use:   "verify [NAME|PATH...]",
		Short: "Load networks, check their checksums, inputs and outputs, and evaluate positions",
		Long: `Load networks, check their checksums, inputs, outputs and properties, and
evaluate positions with them. Without arguments all shipped networks are
verified, with --game those for that game. Without --game a shipped network is
verified in the game that it is for. The exit status is 3 if one of them fails.`,
		Example: "  carozero models verify\n  carozero models verify net.onnx --size 19",
		Args:    takes(0, many, "a shipped network's name or a path"),
	}, c.run, c.variant.register, c.net.registerRuntime)
}

func (c *verifyCommand) run(cmd *cobra.Command, names []string) (report.Report, error) {
	v := c.variant.v
	loader := c.net.loader()
	if _, err := loader.Runtime(); err != nil {
		return nil, err
	}
	shipped, err := models.List()
	if err != nil {
		return nil, err
	}
	for _, m := range shipped {
		if len(cmd.Flags().Args()) == 0 && (!c.variant.given("game") || slices.Contains(v.Of().RuleSets, m.Rules[0])) {
			names = append(names, m.Name)
		}
	}
	var checks report.ModelChecks
	bad := 0
	for i, name := range names {
		in, err := v, error(nil)
		if !c.variant.given("game") {
			in, err = ownVariant(name, v)
		}
		if err == nil {
			err = loader.Verify(cmd.Context(), in, name)
		}
		if cmd.Context().Err() != nil { // a check that was cut short says nothing of its network
			return nil, interrupted(cmd.Context().Err(),
				"%d of %d networks were looked at, %d of them bad; nothing is said of the others", i, len(names), bad)
		}
		check := report.ModelCheck{Model: name, OK: err == nil}
		if err != nil {
			check.Error = err.Error()
			bad++
		}
		checks = append(checks, check)
	}
	return checks, found(bad > 0, "models verify: %d of %d failed", bad, len(checks))
}

// ownVariant returns v, or the usual variant of another game if the name is that of a
// shipped network for that game.
func ownVariant(name string, v games.Variant) (games.Variant, error) {
	entry, err := models.Find(name)
	if err != nil || slices.Contains(v.Of().RuleSets, entry.Rules[0]) {
		return v, nil // a file, which speaks for itself, or a network of this game
	}
	return games.VariantOf(entry.Rules[0], 0)
}

// newRuntime returns the command "runtime".
func newRuntime() *cobra.Command {
	return group("runtime", "Install ONNX Runtime, and see what it can use", newRuntimeInstall(), newRuntimeShow())
}

func newRuntimeShow() *cobra.Command {
	var net netFlags
	return define(&cobra.Command{
		Use:   "show",
		Short: "Show which providers can compute networks here, and why the others cannot",
		Long: `Show for each provider whether it can compute networks here, by a small network that a
process of its own loads and verifies with it, or why it cannot.`,
		Example: "  carozero runtime show",
	}, func(cmd *cobra.Command, _ []string) (report.Report, error) {
		exe, err := os.Executable()
		if err != nil {
			return nil, err
		}
		var list report.Providers
		for _, name := range onnx.Providers() {
			check := exec.CommandContext(cmd.Context(), exe, "models", "verify", "first-b4c32", "--json", "--provider", name,
				"--onnxruntime", net.runtime)
			out, err := check.Output()
			if err := cmd.Context().Err(); err != nil {
				return nil, err
			}
			list = append(list, providerCheck(name, out, err))
		}
		return list, nil
	}, net.registerLibrary)
}

// providerCheck reads what the process printed that verified a network with a provider.
func providerCheck(name string, out []byte, err error) report.Provider {
	p := report.Provider{Name: name, Usable: err == nil}
	var checks report.ModelChecks
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && json.Unmarshal(out, &checks) == nil && len(checks) == 1 {
		p.Error = checks[0].Error
	} else if ok {
		p.Error = cmp.Or(strings.TrimPrefix(strings.TrimSpace(string(exit.Stderr)), "carozero: "), exit.Error())
	} else if err != nil {
		p.Error = err.Error()
	}
	p.Error = strings.TrimPrefix(p.Error, "model first-b4c32: provider "+name+" is not available: ")
	return p
}

func newRuntimeInstall() *cobra.Command {
	var dir, from, provider string
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Fetch the pinned ONNX Runtime into the user's cache",
		Long: `Fetch ONNX Runtime ` + onnx.PinnedVersion + ` into the user's cache, where carozero looks for it, or
do nothing if it is there. It comes out of the npm package onnxruntime-node, from
the registry that NPM_CONFIG_REGISTRY names, else the one that npm uses, through
the proxy that HTTPS_PROXY names. Nothing is installed whose SHA-256 is not the one
built into carozero.

With --provider cuda it is version ` + onnx.PinnedCUDA + ` with CUDA, for Linux on x86-64, out of the
wheel onnxruntime-gpu (247 MB), from the index that PIP_INDEX_URL names, else the
one that pip uses. It needs NVIDIA's driver, CUDA 13 and cuDNN 9, of the system or
of Python's packages nvidia-*; what is missing is told.`,
		Example: `  carozero runtime install
  carozero runtime install --provider cuda
  npm pack onnxruntime-node@` + onnx.PinnedVersion + ` && \
    carozero runtime install --from onnxruntime-node-` + onnx.PinnedVersion + `.tgz`,
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder to install into (default: the user's cache, where carozero looks)")
	cmd.Flags().StringVar(&from, "from", "",
		"the package, as a file or a URL (default: npm's registry, or Python's index)")
	addWord(cmd, &provider, "provider", onnx.CPU, "what the library shall compute with: cpu or cuda", onnx.CPU, onnx.CUDA)
	return define(cmd, func(cmd *cobra.Command, _ []string) (report.Report, error) {
		o := fetch.Options{
			Package: fetch.ONNXRuntime(flagOf), Dir: dir, From: from, Registry: fetch.Registry, Naming: flagOf,
		}
		if provider == onnx.CUDA {
			o.Package, o.Registry = fetch.ONNXRuntimeCUDA(flagOf), fetch.PythonIndex
		}
		if dir == "" {
			if o.Dir = networks.NewLoader(networks.LoaderOptions{Provider: provider}).Search().InstallDir(); o.Dir == "" {
				_, err := os.UserCacheDir()
				return nil, fmt.Errorf("the user's cache folder is not known (%w): set HOME, or name a folder with --dir and "+
					"then the library with --onnxruntime", err)
			}
		}
		if fetch.IsURL(from) {
			if err := fetch.CheckURL(from); err != nil {
				return nil, usagef("--from %w", err)
			}
		}
		bar := newProgress(-1, "bytes of ONNX Runtime")
		o.Progress = func(done, total int64) { bar.at(int(done), int(total)) }
		result, err := fetch.Install(cmd.Context(), o)
		_ = bar.Close()
		if err != nil {
			return nil, err
		}
		if result.Installed && !onnx.Available {
			noteOf(cmd)("this program was built without cgo and cannot load the library itself")
		}
		for _, missing := range onnx.MissingLibraries(provider) {
			noteOf(cmd)("CUDA needs " + missing)
		}
		return report.Installed{Result: result}, nil
	})
}

// newVersion returns the command "version".
func newVersion() *cobra.Command {
	var net netFlags
	return define(&cobra.Command{
		Use:     "version",
		Short:   "Show the version, the commit, Go's version, and the ONNX Runtime that was found",
		Example: "  carozero version --json",
	}, func(*cobra.Command, []string) (report.Report, error) {
		r := report.Version{
			Version: version, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		}
		// A missing runtime is an answer here, not a failure.
		if rt, err := net.loader().Runtime(); err != nil {
			r.RuntimeError = err.Error()
		} else {
			r.Runtime, r.RuntimePath = rt.Version(), rt.Path()
		}
		return r, nil
	}, net.registerLibrary)
}
