package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/report"
)

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
Each file comes in as a whole and counts once.`,
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
		bar := newProgress(cmd, -1, "games")
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
			New: sum.New, Comments: sum.Comments,
		}
		return r, err
	})
}

func newBookExport() *cobra.Command {
	var (
		position positionFlags
		path     string
	)
	cmd := &cobra.Command{
		Use:   "export FILE --out OUT",
		Short: "Write what follows a position of a book as SGF",
		Long: `Write what follows a position of a book as one tree of moves in SGF, with comments that
say labels, results and values.`,
		Example: "  carozero book export caro.book --out caro.sgf",
	}
	position.register(cmd)
	cmd.Flags().StringVar(&path, "out", "", "SGF file, or - for standard output (required)")
	export := func(cmd *cobra.Command, b *book.Book) (sum book.Written, err error) {
		pos, _, err := bookBoard(cmd, b, &position)
		if err != nil {
			return sum, err
		}
		program := "carozero:" + version
		write := func(out io.Writer) (err error) {
			sum, err = b.WriteSGF(cmd.Context(), pos, program, out)
			return err
		}
		switch path {
		case "":
			return sum, usagef("--out is missing: name a file, or - for standard output")
		case "-":
			return sum, write(fileOutput(cmd))
		}
		if err := gamefiles.CheckOut(path, record.SGF, program); err != nil {
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
