package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/book"
)

// bookInfo describes the server's book, nil if it has none.
func (s *Server) bookInfo() *board.BookInfo {
	if s.opts.Book == nil {
		return nil
	}
	return &board.BookInfo{Name: filepath.Base(s.opts.Book.Path()), Editable: s.editable(), CommentBytes: book.MaxComment}
}

// editable reports whether visitors may change what the book says: only those who have a
// token.
func (s *Server) editable() bool { return s.opts.EditBook && s.opts.Book != nil && s.opts.Token != "" }

// annotation is what is said of a position.
type annotation struct {
	Label   *string `json:"label"`
	Comment *string `json:"comment"`
}

// annotateFields are those of an annotation beside the fields of a query's game: what the
// page showed, and what it is to be.
type annotateFields struct {
	OpenRule bool       `json:"openRule"`
	Saw      annotation `json:"saw"`
	Say      annotation `json:"say"`
	Author   string     `json:"author"`
}

// visitor is who writes where nobody is named.
const visitor = "visitor"

// annotateBook answers /api/book.
func (s *Server) annotateBook(r *http.Request, data []byte) (*board.Reply, *board.Problem) {
	if !s.editable() {
		return nil, board.Refusal(http.StatusForbidden,
			"the book may not be changed here: start the program with --book FILE and --edit-book")
	}
	var f annotateFields
	of, p := board.Decode(data, &f)
	if p != nil {
		return nil, p
	}
	saw, p := f.Saw.read("saw")
	if p != nil {
		return nil, p
	}
	say, p := f.Say.read("say")
	if p != nil {
		return nil, p
	}
	by := book.Stamp{Author: cmp.Or(f.Author, visitor), Time: time.Now().UTC().Truncate(time.Second)}
	if err := book.CheckName(by.Author); err != nil {
		return nil, board.Invalid("author", "%s", board.OneLine(err))
	}
	g, wrong := s.service.ParseGame(of, f.OpenRule)
	if wrong != nil {
		return nil, board.ProblemOf(wrong)
	}
	pos := g.Start.Clone()
	for _, m := range g.Moves {
		pos.Play(m)
	}
	// What is being written is written, also if whoever asked has gone.
	now, err := s.opts.Book.Annotate(context.WithoutCancel(r.Context()), pos, saw, say, by)
	if err != nil {
		return nil, bookProblem(err)
	}
	label := now.Label.String()
	return board.JSON(http.StatusOK, annotation{&label, &now.Comment}), nil
}

// read returns what is said, in a field of that name.
func (a *annotation) read(field string) (said book.Annotation, p *board.Problem) {
	if a.Label == nil || a.Comment == nil {
		return said, board.Invalid(field, "want an object with a label and a comment")
	}
	label, ok := book.LabelOf(*a.Label)
	if !ok {
		return said, board.Invalid(field+".label", "unknown label %s", analysis.Shown(*a.Label))
	}
	if err := book.CheckComment(*a.Comment); err != nil {
		return said, board.Invalid(field+".comment", "%s", board.OneLine(err))
	}
	return book.Annotation{Label: label, Comment: *a.Comment}, nil
}

// bookProblem returns the refusal of an annotation that was not written.
func bookProblem(err error) *board.Problem {
	switch {
	case errors.Is(err, book.ErrChanged), errors.Is(err, book.ErrContradicts):
		return board.Refusal(http.StatusConflict, "%s: nothing was written", board.OneLine(err))
	case errors.Is(err, book.ErrOver):
		return board.Invalid("moves", "%s", board.OneLine(err)).As(analysis.Illegal)
	case errors.Is(err, book.ErrVariant):
		return board.Invalid("game", "books hold positions of gomoku")
	}
	return board.Refusal(http.StatusServiceUnavailable, "%s", board.OneLine(err)).As(analysis.Failed)
}
