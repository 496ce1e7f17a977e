package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/report"
)

// showCommand holds the flags of the command "show".
type showCommand struct {
	position positionFlags
	out      string
	plain    bool // without numbers
}

// newShow returns the command "show".
func newShow() *cobra.Command {
	var f showCommand
	return define(&cobra.Command{
		Use:   "show [POSITION]",
		Short: "Draw a position: SVG, or text",
		Long: `Draw a position, given as its moves. --out names a picture, a file that ends in
.svg. Without --out the board is printed as text.

Pictures show coordinates, the numbers of moves, the last one in red, a winning line
in green, forbidden points as red crosses; of Onitama the cards too.`,
		Example: `  carozero show h8i9j7
  carozero show --rule renju h8h9i7i9h10i6i11i12 --out forbidden.svg`,
		Args: takes(0, 1, "a position"),
	}, f.run, f.position.register, f.register)
}

func (f *showCommand) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.out, "out", "", "picture to write: a file that ends in .svg")
	fs.BoolVar(&f.plain, "no-numbers", false, "leave the numbers of moves out; the last one has a red dot then")
	goesWith(cmd, "--out", func() bool { return f.out != "" }, "no-numbers")
	goesWith(cmd, "a call without a position", func() bool { return fs.NArg() == 0 }, "position", "board")
}

func (f *showCommand) run(cmd *cobra.Command, args []string) (report.Report, error) {
	if f.out != "" && !strings.EqualFold(filepath.Ext(f.out), ".svg") {
		return nil, usagef("--out %s: want a file that ends in .svg", shownValue(f.out))
	}
	if len(args) > 0 {
		f.position.position = args[0]
	}
	v, pos, err := f.position.read(cmd)
	if err != nil {
		return nil, interrupted(err, "nothing was drawn")
	}
	start, moves := pos, []game.Move(nil)
	if f.position.board == "" {
		if start, moves, err = v.ParseGame(f.position.position); err != nil {
			return nil, err
		}
	}
	scene := gamefiles.NewScene(v, start, moves)
	if f.out == "" {
		return &report.Shown{
			Game: v.Game, Rule: v.Rule(), Size: v.Size, Move: len(moves), ToMove: pos.ToMove().String(),
			Outcome: pos.Outcome().String(), Reason: string(pos.Reason()), Position: v.FormatGame(start, moves),
			Board: strings.TrimRight(v.Drawing(pos), "\n"), Title: scene.Title,
		}, nil
	}
	if f.plain {
		scene.Numbers = nil
	}
	if err := disk.Check(f.out, "no picture of this program", gamefiles.OwnPicture); err != nil {
		return nil, about("--out", err)
	}
	r := &report.Picture{Out: f.out, Game: v.Game, Rule: v.Rule(), Size: v.Size, Move: len(moves)}
	return r, disk.Write(f.out, func(out io.Writer) error { return gamefiles.SVG(out, &scene) })
}

// convertCommand holds the flags of the command "convert".
type convertCommand struct {
	variant          variantFlags
	to, out, charset string
	main, check      bool
}

// newConvert returns the command "convert".
func newConvert() *cobra.Command {
	var f convertCommand
	return define(&cobra.Command{
		Use:   "convert IN... --out OUT",
		Short: "Turn recorded games into SGF or text",
		Long: `Turn recorded games into SGF, or a text of one position a line. IN is a file of
these, of Piskvork's psq or of RenLib's lib, whose content says which, a folder of
them, a run of self-play or one of its shards. OUT is a file for all games, a folder
(with a / at its end, if it is new) for one file a game, or - for standard output.

Games are not held against any rules, but with --check, which says where a game
becomes illegal; the exit status is 3 then. --rule and --size are for records
that do not say of what rule and size they are. A text takes a line for each
variation, and nothing that is said of the moves.`,
		Example: `  carozero convert games.lib --out games.sgf
  carozero convert --to text --out - game.psq`,
		Args: takes(1, many, "a file of games, or a folder"),
	}, f.run, f.variant.register, f.register)
}

func (f *convertCommand) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	addWord(cmd, &f.to, "to", "", "format: "+strings.Join(record.FormatNames(),
		", ")+" (default: by the extension of --out)", record.FormatNames()...)
	fs.StringVar(&f.out, "out", "", "file, folder, or - for standard output (required)")
	fs.BoolVar(&f.main, "main-line", false, "leave variations out")
	fs.BoolVar(&f.check, "check", false, "replay the games through the rules")
	fs.StringVar(&f.charset, "charset", "",
		"encoding of texts in files that are not UTF-8 and name none, such as gbk (default: windows-1252)")
	needs(cmd, "out", "a file, a folder, or -")
}

// format returns the format to write.
func (f *convertCommand) format() (record.Format, error) {
	if f.to == "" {
		if to := record.FormatOf(record.ByExtension(f.out).String()); to != record.Unknown && !f.folder() {
			return to, nil
		}
		return 0, usagef("--to: want %s; the extension of --out %s says none", strings.Join(record.FormatNames(), ", "),
			shownValue(f.out))
	}
	return record.FormatOf(f.to), nil
}

// folder reports whether --out names a folder.
func (f *convertCommand) folder() bool {
	info, err := os.Stat(f.out)
	return err == nil && info.IsDir() || strings.HasSuffix(f.out, "/") ||
		strings.HasSuffix(f.out, string(os.PathSeparator))
}

func (f *convertCommand) run(cmd *cobra.Command, args []string) (report.Report, error) {
	v := f.variant.v
	to, err := f.format()
	if err != nil {
		return nil, err
	}
	if err := record.LookupCharset(f.charset); err != nil {
		return nil, usagef("--charset: %w", err)
	}
	in, err := gamefiles.OpenTrees(args, gamefiles.Options{Variant: v, Out: f.out, Charset: f.charset})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	o := &gamefiles.Conversion{
		To: to, Program: programName, Main: f.main, Check: f.check, Note: noteOf(cmd),
	}
	if f.variant.given("rule") {
		o.Rule = v.Rule()
	}
	sum, err := f.convert(cmd, in, o)
	if err != nil {
		return nil, interrupted(err, "what was being written is not kept")
	}
	if f.out == "-" {
		cmd.SetOut(cmd.ErrOrStderr()) // the games are on standard output
	}
	return report.NewConversion(to, f.out, f.check, &sum),
		found(sum.Illegal > 0, "convert: %d of %d games are not legal", sum.Illegal, sum.Games)
}

// convert writes the games to where --out says.
func (f *convertCommand) convert(
	cmd *cobra.Command, in *gamefiles.Trees, o *gamefiles.Conversion,
) (sum gamefiles.Converted, err error) {
	if f.folder() {
		return o.Folder(cmd.Context(), f.out, in)
	}
	if f.out == "-" {
		return o.Stream(cmd.Context(), fileOutput(cmd), in)
	}
	if err := gamefiles.CheckOut(f.out, o.To, programName); err != nil {
		return sum, about("--out", err)
	}
	err = disk.Write(f.out, func(out io.Writer) error {
		sum, err = o.Stream(cmd.Context(), out, in)
		return err
	})
	return sum, err
}
