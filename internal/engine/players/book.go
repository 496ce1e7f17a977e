package players

import (
	"fmt"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/bookplay"
	"github.com/carozero/carozero/internal/record/book"
	"github.com/carozero/carozero/internal/support/option"
)

// bookOption names an opening book.
var bookOption = option.Text{Key: "book", Help: "opening book to play from first", Sample: "FILE"}

// BookUse says how many moves players took from an opening book.
type BookUse struct {
	File            string
	Asked, Answered int64
}

// openBook is a book that players use.
type openBook struct {
	*book.Book
	stats bookplay.Stats
}

// book opens a book for all players, or returns it if it is already open; nil for "".
func (p *Players) book(path string) (*openBook, error) {
	if b, ok := p.books[path]; ok || path == "" {
		return b, nil
	}
	rules, ok := p.variant.Gomoku()
	if !ok {
		return nil, fmt.Errorf("book=%s: books hold positions of gomoku", path)
	}
	b, err := book.Open(path, book.ReadOnly)
	if err != nil {
		return nil, fmt.Errorf("book: %w", err)
	}
	p.books[path] = &openBook{Book: b}
	p.bookOrder = append(p.bookOrder, path)
	if err := b.Covers(book.Variant{Rules: rules, Size: p.variant.Size}); err != nil {
		return nil, fmt.Errorf("book=%s: %w", path, err)
	}
	return p.books[path], nil
}

// before returns an engine that plays from the book first, e itself without a book.
func (b *openBook) before(e engine.Engine) engine.Engine {
	if b == nil {
		return e
	}
	return bookplay.New(e, b.Book, bookplay.Options{}, &b.stats)
}

// BookUses returns the use of each book so far, in the order in which they were opened.
func (p *Players) BookUses() (list []BookUse) {
	for _, path := range p.bookOrder {
		u := BookUse{File: path}
		u.Asked, u.Answered = p.books[path].stats.Counts()
		list = append(list, u)
	}
	return list
}
