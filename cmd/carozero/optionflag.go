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

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
)

// optionFlag is a flag whose values are those of an option: they are checked
// while the command line is read. It implements [pflag.Value].
type optionFlag struct {
	of    option.Option
	about string // what has the option; "": the command
	set   func(text string) error
	get   func() string
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
	addOption(cmd, &optionFlag{
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
			of: s.Option, about: about,
			set: func(text string) error { return s.Set(of, text) },
			get: func() string { return s.Text(of) },
		}
		addOption(cmd, f)
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

// wordFlag is a flag whose value is one of two or more words. It implements [pflag.Value].
type wordFlag struct {
	field *string
	words []string
}

// Set implements [pflag.Value].
func (f *wordFlag) Set(text string) error {
	if !slices.Contains(f.words, text) {
		last := len(f.words) - 1
		return fmt.Errorf("want %s or %s", strings.Join(f.words[:last], ", "), f.words[last])
	}
	*f.field = text
	return nil
}

// String implements [pflag.Value].
func (f *wordFlag) String() string {
	if f.field == nil {
		return "" // the zero value, which pflag asks too
	}
	return *f.field
}

// Type implements [pflag.Value].
func (f *wordFlag) Type() string { return "string" }

// addWord adds a flag for one of some words, which a shell is offered. Its default need
// not be one of them.
func addWord(cmd *cobra.Command, field *string, name, def, usage string, words ...string) {
	*field = def
	cmd.Flags().Var(&wordFlag{field, words}, name, usage)
	complete(cmd, name, words...)
}

// addOption adds a flag, with its range in the help.
func addOption(cmd *cobra.Command, f *optionFlag) {
	usage := f.of.About()
	if f.about != "" {
		usage = f.about + ": " + usage
	}
	if kind := f.Type(); kind != "uint" && kind != "bool" {
		usage += " (" + f.of.Range() + ")"
	}
	cmd.Flags().Var(f, f.of.Name(), usage)
}

// checkMemory refuses what takes more memory than there is; the error names
// the flags.
func checkMemory(m *option.Memory) error { return asUsage(m.Check(option.Machine())) }

// addCache adds a cache of network results.
func addCache(m *option.Memory, mib int) { m.Add(fmt.Sprintf("--cache %d", mib), int64(mib)<<20) }

// flagError is the one line for a flag that cannot be read: the flag, the value
// found, and what would be right.
func flagError(cmd *cobra.Command, err error) error {
	help := "'carozero --help'"
	if path := strings.TrimPrefix(cmd.CommandPath(), "carozero "); path != cmd.CommandPath() {
		help = fmt.Sprintf("'carozero %s --help'", path)
	}
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

// The engines that --engine chooses from.
const (
	engineMCTS      = "mcts"
	engineAlphaBeta = "alphabeta"
)

// engineFlag chooses the engine of a command.
type engineFlag struct{ name string }

// Flags that only one of the engines has.
var (
	mctsFlags      = append([]string{"model", "onnxruntime", "provider", "playouts"}, option.Keys(singleSettings)...)
	alphaBetaFlags = []string{"nodes", "depth", "table", "lines", "level", "ponder", "net", "techniques"}
)

// register declares the flag; usual is the engine where none is named.
func (f *engineFlag) register(cmd *cobra.Command, what, usual string) {
	addWord(cmd, &f.name, "engine", usual, what+": mcts (network and tree search) or alphabeta (classical search)",
		engineMCTS, engineAlphaBeta)
}

// check refuses flags of the engine that was not chosen.
// A level alone chooses the engine that has levels.
func (f *engineFlag) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("level") && !cmd.Flags().Changed("engine") {
		f.name = engineAlphaBeta
	}
	foreign, owner := alphaBetaFlags, engineAlphaBeta
	if f.name == engineAlphaBeta {
		foreign, owner = mctsFlags, engineMCTS
	}
	for _, name := range foreign {
		if cmd.Flags().Changed(name) {
			return usagef("--%s goes with --engine %s, not with %s", name, owner, f.name)
		}
	}
	return nil
}

// endgamesFlag names a file of solved endgames for the searches of a command.
type endgamesFlag struct {
	file string
	open games.Endgames // nil before a file is opened, and without one
}

func (f *endgamesFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "bitbase", "",
		"file of solved endgames of Onitama, from 'carozero bitbase', that the search knows")
}

// openFor opens the file for a search that begins at pos, whose cards the endgames must
// have. It returns nil without the flag.
func (f *endgamesFlag) openFor(cmd *cobra.Command, v games.Variant, pos game.Position) (games.Endgames, error) {
	if f.file == "" {
		return nil, nil
	}
	solved, err := v.OpenEndgames(cmd.Context(), f.file)
	if errors.Is(err, games.ErrNoEndgames) {
		return nil, usagef("--bitbase: %w", err)
	} else if err != nil {
		return nil, interrupted(fmt.Errorf("--bitbase: %w", err), "nothing was searched")
	}
	if err := solved.Suits(pos); err != nil {
		return nil, errors.Join(usagef("--bitbase: %w", err), solved.Close())
	}
	f.open = solved
	return solved, nil
}

// openForAny opens the file for positions that are not known yet: the endgames are asked
// where they suit. It returns nil without the flag.
func (f *endgamesFlag) openForAny(cmd *cobra.Command) (games.Endgames, error) {
	if f.file == "" {
		return nil, nil
	}
	solved, err := games.OpenEndgames(cmd.Context(), f.file)
	if err != nil {
		return nil, interrupted(fmt.Errorf("--bitbase: %w", err), "nothing was searched")
	}
	f.open = solved
	return solved, nil
}

// close closes the file and adds to err what went wrong in reading it.
func (f *endgamesFlag) close(err error) error {
	if f.open == nil {
		return err
	}
	return errors.Join(err, f.open.Close())
}

// bookFlag names an opening book that the engine of a command plays from first.
type bookFlag struct {
	file  string
	mode  book.Mode  // that it is opened for
	book  *book.Book // nil: none
	stats book.EngineStats

	inner engine.Engine // that was given a book last
	outer engine.Engine
}

func (f *bookFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "book", "",
		"opening book to play from first, for games of its rules and size; see the command book")
}

