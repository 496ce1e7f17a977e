package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/nn/onnx"
)

// optionFlag is a flag whose values are those of an option: they are checked
// while the command line is read. It implements [pflag.Value].
type optionFlag struct {
	of  option.Option
	set func(text string) error
	get func() string
}

// newOptionFlag returns the flag of a setting of what in points to.
func newOptionFlag[T any](s option.Setting[T], in *T) *optionFlag {
	return &optionFlag{
		of:  s.Option,
		set: func(text string) error { return s.Set(in, text) },
		get: func() string { return s.Text(in) },
	}
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
	addSetting(cmd, option.NumVar(o, func(of *F) *F { return of }), field, "")
}

// addSettings adds a flag for each setting, with the default that of has now. about,
// unless it is "", says in a word what has the settings. The settings' earlier names
// are read as well.
func addSettings[T any](cmd *cobra.Command, list []option.Setting[T], of *T, about string) {
	earlier := map[string]pflag.NormalizedName{}
	for _, s := range list {
		addSetting(cmd, s, of, about)
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

// addSetting adds a flag for a setting of what of points to, with its range in the help.
func addSetting[T any](cmd *cobra.Command, s option.Setting[T], of *T, about string) {
	usage := s.About()
	if about != "" {
		usage = about + ": " + usage
	}
	f := newOptionFlag(s, of)
	kind := f.Type()
	if kind != "uint" && kind != "bool" {
		usage += " (" + s.Range() + ")"
	}
	flag := cmd.Flags().VarPF(f, s.Name(), "", usage)
	if kind == "bool" {
		flag.NoOptDefVal = "true"
	}
	if flag.DefValue == "0s" {
		flag.DefValue = "0" // of which the help says nothing
	}
}

// addWord adds a flag for one of some words, which usage names and a shell is offered. Its
// default need not be one of them.
func addWord(cmd *cobra.Command, field *string, name, def, usage string, words ...string) {
	*field = def
	word := option.StringVar(option.Choice{Key: name, Words: words}, func(of *string) *string { return of })
	cmd.Flags().Var(newOptionFlag(word, field), name, usage)
	complete(cmd, name, words...)
}

// before adds what a command checks before its work.
func before(cmd *cobra.Command, check func() error) {
	earlier := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if earlier != nil {
			if err := earlier(cmd, args); err != nil {
				return err
			}
		}
		return check()
	}
}

// goesWith declares that flags have an effect only where holds, and names what they go with;
// elsewhere they are refused before the command runs.
func goesWith(cmd *cobra.Command, what string, holds func() bool, flags ...string) {
	before(cmd, func() error {
		if i := slices.IndexFunc(flags, cmd.Flags().Changed); i >= 0 && !holds() {
			return usagef("--%s goes with %s", flags[i], what)
		}
		return nil
	})
}

// needs declares that a command cannot do without a flag, and what it wants by it.
func needs(cmd *cobra.Command, flag, what string) {
	before(cmd, func() error {
		if value := cmd.Flags().Lookup(flag).Value.String(); value == "" || value == "0" || value == "[]" {
			return usagef("--%s is missing: want %s", flag, what)
		}
		return nil
	})
}

// complete offers the values of a flag to the shell.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// the flag was registered a few lines above
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// need is memory that a command may take: so many bytes so often. what names the flags that say so.
type need struct {
	what  string
	bytes int64
	times int
}

// cacheNeed is what a cache of network results takes.
func cacheNeed(mib int) need { return need{fmt.Sprintf("--cache %d", mib), int64(mib) << 20, 1} }

// checkMemory refuses what takes more memory than there is.
func checkMemory(needs ...need) error {
	var m option.Memory
	for _, n := range needs {
		m.Add(n.what, n.bytes, n.times)
	}
	return asUsage(m.Check(option.Machine()))
}

// flagOf returns the flag of an option.
func flagOf(key string) string { return "--" + key }

// about returns err, if there is one, with the flag that it is about.
func about(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// pair reads two numbers that a comma separates.
func pair[N option.Number](o option.Num[N], text string) (two [2]N, err error) {
	first, second, _ := strings.Cut(text, ",")
	if two[0], err = o.Parse(strings.TrimSpace(first)); err == nil {
		two[1], err = o.Parse(strings.TrimSpace(second))
	}
	return two, err
}

// flagError is the one line for a flag that cannot be read: the flag, the value
// found, and what would be right.
func flagError(cmd *cobra.Command, err error) error {
	help := fmt.Sprintf("'%s --help'", cmd.CommandPath())
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return usagef("%v; see %s", err, help)
	}
	cause := errors.Unwrap(invalid)
	if errors.Is(cause, strconv.ErrSyntax) { // of strconv, whose words repeat the value
		cause = errors.New("want " + invalid.GetFlag().Value.Type())
	}
	return usagef("--%s %s: %w; see %s", invalid.GetFlag().Name, shownValue(invalid.GetValue()), cause, help)
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

// variantFlags choose the game.
type variantFlags struct {
	opts  games.VariantOptions
	given func(flag string) bool // whether the user has set a flag
	v     games.Variant          // of register, when the command runs
}

// register declares the flags of a command whose variant they alone say.
func (f *variantFlags) register(cmd *cobra.Command) {
	f.declare(cmd)
	before(cmd, func() (err error) {
		f.v, err = f.variant()
		return err
	})
}

// declare declares the flags.
func (f *variantFlags) declare(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.given = fs.Changed
	fs.StringVar(&f.opts.Game, "game", games.GameNames()[0], "game: "+strings.Join(games.GameNames(), " or "))
	fs.StringVar(&f.opts.Rule, "rule", games.DefaultRule, "rule set of gomoku: "+strings.Join(games.RuleNames(), ", "))
	addNum(cmd, &f.opts.Size, option.BoardSize.With(games.DefaultSize, "side length of the board"))
	fs.BoolVar(&f.opts.OpenRule, "open-rule", false, "the third stone at least 3 columns or rows from the first")
	fs.StringVar(&f.opts.Cards, "cards", "",
		"onitama: what is dealt from: base, senseis-path, all, or the names of five cards or more; without --position "+
			"games begin with the first five (default: base)")
	goesWith(cmd, "--game gomoku", func() bool { return f.opts.Game != games.Onitama },
		"rule", "size", "leaf-solver", "solver-threes", "solver-audit")
	complete(cmd, "game", games.GameNames()...)
	complete(cmd, "rule", games.RuleNames()...)
}

func (f *variantFlags) variant() (games.Variant, error) {
	o := f.opts
	if o.Rule == games.DefaultRule && !f.given("rule") {
		o.Rule = "" // the usual one of the game
	}
	if o.Size == games.DefaultSize && !f.given("size") {
		o.Size = 0
	}
	v, err := games.NewVariant(o)
	if err != nil {
		return games.Variant{}, usagef("%w (--game, --rule, --size)", inFlags(err))
	}
	return v, nil
}

// named reports whether the user has named any of the game, the rule and the size.
func (f *variantFlags) named() bool {
	return slices.ContainsFunc([]string{"game", "rule", "size", "open-rule"}, f.given)
}

// inFlags returns the error of a variant or of a setup with the flags named that it
// is about.
func inFlags(err error) error {
	if wrong, ok := errors.AsType[*games.OptionError](err); ok {
		return errors.New(wrong.Naming(flagOf))
	}
	if wrong, ok := errors.AsType[*games.SetupError](err); ok && wrong.Part == games.ToMovePart {
		return fmt.Errorf("%w; give --to-move first or second", err)
	}
	return err
}

// netFlags choose the network and what computes it.
type netFlags struct {
	model, runtime, provider string
	devices                  []uint
	threads                  int
	messages                 func() io.Writer // standard error of the command
}

func (f *netFlags) register(cmd *cobra.Command) {
	addNum(cmd, &f.threads, option.Threads)
	f.registerModel(cmd)
}

// registerModel defines the flags that choose the network, without its threads.
func (f *netFlags) registerModel(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.model, "model", "",
		"network: a shipped name, a path, or 'uniform' (default: the shipped net that suits the rule and size best)")
	f.registerRuntime(cmd)
}

// registerLibrary defines the flag that names the runtime's library.
func (f *netFlags) registerLibrary(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.runtime, "onnxruntime", "",
		"ONNX Runtime's library, or its folder (default: CAROZERO_ONNXRUNTIME, beside the program, the user's cache, the "+
			"system)")
}

