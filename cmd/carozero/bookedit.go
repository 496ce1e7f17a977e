package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/record/book"
	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/internal/support/option"
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
	data, err := limitio.ReadFile(path, games.MaxCertificateBytes)
	if err == nil {
		_, err = book.CheckCertificate(cmd.Context(), pos, data)
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
	return b.Merge(cmd.Context(), other, book.MergeOptions{Prefer: prefer, Note: noteOf(cmd), Progress: func(n int64) { _ = bar.Set64(n) }})
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
				return interrupted(err, "%d positions were taken out; run it again", removed)
			}
			return printBook(cmd, &output, b, func(r *report.Book) { r.Done = &report.BookDone{Removed: removed} })
		},
	}
	addInt(cmd, &games, option.Count.Named("min-games").With(0, "games that keep a position without values in the book").Or0("any number"))
	addInt(cmd, &stones, option.GamePlies.Named("max-stones").With(0, "most stones of a position").Or0("any number"))
	output.register(cmd)
	return cmd
}
