package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/report"
)

func newBookAdd() *cobra.Command {
	var (
		position                    positionFlags
		author                      authorFlag
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
	}
	position.register(cmd)
	author.register(cmd)
	addWord(cmd, &label, "label", "", "what the position is to the side to move", book.LabelNames()...)
	cmd.Flags().StringVar(&comment, "comment", "", "a comment, in place of an earlier one")
	cmd.Flags().StringVar(&certificate, "certificate", "", "file with a certificate of a win from the position")
	add := func(cmd *cobra.Command, b *book.Book) (*report.BookQuery, error) {
		if !cmd.Flags().Changed("position") && !cmd.Flags().Changed("board") {
			return nil, usagef("%s--position or --board is missing: say which position, --position '' for the start",
				within(cmd))
		}
		by, err := author.stamp()
		if err != nil {
			return nil, err
		}
		if err := book.CheckComment(comment); err != nil {
			return nil, usagef("--comment: %w", err)
		}
		pos, _, err := bookBoard(cmd, b, &position)
		if err != nil {
			return nil, err
		}
		var proof []byte
		if certificate != "" {
			if proof, err = disk.ReadFile(certificate, games.MaxCertificateBytes); err == nil {
				err = book.CheckCertificate(cmd.Context(), pos, proof)
			}
			if err != nil {
				return nil, fmt.Errorf("--certificate %s: %w", certificate, err)
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
	}
	return onBook(cmd, makeBook, func(cmd *cobra.Command, b *book.Book, _ []string) (report.Report, error) {
		r, err := add(cmd, b)
		return r, interrupted(err, "the book is as it was")
	})
}

func newBookMerge() *cobra.Command {
	var prefer bool
	cmd := &cobra.Command{
		Use:   "merge FILE OTHER...",
		Short: "Put all that other books say into a book",
		Long: `Put all that other books say into a book, which is made if there is none. Results
count once, however often a book is merged; of two values of one engine, network and
build, that of more nodes stays. Labels that contradict are told, and stay as they are
unless --prefer is given. One that contradicts a certificate in the book is left out.`,
		Example: "  carozero book merge caro.book other.book",
		Args:    onBooks("others to put into it"),
	}
	cmd.Flags().BoolVar(&prefer, "prefer", false, "take the labels and comments of the other books where they contradict")
	return onBook(cmd, makeBook, func(cmd *cobra.Command, b *book.Book, args []string) (report.Report, error) {
		var done report.BookDone
		bar := newProgress(-1, "positions")
		defer bar.Close()
		o := book.MergeOptions{Prefer: prefer, Note: noteOf(cmd), Progress: func(n int) { _ = bar.Set(n) }}
		for _, path := range args[1:] {
			other, undo, err := readBook(path)
			if err != nil {
				return nil, err
			}
			sum, err := b.Merge(cmd.Context(), other, o)
			done.Read += sum.Positions
			done.New += sum.New
			done.Values += sum.Values
			done.Contradicting += sum.Contradicting
			if err := undo(err); err != nil {
				return nil, interrupted(err, "%d positions were merged; run it again, nothing counts twice", done.Read)
			}
			done.Files++
		}
		r, err := report.NewBook(b)
		r.Done = &done
		return r, err
	})
}

func newBookImport() *cobra.Command {
	var (
		variant variantFlags
		author  authorFlag
		o       book.ImportOptions
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
		Args:    onBooks("what to bring into it"),
	}
	variant.register(cmd)
	author.register(cmd)
	cmd.Flags().StringVar(&o.Games.Charset, "charset", "",
		"encoding of texts in psq and lib files, such as gbk (default: UTF-8, or windows-1252 for what is none)")
	addNum(cmd, &o.Plies, option.GamePlies.Named("max-stones").With(20,
		"most stones of a position that is taken").ZeroMeans("any number"))
	return onBook(cmd, makeBook, func(cmd *cobra.Command, b *book.Book, args []string) (report.Report, error) {
		v, err := variant.variant()
		if err == nil {
			o.Stamp, err = author.stamp()
		}
		if err != nil {
			return nil, err
		}
		if _, ok := v.Gomoku(); !ok {
			return nil, usagef("--game %s: books hold positions of gomoku", v.Game)
		}
		if err := record.LookupCharset(o.Games.Charset); err != nil {
			return nil, usagef("--charset: %w", err)
		}
		bar := newProgress(-1, "games")
		defer bar.Close()
		o.Games.Variant, o.Games.Fixed = v, variant.named()
		o.Note, o.Progress = noteOf(cmd), func(n int) { _ = bar.Set(n) }
		sum, err := book.ImportGames(cmd.Context(), b, args[1:], o)
		if err != nil {
			return nil, interrupted(err, "%d files are in the book as a whole, and nothing of the next; "+
				"run it again, nothing counts twice", sum.Files)
		}
		r, err := report.NewBook(b)
		r.Done = &report.BookDone{
			Files: sum.Files, Known: sum.Known, Games: sum.Games, Illegal: sum.Illegal, Results: sum.Results,
			New: sum.New, Values: sum.Values, Labels: sum.Labels, Comments: sum.Comments, Contradicting: sum.Contradicting,
		}
		return r, err
	})
}

// The forms of an export.
const (
	toJSON     = "json"
	toOpenings = "openings"
)

var exportForms = []string{record.SGF.String(), record.Lib.String(), toJSON, toOpenings}

func newBookExport() *cobra.Command {
	var (
		position  positionFlags
		to, path  string
		low, high float64
		o         book.Balance
	)
	cmd := &cobra.Command{
		Use:   "export FILE --out OUT",
		Short: "Write a book as SGF, lib, JSON lines or balanced openings",
		Long: `Write a book in another form: what follows a position as a tree, in SGF or as a
library of RenLib; all positions of a rule and size as JSON lines; or a list of
balanced openings, which "match --openings" reads: those after which either side has
scored from --low to --high percent of the points, over --min-games games or more.
--seed draws them, where otherwise those of the most games are taken; --part 2
--parts 3 takes them from the second of three sets that share no position.`,
		Example: `  carozero book export caro.book --out caro.lib
  carozero book export caro.book --to openings --balanced 100 --min-games 20 --out balanced.txt`,
	}
	position.register(cmd)
	addWord(cmd, &to, "to", "", "form: "+strings.Join(exportForms, ", ")+" (default: by the extension of --out)",
		exportForms...)
	cmd.Flags().StringVar(&path, "out", "", "file, or - for standard output (required)")
	const of, maxParts = "with --to openings: ", 1000
	addNum(cmd, &o.Count, option.Count.Named("balanced").With(100, of+"most openings"))
	addNum(cmd, &o.MinGames, option.Count.Named("min-games").With(10, of+"games after an opening"))
	addNum(cmd, &o.MinPlies, option.GamePlies.Named("min-stones").With(3, of+"stones of an opening"))
	addNum(cmd, &low, option.Float{Key: "low", Help: of + "least share of the points of the side to move, in percent",
		Default: 40, Min: 0, Max: 100})
	addNum(cmd, &high, option.Float{Key: "high", Help: of + "most of it, in percent", Default: 60, Min: 0, Max: 100})
	addNum(cmd, &o.Part, option.Int{Key: "part", Help: of + "which of the --parts", Default: 1, Min: 1, Max: maxParts})
	addNum(cmd, &o.Parts, option.Int{
		Key: "parts", Help: of + "sets without a common position to divide the openings into", Default: 1, Min: 1,
		Max: maxParts,
	})
	addNum(cmd, &o.Seed, option.Seed{Key: "seed", Help: of + "draws them; 0 takes those of the most games"})

	export := func(cmd *cobra.Command, b *book.Book) (sum book.Written, err error) {
		if err := position.settleBook(b); err != nil {
			return sum, err
		}
		v, err := position.variant()
		if err != nil {
			return sum, err
		}
		rules, ok := v.Gomoku()
		switch {
		case !ok:
			return sum, usagef("--game %s: books hold positions of gomoku", v.Game)
		case path == "":
			return sum, usagef("--out is missing: name a file, or - for standard output")
		case o.Part > o.Parts:
			return sum, usagef("--part %d: want at most --parts, %d", o.Part, o.Parts)
		}
		ctx, of := cmd.Context(), book.Variant{Rules: rules, Size: v.Size}
		o.Low, o.High = low/100, high/100
		program := "carozero:" + version
		var write func(out io.Writer) error
		own := func([]byte) bool { return false } // whether a file may be an earlier export
		switch to := cmp.Or(to, record.ByExtension(path).String()); to {
		case record.SGF.String(), record.Lib.String():
			pos, _, err := bookBoard(cmd, b, &position)
			if err != nil {
				return sum, err
			}
			if to == record.SGF.String() {
				own = func(head []byte) bool { return record.IsSGFOf(head, program) }
			}
			write = func(out io.Writer) (err error) {
				sum, err = b.WriteTree(ctx, pos, record.FormatOf(to), program, out)
				return err
			}
		case toJSON:
			own = func(head []byte) bool { return bytes.HasPrefix(head, []byte(`{"rule":`)) }
			write = func(out io.Writer) (err error) {
				sum, err = b.WriteJSON(ctx, of, out)
				return err
			}
		case toOpenings:
			write = func(out io.Writer) (err error) {
				sum, err = b.WriteBalanced(ctx, of, o, out)
				return err
			}
		default:
			return sum, usagef("--to: want %s; the extension of --out %s says none", strings.Join(exportForms, ", "),
				shownValue(path))
		}
		if path == "-" {
			return sum, write(fileOutput(cmd))
		}
		if err := disk.Check(path, "no export of a book", own); err != nil {
			return sum, fmt.Errorf("--out: %w", err)
		}
		err = disk.Write(path, write)
		return sum, err
	}
	return onBook(cmd, readBook, func(cmd *cobra.Command, b *book.Book, _ []string) (report.Report, error) {
		sum, err := export(cmd, b)
		if err != nil {
			return nil, interrupted(err, "what was being written is not kept")
		}
		if path == "-" {
			return nil, nil
		}
		r, err := report.NewBook(b)
		r.Done = &report.BookDone{Written: sum.Positions, Left: sum.Left}
		return r, err
	})
}