// open opens the book, if one is named.
func (f *bookFlag) open() (err error) {
	if f.file != "" {
		if f.book, err = book.Open(f.file, f.mode); err != nil {
			return fmt.Errorf("--book %w", err)
		}
	}
	return nil
}

// close frees the book and says how often it answered.
func (f *bookFlag) close(cmd *cobra.Command) {
	if f.book == nil {
		return
	}
	if asked, answered := f.stats.Counts(); asked > 0 {
		noteOf(cmd)(fmt.Sprintf("%s: %d of %d moves asked about came from the book", f.file, answered, asked))
	}
	_ = f.book.Close() // what was written is on the disk since
}

// covers returns an error unless the book has positions of a variant; nil without a book.
func (f *bookFlag) covers(v games.Variant) error {
	if f.book == nil {
		return nil
	}
	rules, ok := v.Gomoku()
	if !ok {
		return usagef("--book goes with gomoku, not with %s", v.Game)
	}
	if err := f.book.Covers(book.Variant{Rules: rules, Size: v.Size}); err != nil {
		return fmt.Errorf("--book %s: %w", f.file, err)
	}
	return nil
}

// before returns an engine that plays from the book first, where the book covers the
// variant.
func (f *bookFlag) before(e engine.Engine, v games.Variant) engine.Engine {
	if f.book == nil || f.covers(v) != nil {
		return e
	}
	if e != f.inner {
		f.inner, f.outer = e, book.NewEngine(e, f.book, &f.stats)
	}
	return f.outer
}
