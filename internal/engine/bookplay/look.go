package bookplay

import (
	"context"
	"errors"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/record/book"
)

// Look returns what a book says of a position of any game and of the moves there. Of
// games and rules that it has nothing of it says nothing.
func Look(b *book.Book, pos game.Position, n game.Notation) (*book.View, error) {
	nothing := &book.View{Moves: []book.ViewMove{}}
	board, ok := pos.(*gomoku.Board)
	if !ok || board.Outcome() != game.Undecided {
		return nothing, nil
	}
	v, err := b.View(board.Copy(), n)
	if errors.Is(err, book.ErrVariant) {
		return nothing, nil
	}
	return v, err
}

// Annotate is [book.Book.Annotate] for a position of any game; the error wraps
// [book.ErrVariant] for one of which there are no books.
func Annotate(ctx context.Context, b *book.Book, pos game.Position, saw, say book.Annotation, by book.Stamp) (book.Annotation, error) {
	board, ok := pos.(*gomoku.Board)
	if !ok {
		return book.Annotation{}, book.ErrVariant
	}
	return b.Annotate(ctx, board, saw, say, by)
}

// Covers reports whether a book has something of the rules and the size of a position.
func Covers(b *book.Book, pos game.Position) bool {
	board, ok := pos.(*gomoku.Board)
	return ok && b.Covers(book.VariantOf(board)) == nil
}
