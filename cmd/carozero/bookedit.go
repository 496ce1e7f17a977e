package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/report"
)

// newBookAdd returns the command "book add".
func newBookAdd() *cobra.Command {
	var (
		position                    positionFlags
		author                      authorFlag
		output                      outputFlags
		label, comment, certificate string
	)
	cmd := &cobra.Command{
		Use:   "add FILE",
		Short: "Put a position into a book, with a label, a comment or a certificate",
		Long: `Put a position into a book, which is made if there is none, and set its label, its
comment or its certificate of a win. Labels are of the side to move; the book always
plays to a forced position, and never to an excluded one. A certificate is checked first,
and must agree with the label.`,
		Example: `  carozero book add caro.book --position h8i9j7 --label excluded --comment "too sharp"
  carozero book add caro.book --position h8a1i8c1j8e1k8g1 --certificate win.cert`,
		Args: oneArg("a book"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("position") && !cmd.Flags().Changed("board") {
				return usagef("%s--position or --board is missing: say which position, --position '' for the start", within(cmd))
			}
			by, err := author.stamp()
			if err != nil {
				return err
			}
			if err := book.CheckComment(comment); err != nil {
				return usagef("--comment: %w", err)
			}
			b, undo, err := makeBook(args[0])
			if err != nil {
				return err
			}
			r, err := func() (*report.BookQuery, error) {
				pos, err := settledBoard(cmd, b, &position)
				if err != nil {
					return nil, err
				}
				var proof []byte
				if certificate != "" {
					if proof, err = readCertificate(cmd, pos, certificate); err != nil {
						return nil, err
					}
				}
				if err := b.Update(cmd.Context(), func(w *book.Writer) error {
					_, err := w.Add(pos, by)
					if l, ok := book.LabelOf(label); err == nil && ok {
						err = w.SetLabel(pos, l, by)
					}
					if err == nil && cmd.Flags().Changed("comment") {
						err = w.SetComment(pos, comment, by)
					}
					if err == nil && proof != nil {
						err = w.SetCertificate(pos, proof, by)
					}
					return err
				}); err != nil {
					return nil, err
				}
				return queryBook(b, pos)
			}()
			if err != nil {
				return interrupted(undo(err), "the book is as it was")
			}
			return output.printAfter(cmd, b.Close(), r)
		},
	}
	position.register(cmd)
	author.register(cmd)
	addWord(cmd, &label, "label", "", "what the position is to the side to move", book.LabelNames()...)
	cmd.Flags().StringVar(&comment, "comment", "", "a comment, in place of an earlier one")
	cmd.Flags().StringVar(&certificate, "certificate", "", "file with a certificate of a win from the position")
	output.register(cmd)
	return cmd
}

// settledBoard returns the position of the flags, of the book's rule and size unless they
// say another.
func settledBoard(cmd *cobra.Command, b *book.Book, f *positionFlags) (*gomoku.Board, error) {
	if err := f.settleBook(b); err != nil {
		return nil, err
	}
	return bookBoard(cmd, f)
}

// readCertificate reads a certificate, which must be of the position and hold.
func readCertificate(cmd *cobra.Command, pos *gomoku.Board, path string) ([]byte, error) {
	data, err := disk.ReadFile(path, games.MaxCertificateBytes)
	if err == nil {
		err = book.CheckCertificate(cmd.Context(), pos, data)
	}
	if err != nil {
		return nil, fmt.Errorf("--certificate %s: %w", path, err)
	}
	return data, nil
}

// newBookQuery returns the command "book query".
func newBookQuery() *cobra.Command {
	var (
		position positionFlags
		output   outputFlags
	)
	cmd := &cobra.Command{
		Use:   "query FILE",
		Short: "Say what a book says of a position, and of the moves there",
		Long: `Say what a book says of a position, and of each move there that the book knows, the
best first. Values and results are of the side to move in the position that was asked
about. Symmetries and transpositions are one position.`,
		Example: `  carozero book query caro.book --position h8
  carozero book query caro.book --position h8i9 --json`,
		Args: oneArg("a book"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := book.Open(args[0], book.ReadOnly)
			if err != nil {
				return err
			}
			defer b.Close()
			pos, err := settledBoard(cmd, b, &position)
			if err != nil {
				return err
			}
			r, err := queryBook(b, pos)
			if err != nil {
				return err
			}
			return output.print(cmd, r)
		},
	}
	position.register(cmd)
	output.register(cmd)
	return cmd
}

