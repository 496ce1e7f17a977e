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

func main() { os.Exit(execute()) }

// execute runs the program and returns the exit status.
// SIGINT, SIGTERM and SIGHUP end a command; a SIGHUP that is ignored, as under nohup, stays so.
func execute() int {
	ending := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ending = append(ending, syscall.SIGHUP)
	}
	ctx, ignore := signal.NotifyContext(context.Background(), ending...)
	defer ignore()
	// A second SIGINT ends the program at once, since a person does not want to wait. The others
	// do not: shells and terminals send them in pairs.
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })
	// A write to a closed pipe is an error, not the program's death.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	messages := notes{os.Stderr}
	status, text := perform(ctx, stop, os.Args[1:], os.Stdin, os.Stdout, messages)
	if text != "" {
		fmt.Fprintln(messages, "carozero: "+text)
	}
	return status
}

// errUnwritten is why a command ends whose results cannot be written.
var errUnwritten = errors.New("standard output takes no more")

// signalled reports whether a signal has ended a command's context.
func signalled(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), errUnwritten)
}

// perform runs a command line and returns the exit status and the line to print. stop ends ctx.
func perform(
	ctx context.Context, stop context.CancelCauseFunc, args []string, in io.Reader, out, messages io.Writer,
) (int, string) {
	written := &results{file: out, stop: func() { stop(errUnwritten) }}
	root := newRoot(args)
	root.SetIn(in)
	root.SetOut(written)
	root.SetErr(messages)
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

// commands are the commands by their names.
var commands = map[string]func() *cobra.Command{
	"play": newPlay, "gomocup": newGomocup, "analysis": newAnalysis, "serve": newServe,
	"search": newSearch, "solve": newSolve, "certificate": newCertificate, "bitbase": newBitbase, "book": newBook,
	"selfplay": newSelfplay, "samples": newSamples, "loop": newLoop, "cluster": newCluster,
	"models": newModels, "runtime": newRuntime,
	"match": newMatch, "tune": newTune, "crosscheck": newCrosscheck, "tactics": newTactics, "bench": newBench,
	"fit":     newFit,
	"convert": newConvert, "show": newShow, "forbidden": newForbidden, "perft": newPerft, "version": newVersion,
}

// newRoot returns the command tree for a command line: with the command that it begins with, or
// with all where it begins with none, as help does.
func newRoot(args []string) *cobra.Command {
	players.OpenBook = playersBook
	root := &cobra.Command{
		Use:   "carozero",
		Short: "An AlphaZero-style engine for Caro and the gomoku family",
		Long: `CaroZero plays Caro and the gomoku family with a PUCT search over a neural
network, or with a classical alpha-beta search, generates self-play samples, and
measures itself against its limits.`,
		Example: `  carozero selfplay --games 100 --playouts 200 --out runs/first
  carozero play --level medium`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(flagError)
	root.SetArgs(args)
	if len(args) > 0 && commands[args[0]] != nil {
		root.AddCommand(commands[args[0]]())
		root.CompletionOptions.DisableDefaultCmd = true
		return root
	}
	for _, command := range commands {
		root.AddCommand(command())
	}
	return root
}

// Set by the linker; see the Makefile.
var linkedVersion, linkedCommit string

// programName is the program as records of games name it.
var programName = "carozero:" + version

// The program's version and commit, as samples, records and reports carry them: what the linker was
// told, else what the go command wrote into the program.
var version, commit = stamp()

// unknown stands for what a build does not tell.
const unknown = "unknown"

func stamp() (version, commit string) {
	version = linkedVersion
	if info, ok := debug.ReadBuildInfo(); ok && version == "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	return cmp.Or(version, unknown), cmp.Or(linkedCommit, unknown)
}

// build names this build of the program, for files that only the same build may continue. A
// build with an unknown commit, or with changes beside it, is named by the SHA-256 of its
// executable.
func build() (string, error) {
	if commit != unknown && !strings.HasSuffix(version, "dirty") {
		return version + " " + commit, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	sum, err := disk.SHA256(path)
	return version + " " + sum, err
}
