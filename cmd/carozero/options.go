package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/carozero/carozero/internal/option"
)

// optionFlag is a flag whose values are those of an option: they are checked
// while the command line is read. It implements [pflag.Value].
type optionFlag struct {
	of  option.Option
	set func(text string) error
	get func() string
}

// Set implements [pflag.Value].
func (f *optionFlag) Set(text string) error { return f.set(text) }

// String implements [pflag.Value].
func (f *optionFlag) String() string {
	if f.get == nil {
		return "" // the zero value, which pflag asks too
	}
	return f.get()
}

// Type implements [pflag.Value].
func (f *optionFlag) Type() string { return option.Kind(f.of) }

// addNum adds a flag for a number.
func addNum[F ~int | ~int64 | ~uint64 | ~float32 | ~float64, N option.Number](
	cmd *cobra.Command, field *F, o option.Num[N],
) {
	*field = F(o.Default)
	addOption(cmd, "", &optionFlag{
		of: o,
		set: func(text string) error {
			n, err := o.Parse(text)
			if err == nil {
				*field = F(n)
			}
			return err
		},
		get: func() string {
			switch n := any(N(*field)).(type) {
			case float64:
				return strconv.FormatFloat(n, 'g', -1, 32)
			case time.Duration:
				if n == 0 {
					return "0"
				}
			}
			return fmt.Sprint(N(*field))
		},
	})
}

// addSettings adds a flag for each setting, with the default that of has now. about,
// unless it is "", says in a word what has the settings. The settings' earlier names
// are read as well.
func addSettings[T any](cmd *cobra.Command, list []option.Setting[T], of *T, about string) {
	earlier := map[string]pflag.NormalizedName{}
	for _, s := range list {
		f := &optionFlag{
			of:  s.Option,
			set: func(text string) error { return s.Set(of, text) },
			get: func() string { return s.Text(of) },
		}
		addOption(cmd, about, f)
		if f.Type() == "bool" {
			cmd.Flags().Lookup(s.Name()).NoOptDefVal = "true"
		}
		for _, name := range s.Aliases {
			earlier[name] = pflag.NormalizedName(s.Name())
		}
	}
	before := cmd.Flags().GetNormalizeFunc()
	cmd.Flags().SetNormalizeFunc(func(flags *pflag.FlagSet, name string) pflag.NormalizedName {
		if now, ok := earlier[name]; ok {
			return now
		}
		return before(flags, name)
	})
}

// addOption adds a flag, with its range in the help. about, unless it is "", says what has it.
func addOption(cmd *cobra.Command, about string, f *optionFlag) {
	usage := f.of.About()
	if about != "" {
		usage = about + ": " + usage
	}
	if kind := f.Type(); kind != "uint" && kind != "bool" {
		usage += " (" + f.of.Range() + ")"
	}
	cmd.Flags().Var(f, f.of.Name(), usage)
}

// addWord adds a flag for one of some words, which usage names and a shell is offered. Its
// default need not be one of them.
func addWord(cmd *cobra.Command, field *string, name, def, usage string, words ...string) {
	*field = def
	s := option.StringVar(option.Choice{Key: name, Words: words}, func(of *string) *string { return of })
	cmd.Flags().Var(&optionFlag{
		of:  s.Option,
		set: func(text string) error { return s.Set(field, text) },
		get: func() string { return *field },
	}, name, usage)
	complete(cmd, name, words...)
}

// goesWith declares that flags have an effect only where holds, and names what they go with;
// elsewhere they are refused before the command runs.
func goesWith(cmd *cobra.Command, what string, holds func() bool, flags ...string) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if before != nil {
			if err := before(cmd, args); err != nil {
				return err
			}
		}
		if i := slices.IndexFunc(flags, cmd.Flags().Changed); i >= 0 && !holds() {
			return usagef("--%s goes with %s", flags[i], what)
		}
		return nil
	}
}

// complete offers the values of a flag to the shell.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// the flag was registered a few lines above
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// memory is what a command may take; its error names the flags.
type memory struct{ option.Memory }

// cache adds a cache of network results.
func (m *memory) cache(mib int) { m.Add(fmt.Sprintf("--cache %d", mib), int64(mib)<<20) }

// check refuses what takes more memory than there is.
func (m *memory) check() error { return asUsage(m.Check(option.Machine())) }

// flagOf returns the flag of an option.
func flagOf(key string) string { return "--" + key }

// flagError is the one line for a flag that cannot be read: the flag, the value
// found, and what would be right.
func flagError(cmd *cobra.Command, err error) error {
	help := fmt.Sprintf("'%s --help'", cmd.CommandPath())
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return usagef("%v; see %s", err, help)
	}
	return usagef("--%s %s: %w; see %s", invalid.GetFlag().Name, shownValue(invalid.GetValue()), reasonOf(invalid), help)
}

// reasonOf returns why a value was refused; the words of package strconv, which
// repeat the value, are left out.
func reasonOf(err *pflag.InvalidValueError) error {
	cause := errors.Unwrap(err)
	var syntax *strconv.NumError
	if errors.As(cause, &syntax) && err.GetFlag().Value.Type() == "bool" {
		return errors.New("want true or false")
	}
	return cause
}

// shownLength is how much of a wrong value a message shows, in bytes.
const shownLength = 40

// shownValue returns a value as a message shows it: quoted unless it is a plain
// word, and shortened.
func shownValue(text string) string {
	dots := ""
	if len(text) > shownLength {
		text, dots = strings.ToValidUTF8(text[:shownLength], ""), "..."
	}
	if quoted := strconv.Quote(text); text == "" || strings.ContainsAny(text, " \t") || quoted != `"`+text+`"` {
		return quoted + dots
	}
	return text + dots
}
