package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/nn/onnx"
)

// variantFlags choose the game.
type variantFlags struct {
	opts  games.VariantOptions
	given func(flag string) bool // whether the user has set a flag
}

func (f *variantFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.given = fs.Changed
	fs.StringVar(&f.opts.Game, "game", games.GameNames()[0], "game: "+strings.Join(games.GameNames(), " or "))
	fs.StringVar(&f.opts.Rule, "rule", games.DefaultRule, "rule set of gomoku: "+strings.Join(games.RuleNames(), ", "))
	addNum(cmd, &f.opts.Size, option.BoardSize.With(games.DefaultSize, "side length of the board"))
	fs.BoolVar(&f.opts.OpenRule, "open-rule", false, "the third stone at least 3 columns or rows from the first")
	fs.StringVar(&f.opts.Cards, "cards", "",
		"onitama: what is dealt from: base, senseis-path, all, or the names of five cards or more; without --position "+
			"games begin with the first five (default: base)")
	complete(cmd, "game", games.GameNames()...)
	complete(cmd, "rule", games.RuleNames()...)
}

func (f *variantFlags) variant() (games.Variant, error) {
	o := f.opts
	if o.Game != games.GameNames()[0] { // the flags' defaults are those of the usual game
		for _, name := range []string{"rule", "size"} {
			if g, err := games.Find(o.Game); err == nil && !g.Sizes && f.given(name) {
				return games.Variant{}, usagef("--%s: %s has one rule set and one board; leave it out", name, o.Game)
			}
		}
		if o.Rule == games.DefaultRule && !f.given("rule") {
			o.Rule = ""
		}
		if o.Size == games.DefaultSize && !f.given("size") {
			o.Size = 0
		}
	}
	v, err := games.NewVariant(o)
	if err != nil {
		return games.Variant{}, usagef("%w (--game, --rule, --size)", inFlags(err))
	}
	return v, nil
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
	cmd.Flags().Var((*providerFlag)(&f.provider), "provider", "what computes networks: "+
		strings.Join(onnx.Providers(), ", ")+"; with options of ONNX Runtime's as in cuda:KEY=VALUE,...")
	complete(cmd, "provider", onnx.Providers()...)
	cmd.Flags().UintSliceVar(&f.devices, "device", nil,
		"numbers of the provider's devices, as in 0,1, which share the games of self-play (default: its first one)")
	cmd.Flags().Lookup("device").DefValue = ""
}

// providerFlag is a provider and its options. It implements [pflag.Value].
type providerFlag string

// Set implements [pflag.Value].
func (f *providerFlag) Set(text string) error {
	p, err := onnx.ParseProvider(text)
	*f = providerFlag(p)
	return err
}

// String implements [pflag.Value].
func (f *providerFlag) String() string { return string(*f) }

// Type implements [pflag.Value].
func (f *providerFlag) Type() string { return "string" }

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

// positionFlags choose a position and the game that it is of.
type positionFlags struct {
	variantFlags
	position, board, toMove, captured string
}

func (f *positionFlags) register(cmd *cobra.Command) {
	f.variantFlags.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.position, "position", "",
		"moves from the empty board, as in h8i9j7; onitama: deal, then moves after a colon")
	fs.StringVar(&f.board, "board", "",
		"file with a diagram, - for standard input: '.' empty, X first player, O second; has the size that it is drawn "+
			"with; or a recorded game: SGF, psq, lib")
	addWord(cmd, &f.toMove, "to-move", "", "with --board: first or second (default: by the count of stones)", sideWords...)
	fs.StringVar(&f.captured, "captured", "", "with --board under school42: stones taken by first and second, as in 4,2")
	cmd.MarkFlagsMutuallyExclusive("position", "board")
	goesWith(cmd, "--board", func() bool { return f.board != "" }, "to-move", "captured")
}

