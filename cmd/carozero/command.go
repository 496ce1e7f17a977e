package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/report"
)

// work does what a command is for, and returns the report that is printed, also beside an
// error; nil prints nothing.
type work func(cmd *cobra.Command, args []string) (report.Report, error)

// define gives a command its work, the groups of flags that it has, and --json. Without Args
// it takes no arguments.
func define(cmd *cobra.Command, run work, flags ...func(*cobra.Command)) *cobra.Command {
	asJSON := false
	cmd.Flags().BoolVar(&asJSON, "json", false, "print exactly one JSON object to standard output")
	return plain(cmd, func(cmd *cobra.Command, args []string) error {
		r, err := run(cmd, args)
		if r == nil {
			return err
		}
		if unprinted := printReport(cmd.OutOrStdout(), r, asJSON); err == nil {
			err = unprinted
		}
		return err
	}, flags...)
}

// plain is define for a command that prints no report.
func plain(
	cmd *cobra.Command, run func(cmd *cobra.Command, args []string) error, flags ...func(*cobra.Command),
) *cobra.Command {
	cmd.RunE = run
	if cmd.Args == nil {
		cmd.Args = noArgs
	}
	for _, register := range flags {
		register(cmd)
	}
	return cmd
}

// printReport writes a report as JSON or as text. What its text could not write, the
// program's standard output remembers; see results.
func printReport(w io.Writer, r report.Report, asJSON bool) error {
	if !asJSON {
		r.Text(w)
		return nil
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
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

// within begins a message about a command: with its name but not the program's,
// which main puts before every message.
func within(cmd *cobra.Command) string {
	_, name, below := strings.Cut(cmd.CommandPath(), " ")
	if !below {
		return ""
	}
	return name + ": "
}

// many is as many arguments as there are.
const many = 1 << 30

// noArgs refuses positional arguments.
var noArgs = takes(0, 0, "")

// takes demands so many positional arguments, which what names; none is empty, as where a
// script's variable was not set.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		empty := slices.Index(args, "")
		switch {
		case len(args) > most:
			return usagef("%sunexpected argument %s; see '%s --help'", within(cmd), shownValue(args[most]), cmd.CommandPath())
		case len(args) < least:
			return usagef("%swant %s", within(cmd), what)
		case empty >= 0:
			return usagef("%sargument %d is empty: want %s", within(cmd), empty+1, what)
		}
		return nil
	}
}

// noteOf returns what prints a line about the work, the same one once.
func noteOf(cmd *cobra.Command) func(text string) {
	said := map[string]bool{}
	return func(text string) {
		if !said[text] {
			warn(cmd.ErrOrStderr(), text)
		}
		said[text] = true
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

// unfinished adds to the error of an interruption what is done, and how to go on: with the file
// of a flag in which it is kept, or another time with that flag.
func unfinished(cmd *cobra.Command, err error, flag, done string, args ...any) error {
	done = fmt.Sprintf(done, args...)
	file := cmd.Flags().Lookup(flag).Value.String()
	if file == "" {
		return interrupted(err, "%s, and nothing else is kept; with --%s FILE it can go on", done, flag)
	}
	return interrupted(err, "%s; what is finished is in %s, and what was under way will be done again; %s", done, file,
		goOn(cmd))
}

// goOn says how an interrupted command goes on.
func goOn(cmd *cobra.Command) string {
	if cmd.Flags().Lookup("resume") != nil {
		return "go on with the same command and --resume"
	}
	return "go on with the same command"
}
