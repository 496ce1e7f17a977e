package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/bookplay"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record/book"
)

// bookFlag names an opening book that the engine of a command plays from first.
type bookFlag struct {
	file  string
	mode  book.Mode  // that it is opened for
	book  *book.Book // nil: none
	stats bookplay.Stats

	inner engine.Engine // that was given a book last
	outer engine.Engine
}

func (f *bookFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "book", "", "opening book to play from first, for games of its rules and size; see the command book")
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
		f.inner, f.outer = e, bookplay.New(e, f.book, bookplay.Options{}, &f.stats)
	}
	return f.outer
}