// read returns the variant and the position that the flags name. Where --size is not
// given, a diagram has the size that it is drawn with.
func (f *positionFlags) read(cmd *cobra.Command) (v games.Variant, pos game.Position, err error) {
	if v, err = f.variant(); err != nil {
		return v, nil, err
	}
	if f.board == "" {
		pos, err = f.parse(v)
		return v, pos, err
	}
	d, err := f.diagram(cmd.Context(), cmd.InOrStdin())
	if err != nil {
		return v, nil, err
	}
	if isRecord([]byte(d.Text)) {
		if f.toMove != "" || f.captured != "" {
			return v, nil, usagef("--to-move and --captured go with a diagram, and --board %s is a recorded game", f.board)
		}
		return recordedBoard(cmd, v, f.board, []byte(d.Text))
	}
	if l := v.Lines(); l != nil {
		if err = f.settle(l, d.Text); err == nil {
			v, err = f.variant()
		}
		if err != nil {
			return v, nil, err
		}
	}
	if pos, err = v.ParseDiagram(d); err != nil {
		err = usagef("--board %s: %w", f.board, inFlags(err))
	}
	return v, pos, err
}

// undecided is read of a position in which there must be a move to find.
func (f *positionFlags) undecided(cmd *cobra.Command) (games.Variant, game.Position, error) {
	v, pos, err := f.read(cmd)
	if err == nil && pos.Outcome() != game.Undecided {
		err = usagef("the position is already over: %v (%s); give one in which there is a move to find", pos.Outcome(),
			pos.Reason())
	}
	return v, pos, err
}

// shown returns what a report says of the position: its moves, or a drawing of that of --board.
func (f *positionFlags) shown(v games.Variant, pos game.Position) (moves *string, board string) {
	if f.board == "" {
		return &f.position, ""
	}
	return nil, strings.TrimRight(v.Drawing(pos), "\n")
}

// flagged is an error whose text names the flags that it is about.
type flagged struct {
	error
	text string
}

func (e flagged) Error() string { return e.text }

// Unwrap returns the error without flags.
func (e flagged) Unwrap() error { return e.error }

// inFlags returns the error of a variant or of a setup with the flags named that it
// is about.
func inFlags(err error) error {
	if wrong, ok := errors.AsType[*games.OptionError](err); ok {
		return flagged{err, wrong.Naming(flagOf)}
	}
	if wrong, ok := errors.AsType[*games.SetupError](err); ok && wrong.Part == games.ToMovePart {
		return fmt.Errorf("%w; give --to-move first or second", err)
	}
	return err
}

// parse returns the position of --position.
func (f *positionFlags) parse(v games.Variant) (game.Position, error) {
	pos, err := v.Parse(f.position)
	if err != nil {
		return nil, usagef("--position: %w", err)
	}
	return pos, nil
}

// settle gives the variant the size of a diagram; one that was given must be
// the same.
func (f *positionFlags) settle(of games.Lines, diagram string) error {
	rows, err := of.DrawnSize(diagram)
	least, most := int(option.BoardSize.Min), int(option.BoardSize.Max)
	switch {
	case err != nil:
		return usagef("--board %s: %w", f.board, err)
	case f.given("size") && rows != f.opts.Size:
		return usagef("--board %s has %d rows, --size is %d: want the same, or no --size", f.board, rows, f.opts.Size)
	case rows < least || rows > most:
		return usagef("--board %s has %d rows: boards are %d to %d wide", f.board, rows, least, most)
	}
	f.opts.Size = rows
	return nil
}

// maxDiagram bounds what is read of a diagram, in bytes.
const maxDiagram = 1 << 18

// diagram returns what --board and the flags that go with it say.
func (f *positionFlags) diagram(ctx context.Context, stdin io.Reader) (games.Diagram, error) {
	var d games.Diagram
	text, err := await(ctx, func() ([]byte, error) {
		if f.board == "-" {
			return disk.ReadAll(disk.Text(stdin), maxDiagram)
		}
		return disk.ReadText(f.board, maxDiagram)
	})
	if err != nil {
		return d, fmt.Errorf("--board %s: %w", f.board, disk.Cause(err))
	}
	d.Text = string(text)
	if f.toMove != "" {
		side := sideOf(f.toMove)
		d.ToMove = &side
	}
	d.Captured, err = parseCaptured(f.captured)
	return d, err
}

