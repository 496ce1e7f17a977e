package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/record/book"
	"github.com/carozero/carozero/internal/record/bookfiles"
	"github.com/carozero/carozero/internal/record/gamefiles"
	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/internal/support/outfile"
)

// bookImportFlags say what comes into a book.
type bookImportFlags struct {
	variantFlags
	authorFlag
	rapfi   bool
	plies   int
	charset string
}

// newBookImport returns the command "book import".
func newBookImport() *cobra.Command {
	var (
		flags  bookImportFlags
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:   "import FILE IN...",
		Short: "Bring games, or Rapfi's database, into a book",
		Long: `Bring games into a book, which is made if there is none: runs of self-play, shards,
SGF, psq and lib files or folders of them, and lists of positions. The positions of all
lines come in with their comments, and those of the main line with the game's result.
Journals of matches bring results, and the JSON lines of "book export" all but
certificates. Each file comes in as a whole and counts once; a journal that has grown
since adds its new games.

With --rapfi, IN are databases of Rapfi or Yixin: values, labels and comments come in.`,
		Example: `  carozero book import caro.book games.sgf runs/one --max-stones 16
  carozero book import --rapfi renju.book rapfi.db`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("%swant a book, and what to bring into it", within(cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			b, sum, err := flags.run(cmd, args)
			if err != nil {
				return interrupted(err, "%d files are in the book as a whole, and nothing of the next; run it again, nothing counts twice", sum.Files)
			}
			return printBook(cmd, &output, b, func(r *report.Book) {
				r.Done = &report.BookDone{
					Files: sum.Files, Known: sum.Known, Games: sum.Games, Illegal: sum.Illegal, Results: sum.Results,
					New: sum.Positions, Values: sum.Values, Labels: sum.Labels, Comments: sum.Comments,
				}
			})
		},
	}
	flags.variantFlags.register(cmd)
	flags.authorFlag.register(cmd)
	fs := cmd.Flags()
	fs.BoolVar(&flags.rapfi, "rapfi", false, "the files are databases of Rapfi or Yixin")
	fs.StringVar(&flags.charset, "charset", "", "encoding of texts in psq and lib files, such as gbk (default: UTF-8, or windows-1252 for what is none)")
	addInt(cmd, &flags.plies, option.GamePlies.Named("max-stones").With(20, "most stones of a position that is taken").Or0("any number"))
	output.register(cmd)
	return cmd
}

// run imports the files and returns the open book.
func (f *bookImportFlags) run(cmd *cobra.Command, args []string) (*book.Book, bookfiles.Imported, error) {
	var sum bookfiles.Imported
	by, err := f.stamp()
	if err != nil {
		return nil, sum, err
	}
	v, err := f.variant()
	if err != nil {
		return nil, sum, err
	}
	if _, err := f.bookVariant(); err != nil {
		return nil, sum, err
	}
	if err := record.LookupCharset(f.charset); err != nil {
		return nil, sum, usagef("--charset: %w", err)
	}
	b, undo, err := makeBook(args[0])
	if err != nil {
		return nil, sum, err
	}
	bar := newProgress(-1, "games")
	defer bar.Close()
	o := bookfiles.ImportOptions{
		Games: gamefiles.Options{Variant: v, Fixed: f.given("rule") || f.given("size") || f.given("open-rule")}, Charset: f.charset,
		Plies: f.plies, Stamp: by, Note: noteOf(cmd), Progress: func(n int64) { _ = bar.Set64(n) },
	}
	if !f.rapfi {
		sum, err = bookfiles.Games(cmd.Context(), b, args[1:], o)
	}
	for _, path := range args[1:] {
		if f.rapfi && err == nil {
			err = importRapfi(cmd, b, path, o, &sum)
		}
	}
	if err != nil {
		err = undo(err)
	}
	return b, sum, err
}

// importRapfi brings one database into a book.
func importRapfi(cmd *cobra.Command, b *book.Book, path string, o bookfiles.ImportOptions, sum *bookfiles.Imported) error {
	file, err := limitio.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer file.Close()
	one, err := bookfiles.Rapfi(cmd.Context(), b, file, o)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	sum.Files += one.Files
	sum.Games += one.Games
	sum.Illegal += one.Illegal
	sum.Positions += one.Positions
	sum.Values += one.Values
	sum.Labels += one.Labels
	sum.Comments += one.Comments
	return nil
}

// The forms of an export.
const (
	toRapfi    = "rapfi"
	toJSON     = "json"
	toOpenings = "openings"
)

var exportForms = []string{record.SGF.String(), record.Lib.String(), toRapfi, toJSON, toOpenings}

// bookExportFlags say what becomes of a book.
type bookExportFlags struct {
	positionFlags
	to, out                 string
	count, minGames, stones int
	part, parts             int
	low, high               float64
	seed                    uint64
}

// newBookExport returns the command "book export".
func newBookExport() *cobra.Command {
	var (
		flags  bookExportFlags
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:   "export FILE --out OUT",
		Short: "Write a book as SGF, lib, Rapfi's database, JSON lines or balanced openings",
		Long: `Write a book in another form: what follows a position as a tree, in SGF or as a
library of RenLib; all positions of a rule and size as a database of Rapfi or as JSON
lines; or a list of balanced openings, which "match --openings" reads: those after which
either side has scored from --low to --high percent of the points, over --min-games games
or more. --seed draws them, where otherwise those of the most games are taken; --part 2
--parts 3 takes them from the second of three sets that share no position.`,
		Example: `  carozero book export caro.book --out caro.lib
  carozero book export caro.book --to openings --balanced 100 --min-games 20 --out balanced.txt`,
		Args: oneArg("a book"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := book.Open(args[0], book.ReadOnly)
			if err != nil {
				return err
			}
			sum, err := flags.run(cmd, b)
			if err != nil {
				_ = b.Close()
				return interrupted(err, "what was being written is not kept")
			}
			if flags.out == "-" {
				return b.Close()
			}
			return printBook(cmd, &output, b, func(r *report.Book) {
				r.Done = &report.BookDone{Written: sum.Positions, Left: sum.Left}
			})
		},
	}
	flags.positionFlags.register(cmd)
	fs := cmd.Flags()
	addWord(cmd, &flags.to, "to", "", "form: "+strings.Join(exportForms, ", ")+" (default: by the extension of --out)", exportForms...)
	fs.StringVar(&flags.out, "out", "", "file, or - for standard output (required)")
	addInt(cmd, &flags.count, option.Count.Named("balanced").With(100, "with --to openings: most openings"))
	addInt(cmd, &flags.minGames, option.Count.Named("min-games").With(10, "with --to openings: games after an opening"))
	addInt(cmd, &flags.stones, option.GamePlies.Named("min-stones").With(3, "with --to openings: stones of an opening"))
	addFloat(cmd, &flags.low, option.Float{Key: "low", Help: "with --to openings: least share of the points of the side to move, in percent", Default: 40, Min: 0, Max: 100})
	addFloat(cmd, &flags.high, option.Float{Key: "high", Help: "with --to openings: most of it, in percent", Default: 60, Min: 0, Max: 100})
	addInt(cmd, &flags.part, option.Int{Key: "part", Help: "with --to openings: which of the --parts", Default: 1, Min: 1, Max: maxParts})
	addInt(cmd, &flags.parts, option.Int{Key: "parts", Help: "with --to openings: sets without a common position to divide the openings into", Default: 1, Min: 1, Max: maxParts})
	addSeed(cmd, &flags.seed, option.Seed{Key: "seed", Help: "with --to openings: draws them; 0 takes those of the most games"})
	output.register(cmd)
	return cmd
}

// maxParts bounds the sets that openings are divided into.
const maxParts = 1000

// run writes the book to where --out says.
func (f *bookExportFlags) run(cmd *cobra.Command, b *book.Book) (sum bookfiles.Written, err error) {
	if err := f.settleBook(b); err != nil {
		return sum, err
	}
	v, err := f.bookVariant()
	if err != nil {
		return sum, err
	}
	if f.out == "" {
		return sum, usagef("--out is missing: name a file, or - for standard output")
	}
	if f.part > f.parts {
		return sum, usagef("--part %d: want at most --parts, %d", f.part, f.parts)
	}
	to := cmp.Or(f.to, record.ByExtension(f.out).String())
	var pos *gomoku.Board
	if to == record.SGF.String() || to == record.Lib.String() {
		if pos, err = bookBoard(cmd, &f.positionFlags); err != nil {
			return sum, err
		}
	}
	write := func(out io.Writer) (err error) {
		switch to {
		case record.SGF.String(), record.Lib.String():
			sum, err = bookfiles.WriteTree(cmd.Context(), b, pos, record.FormatOf(to), "carozero:"+version, out)
		case toRapfi:
			sum, err = bookfiles.WriteRapfi(cmd.Context(), b, v, out)
		case toJSON:
			sum, err = bookfiles.WriteJSON(cmd.Context(), b, v, out)
		case toOpenings:
			sum, err = bookfiles.WriteBalanced(cmd.Context(), b, v, bookfiles.Balance{
				Count: f.count, MinGames: int64(f.minGames), Low: f.low / 100, High: f.high / 100, MinPlies: f.stones,
				Part: f.part, Parts: f.parts, Seed: f.seed,
			}, out)
		default:
			err = usagef("--to: want %s; the extension of --out %s says none", strings.Join(exportForms, ", "), shownValue(f.out))
		}
		return err
	}
	if f.out == "-" {
		return sum, write(fileOutput(cmd))
	}
	if err := outfile.Check(f.out, "no export of a book", func(head []byte) bool { return exported(to, head) }); err != nil {
		return sum, fmt.Errorf("--out: %w", err)
	}
	return sum, outfile.Write(f.out, write)
}

// exported reports whether a file that begins so may be an earlier export in a form.
func exported(to string, head []byte) bool {
	switch to {
	case record.SGF.String():
		return record.IsSGFOf(head, "carozero:"+version)
	case toJSON:
		return bytes.HasPrefix(head, []byte(`{"rule":`))
	}
	return false
}
