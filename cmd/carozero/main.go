// Command carozero plays Caro and the gomoku family with a neural network and
// a PUCT search, or with a classical alpha-beta search, and generates the
// samples from which such networks learn.
//
// Results go to standard output, messages to standard error. The exit status is 0 when the work is done, 1 when it failed,
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
	"strings"

	"github.com/spf13/cobra"
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
