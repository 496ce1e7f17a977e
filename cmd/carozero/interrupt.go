package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// errSignalled is the cause of a context that a signal has ended.
var errSignalled = errors.New("interrupted")

// signalled reports whether a signal has ended ctx.
func signalled(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errSignalled) }

// onSignals returns a context that ends with the first SIGINT, SIGTERM or
// SIGHUP, and what stops listening. A second SIGINT calls abort, since a person does
// not want to wait. Other signals do not: shells and terminals send them in pairs. A SIGHUP that is ignored at the start, as under
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