// queryBook returns what a book says of a position.
func queryBook(b *book.Book, pos *gomoku.Board) (*report.BookQuery, error) {
	v, err := b.View(pos, gomoku.Notation{Size: pos.Size()})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Path(), err)
	}
	return &report.BookQuery{Rule: pos.Rules().Name, Size: pos.Size(), ToMove: pos.ToMove().String(), View: v}, nil
}

// newBookMerge returns the command "book merge".
func newBookMerge() *cobra.Command {
	var (
		prefer bool
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:   "merge FILE OTHER...",
		Short: "Put all that other books say into a book",
		Long: `Put all that other books say into a book, which is made if there is none. Results
count once, however often a book is merged; of two values of one engine, network and
build, that of more nodes stays. Labels that contradict are told, and stay as they are
unless --prefer is given. One that contradicts a certificate in the book is left out.`,
		Example: "  carozero book merge caro.book other.book",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("%swant a book, and others to put into it", within(cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			b, undo, err := makeBook(args[0])
			if err != nil {
				return err
			}
			var done report.BookDone
			for _, path := range args[1:] {
				sum, err := mergeBook(cmd, b, path, prefer)
				done.Read += sum.Positions
				done.New += sum.New
				done.Values += sum.Values
				done.Contradicting += sum.Contradicting
				if err != nil {
					return interrupted(undo(err), "%d positions were merged; run it again, nothing counts twice", done.Read)
				}
				done.Files++
			}
			return printBook(cmd, &output, b, func(r *report.Book) { r.Done = &done })
		},
	}
	cmd.Flags().BoolVar(&prefer, "prefer", false, "take the labels and comments of the other books where they contradict")
	output.register(cmd)
	return cmd
}

// mergeBook merges one book.
func mergeBook(cmd *cobra.Command, b *book.Book, path string, prefer bool) (book.Merged, error) {
	other, err := book.Open(path, book.ReadOnly)
	if err != nil {
		return book.Merged{}, err
	}
	defer other.Close()
	bar := newProgress(-1, "positions")
	defer bar.Close()
	return b.Merge(cmd.Context(), other, book.MergeOptions{Prefer: prefer, Note: noteOf(cmd), Progress: func(n int) { _ = bar.Set(n) }})
}

// newBookPrune returns the command "book prune".
func newBookPrune() *cobra.Command {
	var (
		games, stones int
		output        outputFlags
	)
	cmd := &cobra.Command{
		Use:   "prune FILE",
		Short: "Take positions out of a book that few games went through, or with many stones",
		Long: `Take positions out of a book: those with fewer games than --min-games and no value of
an engine, and those with more stones than --max-stones. Positions with a label, a
comment or a certificate stay.`,
		Example: "  carozero book prune caro.book --min-games 2 --max-stones 20",
		Args:    oneArg("a book"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if games == 0 && stones == 0 {
				return usagef("%swant --min-games or --max-stones", within(cmd))
			}
			b, err := book.Open(args[0], book.ReadWrite)
			if err != nil {
				return err
			}
			removed, err := b.Prune(cmd.Context(), book.PruneOptions{MinGames: int64(games), MaxStones: stones})
			if err != nil {
				_ = b.Close()
				return interrupted(err, "the book is as it was")
			}
			return printBook(cmd, &output, b, func(r *report.Book) { r.Done = &report.BookDone{Removed: removed} })
		},
	}
	addNum(cmd, &games, option.Count.Named("min-games").With(0, "games that keep a position without values in the book").ZeroMeans("any number"))
	addNum(cmd, &stones, option.GamePlies.Named("max-stones").With(0, "most stones of a position").ZeroMeans("any number"))
	output.register(cmd)
	return cmd
}

// bookImportFlags say what comes into a book.
type bookImportFlags struct {
	variantFlags
	authorFlag
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
		Short: "Bring games into a book",
		Long: `Bring games into a book, which is made if there is none: runs of self-play, shards,
SGF, psq and lib files or folders of them, and lists of positions. The positions of all
lines come in with their comments, and those of the main line with the game's result.
The JSON lines of "book export" bring all but certificates. Each file comes in as a
whole and counts once.`,
		Example: "  carozero book import caro.book games.sgf runs/one --max-stones 16",
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
					New: sum.New, Values: sum.Values, Labels: sum.Labels, Comments: sum.Comments, Contradicting: sum.Contradicting,
				}
			})
		},
	}
	flags.variantFlags.register(cmd)
	flags.authorFlag.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&flags.charset, "charset", "", "encoding of texts in psq and lib files, such as gbk (default: UTF-8, or windows-1252 for what is none)")
	addNum(cmd, &flags.plies, option.GamePlies.Named("max-stones").With(20, "most stones of a position that is taken").ZeroMeans("any number"))
	output.register(cmd)
	return cmd
}

