// Command carozero plays Caro and the gomoku family with a neural network and
// a PUCT search, or with a classical alpha-beta search, and generates the
// samples from which such networks learn.
//
// Results go to standard output, messages to standard error. The exit status is 0 when the work is
// done, 1 when it failed,
// 2 when the command line was wrong, and 3 when a check found what it looks for.
//
// A command is a function newX that declares its flags, and what runs it: flags
// become the options of a package below, what comes back a report (package
// report), which outputFlags prints.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/fetch"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/nn/onnx"
)

func main() { os.Exit(execute(os.Args)) }

// execute runs the program with its arguments, its name included, and returns
// the exit status.
func execute(args []string) int {
	messages := notes{os.Stderr}
	ctx, ignore := onSignals(context.Background(), func() {
		fmt.Fprintln(messages, "carozero: interrupted twice: ended at once")
		os.Exit(statusFailed)
	})
	defer ignore()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	status, text := perform(ctx, stop, commandLine(args), os.Stdin, os.Stdout, messages)
	if text != "" {
		fmt.Fprintln(messages, "carozero: "+text)
	}
	return status
}

// perform runs a command line and returns the exit status and the line to
// print. The first error of writing to out calls stop, which ends ctx.
func perform(ctx context.Context, stop func(), args []string, in io.Reader, out, messages io.Writer) (int, string) {
	written := &results{file: out, stop: stop}
	root := newRoot()
	root.SetIn(in)
	root.SetOut(written)
	root.SetErr(messages)
	offerHelp(root)
	root.SetArgs(args)
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		offerValues(root)
	}
	err := root.ExecuteContext(ctx)
	written.end()
	return verdict(ctx, err, written.failure())
}

// Exit statuses; see docs/cli.md.
const (
	statusFailed = 1
	statusUsage  = 2
	statusFound  = 3
)

// usageError marks an error as a mistake on the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// usagef returns a usage error; its text names the flag at fault and what
// would be right.
func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// asUsage marks err, if there is one, as a mistake on the command line.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// errFound is returned by a check that found what it looks for and has
// reported it already.
var errFound = errors.New("")

// found adds to what a check came to, where that is no error, that it found what it
// looks for.
func found(err error, is bool, format string, args ...any) error {
	if err != nil || !is {
		return err
	}
	return fmt.Errorf(format+"%w", append(args, errFound)...)
}

// exitStatus returns the status for err and the one line to print for it.
func exitStatus(err error) (int, string) {
	text := oneLine(err.Error())
	switch {
	case errors.Is(err, errFound):
		return statusFound, text
	case errors.As(err, &usageError{}), isFlagConflict(err):
		return statusUsage, text
	case errors.As(err, &interruption{}):
		return statusFailed, text
	case errors.Is(err, context.Canceled):
		return statusFailed, "interrupted: nothing of it is kept"
	}
	return statusFailed, text
}

// isFlagConflict recognises the error of flags that exclude each other, which
// cobra reports without a type of its own.
func isFlagConflict(err error) bool {
	return strings.HasPrefix(err.Error(), "if any flags in the group [")
}

// newRoot returns the command tree.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "carozero",
		Short: "An AlphaZero-style engine for Caro and the gomoku family",
		Long: `CaroZero plays Caro and the gomoku family with a PUCT search over a neural
network, or with a classical alpha-beta search, generates self-play samples, and
measures itself against its limits.`,
		Example: `  carozero selfplay --games 100 --playouts 200 --out runs/first
  carozero search --position h8i9 --playouts 800
  carozero play --level medium
  carozero match --a mcts:playouts=400 --b mcts:playouts=400,model=uniform --games 20`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newSelfplay(),
		newSamples(),
		newSearch(),
		newSolve(),
		newCertificate(),
		newBitbase(),
		newBook(),
		newForbidden(),
		newConvert(),
		newShow(),
		newPerft(),
		newMatch(),
		newPlay(),
		newGomocup(),
		newAnalysis(),
		newReview(),
		newServe(),
		newBench(),
		newTactics(),
		newCrosscheck(),
		newFit(),
		newTune(),
		newLoop(),
		newCluster(),
		newModels(),
		newRuntime(),
		newVersion(),
	)
	return root
}

// offerHelp adds the library's commands that a root with its output has beside its own, and
// makes them refuse what they do not know.
func offerHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			show := cmd.Run
			cmd.Run, cmd.RunE = nil, func(cmd *cobra.Command, args []string) error {
				if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return usagef("help: unknown command %s; 'carozero --help' lists all", shownValue(strings.Join(args, " ")))
				}
				show(cmd, args)
				return nil
			}
		case "completion":
			cmd.Args, cmd.RunE = nil, groupRun
			for _, shell := range cmd.Commands() {
				shell.Args = noArgs
			}
		}
	}
}

// within begins a message about a command: with its name but not the program's,
// which main puts before every message.
func within(cmd *cobra.Command) string {
	_, name, below := strings.Cut(cmd.CommandPath(), " ")
	if !below {
		return ""
	}
	return name + ": "
}

// noArgs refuses positional arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%sunexpected argument %s; see '%s --help'", within(cmd), shownValue(args[0]), cmd.CommandPath())
	}
	return nil
}

