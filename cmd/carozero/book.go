package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/record/book"
)

// newBook returns the command "book".
func newBook() *cobra.Command {
	return group("book", "Opening books: build, fill, ask, merge and check them",
		newBookBuild(), newBookProve(), newBookAdd(), newBookShow(), newBookQuery(), newBookImport(), newBookExport(), newBookMerge(), newBookVerify(), newBookPrune())
}

// bookAuthor is who writes where nobody is named.
const bookAuthor = "carozero"

// authorFlag says who writes.
type authorFlag struct{ name string }

func (f *authorFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "author", bookAuthor, "who writes: kept with what is written")
}

// stamp returns who writes, and when: now, or what SOURCE_DATE_EPOCH says
// (reproducible-builds.org), so that a book can be made again.
func (f *authorFlag) stamp() (book.Stamp, error) {
	s := book.Stamp{Author: f.name, Time: time.Now().UTC().Truncate(time.Second)}
	if text := os.Getenv("SOURCE_DATE_EPOCH"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds < 0 {
			return s, usagef("SOURCE_DATE_EPOCH %s: want a number of seconds since 1970", shownValue(text))
		}
		s.Time = time.Unix(seconds, 0).UTC()
	}
	return s, nil
}

// makeBook opens a book for writing, and makes one where no file is or an empty one. Where the command
// fails, undo closes the book, and takes it away again if it was made for nothing.
func makeBook(path string) (b *book.Book, undo func(err error) error, err error) {
	info, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0
	if fresh {
		b, err = book.Create(path, rand.Reader)
	} else {
		b, err = book.Open(path, book.ReadWrite)
	}
	return b, func(err error) error {
		list, listErr := b.Variants()
		if err = errors.Join(err, b.Close()); fresh && listErr == nil && len(list) == 0 {
			err = errors.Join(err, os.Remove(path))
		}
		return err
	}, err
}

// printBook prints what is in a book and what was done to it, and closes it.
func printBook(cmd *cobra.Command, output *outputFlags, b *book.Book, change func(r *report.Book)) error {
	r, err := report.NewBook(b)
	if err = errors.Join(err, b.Close()); err != nil {
		return err
	}
	if change != nil {
		change(r)
	}
	return output.print(cmd, r)
}

// settleBook gives flags that name no rule and no size those of a book that is of one.
func (f *variantFlags) settleBook(b *book.Book) error {
	if f.given("rule") || f.given("size") || f.given("open-rule") || f.given("game") {
		return nil
	}
	list, err := b.Variants()
	if err == nil && len(list) == 1 {
		v := list[0]
		f.opts.Rule, f.opts.Size, f.opts.OpenRule = v.Rules.Name, v.Size, v.Rules.OpenDistance > 0
	}
	return err
}

// bookVariant returns the variant of the flags, which must be one of gomoku.
func (f *variantFlags) bookVariant() (book.Variant, error) {
	v, err := f.variant()
	if err != nil {
		return book.Variant{}, err
	}
	rules, ok := v.Gomoku()
	if !ok {
		return book.Variant{}, usagef("--game %s: books hold positions of gomoku", v.Game)
	}
	return book.Variant{Rules: rules, Size: v.Size}, nil
}

// bookBoard returns the position of the flags, in which there must be a move to find.
func bookBoard(cmd *cobra.Command, f *positionFlags) (*gomoku.Board, error) {
	_, pos, err := f.open(cmd)
	if err != nil {
		return nil, err
	}
	board, ok := pos.(*gomoku.Board)
	if !ok {
		return nil, usagef("--game %s: books hold positions of gomoku", f.opts.Game)
	}
	return board, nil
}

// newBookShow returns the command "book show".
func newBookShow() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:     "show FILE",
		Short:   "Say what is in a book",
		Long:    `Say of which rules and sizes a book is, and how much there is of each.`,
		Example: "  carozero book show caro.book",
		Args:    oneArg("a book"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := book.Open(args[0], book.ReadOnly)
			if err != nil {
				return err
			}
			return printBook(cmd, &output, b, nil)
		},
	}
	output.register(cmd)
	return cmd
}

// newBookVerify returns the command "book verify".
func newBookVerify() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Read all of a book and check it, certificates included",
		Long: `Read all of a book and check it: the file, the positions and their keys, the bounds
of what is said of them, the sums of the results, and every certificate by the rules.
The exit status is 3 if the book is damaged.`,
		Example: "  carozero book verify caro.book",
		Args:    oneArg("a book"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := book.Open(args[0], book.ReadOnly)
			if err != nil {
				return found(notDamaged(err), errors.Is(err, book.ErrDamaged), "%v", err)
			}
			bar := newProgress(-1, "positions")
			sum, err := b.Verify(cmd.Context(), func(int64) { bar.step() })
			_ = bar.Close()
			if err != nil {
				_ = b.Close()
				return found(notDamaged(interrupted(err, "%d positions were looked at", sum.Positions)), errors.Is(err, book.ErrDamaged), "%s: %v", args[0], err)
			}
			return printBook(cmd, &output, b, func(r *report.Book) {
				r.Done = &report.BookDone{Read: sum.Positions, Values: sum.Values, Certificates: sum.Certificates}
			})
		},
	}
	output.register(cmd)
	return cmd
}

// notDamaged returns err, nil for that of a damaged book.
func notDamaged(err error) error {
	if errors.Is(err, book.ErrDamaged) {
		return nil
	}
	return err
}

// noteOf returns what prints a line about the work.
func noteOf(cmd *cobra.Command) func(text string) {
	return func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "carozero: "+oneLine(text)) }
}