// sideWords are the names of the sides, by [game.Side].
var sideWords = []string{game.First.String(), game.Second.String()}

// sideOf returns the side of one of sideWords.
func sideOf(word string) game.Side { return game.Side(slices.Index(sideWords, word)) }

func parseCaptured(text string) (captured [2]int, err error) {
	if text == "" {
		return captured, nil
	}
	first, second, _ := strings.Cut(text, ",")
	for i, number := range []string{first, second} {
		n, err := option.Captured.Parse(strings.TrimSpace(number))
		if err != nil {
			return captured, usagef("--captured %s: %w; the stones taken by first and second, as in 4,2", shownValue(text), err)
		}
		captured[i] = int(n)
	}
	return captured, nil
}

// named reports whether the user has named any of the game, the rule and the size.
func (f *variantFlags) named() bool {
	return slices.ContainsFunc([]string{"game", "rule", "size", "open-rule"}, f.given)
}

// isRecord reports whether the beginning of a file is that of recorded games in a
// format that is no plain text.
func isRecord(head []byte) bool {
	switch record.Detect(head[:min(len(head), record.HeadBytes)]) {
	case record.SGF, record.PSQ, record.Lib:
		return true
	}
	return false
}

// recordOptions are what a file of games of a variant leaves open where its main lines
// alone are read.
func recordOptions(v games.Variant) record.Options {
	o := gamefiles.ReadOptions(v)
	o.MainLine = true
	return o
}

// recordedBoard returns the variant and the position after the main line of the
// first game of a file.
func recordedBoard(
	cmd *cobra.Command, v games.Variant, path string, data []byte,
) (games.Variant, game.Position, error) {
	trees, _, err := record.Parse(data, recordOptions(v))
	if err != nil {
		return v, nil, usagef("--board %s: %w", path, err)
	}
	o := v.Options()
	switch t := trees[0]; {
	case cmd.Flags().Changed("size") && t.Size != v.Size:
		return v, nil, usagef("--board %s is of %dx%d, --size is %d: want the same, or no --size", path, t.Size, t.Size,
			v.Size)
	case v.Columns() == 0 && t.Size == 0:
	case v.Columns() == 0:
		return v, nil, usagef("--board %s: a record of a game on a board of cells is none of %s", path, v.Game)
	default:
		o.Size = t.Size
	}
	r, err := gamefiles.NewRecord(trees[0], path, o, cmd.Flags().Changed("rule"))
	if err != nil {
		return v, nil, usagef("--board: %w", err)
	}
	sayNotes(cmd, &r, cmd.Flags().Changed("rule"))
	g, err := r.Line(r.Tree.MainLeaf(), -1)
	if err != nil {
		return v, nil, usagef("--board: %w", err)
	}
	pos, err := g.At(len(g.Moves))
	return r.Variant, pos, err
}

// sayNotes prints what is odd in a record, and how its rule was guessed unless the command
// line gives it.
func sayNotes(cmd *cobra.Command, r *gamefiles.Record, ruleGiven bool) {
	for _, text := range r.Notes(ruleGiven) {
		noteOf(cmd)(text)
	}
}

// recordedOpenings returns the lines of the games of a file as openings.
func recordedOpenings(path string, v games.Variant) (list arena.OpeningList, err error) {
	r, err := gamefiles.Open([]string{path}, gamefiles.Options{Variant: v, Fixed: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		pos, err := g.At(len(g.Moves))
		if err != nil {
			return nil, err
		}
		if pos.Outcome() != game.Undecided {
			return nil, fmt.Errorf("%s: the game is over after move %d: want openings", g.Source, len(g.Moves))
		}
		if list = append(list, g.Moves); len(list) > mostRecorded {
			return nil, fmt.Errorf("%s: more than %d openings", path, mostRecorded)
		}
	}
}

// mostRecorded bounds the openings of a file.
const mostRecorded = 500_000