// someArgs demands at least one positional argument, which what names.
func someArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%sneeds %s", within(cmd), what)
		}
		return noneEmpty(cmd, args, what)
	}
}

// oneArg demands exactly one positional argument, which what names.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%swant %s", within(cmd), what)
		}
		return noneEmpty(cmd, args, what)
	}
}

// anyArgs allows any number of positional arguments, which what names.
func anyArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return noneEmpty(cmd, args, what) }
}

// noneEmpty returns an error if an argument is empty, as where a script's variable was
// not set: no error of the system would say what that name is.
func noneEmpty(cmd *cobra.Command, args []string, what string) error {
	if i := slices.Index(args, ""); i >= 0 {
		return usagef("%sargument %d is empty: want %s", within(cmd), i+1, what)
	}
	return nil
}

// group returns a command that only holds others.
func group(use, short string, others ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, RunE: groupRun}
	cmd.AddCommand(others...)
	return cmd
}

// groupRun is the action of a group: it prints the help, or returns a usage error for an
// argument that is not one of its commands.
func groupRun(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return usagef("%sunknown command %s; one of: %s", within(cmd), shownValue(args[0]), strings.Join(names, ", "))
}

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
	sum, err := disk.SHA256(path)
	return version + " " + sum, err
}

// newRuntime returns the command "runtime".
func newRuntime() *cobra.Command {
	return group("runtime", "Install ONNX Runtime", newRuntimeInstall())
}

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
			result, err := fetch.Install(cmd.Context(), opts)
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
func installOptions(dir, from string) (fetch.Options, error) {
	opts := fetch.Options{
		Package: fetch.ONNXRuntime(flagOf), Dir: dir, From: from, Registry: fetch.Registry, Naming: flagOf,
	}
	if dir == "" {
		if opts.Dir = networks.NewLoader(networks.LoaderOptions{}).Search().InstallDir(); opts.Dir == "" {
			_, err := os.UserCacheDir()
			return opts, fmt.Errorf("the user's cache folder is not known (%w): set HOME, or name a folder with --dir and "+
				"then the library with --onnxruntime", err)
		}
	}
	if fetch.IsURL(from) {
		if err := fetch.CheckURL(from); err != nil {
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

// errSignalled is the cause of a context that a signal has ended.
var errSignalled = errors.New("interrupted")

// signalled reports whether a signal has ended ctx.
func signalled(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errSignalled) }

// onSignals returns a context that ends with the first SIGINT, SIGTERM or
// SIGHUP, and what stops listening. A second SIGINT calls abort, since a person does
// not want to wait. Other signals do not: shells and terminals send them in pairs. A SIGHUP that is
// ignored at the start, as under
// nohup, stays ignored. From here on a write to a closed pipe is an error,
// not the program's death.
func onSignals(parent context.Context, abort func()) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ending := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ending = append(ending, syscall.SIGHUP)
	}
	signals, pipes := make(chan os.Signal, 8), make(chan os.Signal, 1)
	signal.Notify(signals, ending...)
	signal.Notify(pipes, syscall.SIGPIPE)
	done := make(chan struct{})
	go func() {
		for again := false; ; again = true {
			select {
			case <-done:
				return
			case s := <-signals:
				if again && s == os.Interrupt {
					abort()
				}
				cancel(errSignalled)
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Stop(pipes)
		close(done)
		cancel(nil)
	}
}

// interruption is the end of a command before its work was done, with what was
// kept and how to go on.
type interruption struct {
	kept string
	err  error
}

func (e interruption) Error() string { return "interrupted: " + e.kept }
func (e interruption) Unwrap() error { return e.err }

// interrupted adds to the error of an interruption what was kept of the work
// and how to go on; other errors stay what they are.
func interrupted(err error, format string, args ...any) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return interruption{fmt.Sprintf(format, args...), err}
}

// again returns the command line that continues the command: its own, in which
// flags are added or replaced by set. Flags that were not given are left out;
// their defaults are the same then.
func again(cmd *cobra.Command, args []string, set map[string]string) string {
	words := append([]string{os.Args[0]}, strings.Fields(cmd.CommandPath())[1:]...)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value, replaced := set[f.Name]
		switch list, ok := f.Value.(pflag.SliceValue); {
		case replaced:
			words = append(words, flagWords(f, value)...)
		case !f.Changed:
		case ok:
			for _, v := range list.GetSlice() {
				words = append(words, flagWords(f, v)...)
			}
		default:
			words = append(words, flagWords(f, f.Value.String())...)
		}
	})
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") }) {
		words = append(words, "--")
	}
	words = append(words, args...)
	for i, w := range words {
		words[i] = quoted(w)
	}
	return strings.Join(words, " ")
}

// flagWords returns a flag with a value as words of a command line.
func flagWords(f *pflag.Flag, value string) []string {
	switch {
	case f.Value.Type() == "bool" && value == "true":
		return []string{"--" + f.Name}
	case f.Value.Type() == "bool", strings.HasPrefix(value, "-"):
		return []string{"--" + f.Name + "=" + value}
	}
	return []string{"--" + f.Name, value}
}

// plainWord holds the characters that a shell takes as they are.
const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%"

// quoted returns a word as a shell reads it.
func quoted(word string) string {
	if word != "" && strings.Trim(word, plainWord) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