// run imports the files and returns the open book.
func (f *bookImportFlags) run(cmd *cobra.Command, args []string) (*book.Book, gamefiles.Imported, error) {
	var sum gamefiles.Imported
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
	o := gamefiles.BookOptions{
		Games: gamefiles.Options{Variant: v, Fixed: f.given("rule") || f.given("size") || f.given("open-rule")}, Charset: f.charset,
		Plies: f.plies, Stamp: by, Note: noteOf(cmd), Progress: func(n int) { _ = bar.Set(n) },
	}
	if sum, err = gamefiles.IntoBook(cmd.Context(), b, args[1:], o); err != nil {
		err = undo(err)
	}
	return b, sum, err
}

// The forms of an export.
const (
	toJSON     = "json"
	toOpenings = "openings"
)

var exportForms = []string{record.SGF.String(), record.Lib.String(), toJSON, toOpenings}

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
		Short: "Write a book as SGF, lib, JSON lines or balanced openings",
		Long: `Write a book in another form: what follows a position as a tree, in SGF or as a
library of RenLib; all positions of a rule and size as JSON lines; or a list of balanced openings, which "match --openings" reads: those after which
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
	addNum(cmd, &flags.count, option.Count.Named("balanced").With(100, "with --to openings: most openings"))
	addNum(cmd, &flags.minGames, option.Count.Named("min-games").With(10, "with --to openings: games after an opening"))
	addNum(cmd, &flags.stones, option.GamePlies.Named("min-stones").With(3, "with --to openings: stones of an opening"))
	addNum(cmd, &flags.low, option.Float{Key: "low", Help: "with --to openings: least share of the points of the side to move, in percent", Default: 40, Min: 0, Max: 100})
	addNum(cmd, &flags.high, option.Float{Key: "high", Help: "with --to openings: most of it, in percent", Default: 60, Min: 0, Max: 100})
	addNum(cmd, &flags.part, option.Int{Key: "part", Help: "with --to openings: which of the --parts", Default: 1, Min: 1, Max: maxParts})
	addNum(cmd, &flags.parts, option.Int{Key: "parts", Help: "with --to openings: sets without a common position to divide the openings into", Default: 1, Min: 1, Max: maxParts})
	addNum(cmd, &flags.seed, option.Seed{Key: "seed", Help: "with --to openings: draws them; 0 takes those of the most games"})
	output.register(cmd)
	return cmd
}

// maxParts bounds the sets that openings are divided into.
const maxParts = 1000

// run writes the book to where --out says.
func (f *bookExportFlags) run(cmd *cobra.Command, b *book.Book) (sum book.Written, err error) {
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
			sum, err = b.WriteTree(cmd.Context(), pos, record.FormatOf(to), "carozero:"+version, out)
		case toJSON:
			sum, err = b.WriteJSON(cmd.Context(), v, out)
		case toOpenings:
			sum, err = b.WriteBalanced(cmd.Context(), v, book.Balance{
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
	if err := disk.Check(f.out, "no export of a book", func(head []byte) bool { return exported(to, head) }); err != nil {
		return sum, fmt.Errorf("--out: %w", err)
	}
	return sum, disk.Write(f.out, write)
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
