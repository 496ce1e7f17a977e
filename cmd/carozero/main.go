// Command carozero plays Caro and the gomoku family with a neural network and
// a PUCT search, or with a classical alpha-beta search, and generates the
// samples from which such networks learn.
//
// Results go to standard output, messages to standard error. The exit status is 0 when the work is
// done, 1 when it failed,
// 2 when the command line was wrong, and 3 when a check found what it looks for.
//
// A command is a struct with groups of flags and a method run, whose report (package report)
// define prints; see command.go.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/players"
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
	err := root.ExecuteContext(ctx)
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

// found returns errFound with a text if a check found what it looks for.
func found(is bool, format string, args ...any) error {
	if !is {
		return nil
	}
	return fmt.Errorf(format+"%w", append(args, errFound)...)
}

// verdict returns the exit status and the line to print for the error of a command and that
// of its standard output, either of them nil. A reader that closes the pipe is not a failure,
// and silences the command; results that could not be written are a failure, whatever the
// command returns.
func verdict(ctx context.Context, err, unwritten error) (int, string) {
	if unwritten != nil && (errors.Is(err, unwritten) || errors.Is(err, context.Canceled) && !signalled(ctx)) {
		err = nil // for that reason
	}
	status, text := exitStatus(err)
	if unwritten == nil || closedPipe(unwritten) {
		return status, text
	}
	lost := oneLine(fmt.Sprintf("standard output: %v", disk.Cause(unwritten)))
	if text != "" {
		lost = text + "; " + lost
	}
	return statusFailed, lost
}

// exitStatus returns the status for err and the one line to print for it.
func exitStatus(err error) (int, string) {
	if err == nil {
		return 0, ""
	}
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
	players.OpenBook = playersBook
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
		newPlay(), newGomocup(), newAnalysis(), newServe(),
		newSearch(), newSolve(), newCertificate(), newBitbase(), newBook(),
		newSelfplay(), newSamples(), newLoop(), newCluster(), newModels(), newRuntime(),
		newMatch(), newTune(), newCrosscheck(), newTactics(), newBench(), newFit(),
		newConvert(), newShow(), newForbidden(), newPerft(), newVersion(),
	)
	return root
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

// Set by the linker; see the Makefile.
var linkedVersion, linkedCommit string

// programName is the program as records of games name it.
var programName = "carozero:" + version

// The program's version and commit, as samples, records and reports carry them.
var version, commit = stamp(linkedVersion, linkedCommit, debug.ReadBuildInfo)

// unknown stands for what a build does not tell.
const unknown = "unknown"

// commitLength is how many digits of a commit are shown.
const commitLength = 12

// stamp returns the version and commit of a build: what the linker was told, else what the go
// command wrote into it.
func stamp(version, commit string, read func() (*debug.BuildInfo, bool)) (string, string) {
	var revision, dirty string
	if info, ok := read(); ok {
		if version == "" && info.Main.Version != "(devel)" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value[:min(len(s.Value), commitLength)]
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "-dirty"
			}
		}
	}
	if commit == "" && revision != "" {
		commit = revision + dirty
	}
	return cmp.Or(version, unknown), cmp.Or(commit, unknown)
}

// build names this build of the program, for files that only the same build may continue. A
// build with an unknown commit, or with changes beside it, is named by the SHA-256 of its
// executable.
func build() (string, error) {
	if commit != unknown && !strings.HasSuffix(version, "-dirty") {
		return version + " " + commit, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	sum, err := disk.SHA256(path)
	return version + " " + sum, err
}