func (f *netFlags) registerRuntime(cmd *cobra.Command) {
	f.registerLibrary(cmd)
	f.messages = cmd.ErrOrStderr
	f.provider = onnx.CPU
	provider := &optionFlag{
		of: option.Text{Key: "provider", Help: "what computes networks: " + strings.Join(onnx.Providers(), ", ") +
			"; with options of ONNX Runtime's as in cuda:KEY=VALUE,..."},
		set: func(text string) error {
			p, err := onnx.ParseProvider(text)
			f.provider = string(p)
			return err
		},
		get: func() string { return f.provider },
	}
	cmd.Flags().Var(provider, "provider", provider.of.About())
	complete(cmd, "provider", onnx.Providers()...)
	cmd.Flags().UintSliceVar(&f.devices, "device", nil,
		"numbers of the provider's devices, as in 0,1, which share the games of self-play (default: its first one)")
	cmd.Flags().Lookup("device").DefValue = ""
}

// loader returns what opens networks.
func (f *netFlags) loader() *networks.Loader {
	return networks.NewLoader(networks.LoaderOptions{
		Flag:     f.runtime,
		Env:      os.Getenv("CAROZERO_ONNXRUNTIME"),
		Provider: f.provider,
		Devices:  f.devices,
		Threads:  f.threads,
		Note:     func(text string) { warn(f.messages(), text) },
		Naming:   flagOf,
	})
}

// nets returns what opens the network for each variant that is asked for.
func (f *netFlags) nets() *networks.Nets { return networks.NewNets(f.loader(), f.model) }

// open loads the network for a variant; the caller closes it.
func (f *netFlags) open(v games.Variant) (*networks.Net, error) {
	return f.loader().Open(v, f.model)
}
