package book

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/disk"
)

// MergeOptions say how a book is merged into another.
type MergeOptions struct {
	// Prefer takes the label and the comment of the other book where both have one and
	// they differ, and a certificate rather than a label here. Otherwise they stay.
	Prefer bool

	// Note gets a line for each label or certificate that contradicts; never nil.
	Note func(text string)

	// Progress gets the number of positions that are done; nil for none.
	Progress func(done int)
}

// Merged is what became of the positions of a book that was merged into another.
type Merged struct {
	Positions        int64 // of the other book
	New              int64
	Values           int64 // that were new, or of more nodes
	Labels, Comments int64 // that were taken over
	Contradicting    int64 // labels, also with certificates
}

// Said is all that a book says of a position.
type Said struct {
	Entry
	Origins     []OriginResults
	Certificate []byte // nil: none
}

// Merge puts all that another book says into b: the union of the positions; of two values
// of one source the one of more nodes; results by their origin, so that a second merge of
// the same book changes nothing. Labels that contradict each other or a certificate are
// told; here they stay unless Prefer says otherwise, and a certificate always does.
func (b *Book) Merge(ctx context.Context, other *Book, o MergeOptions) (sum Merged, err error) {
	if disk.Same(b.path, other.path) {
		return sum, fmt.Errorf("%s and %s are one file", b.path, other.path)
	}
	list, err := other.Variants()
	if err != nil {
		return sum, other.named(err)
	}
	for _, v := range list {
		for last := ""; ; {
			var page []Said
			if page, last, err = other.said(v.Variant, last); err != nil {
				return sum, other.named(err)
			}
			if len(page) == 0 {
				break
			}
			done := sum
			if err := b.Update(ctx, func(w *Writer) error {
				for _, s := range page {
					if err := w.Merge(b, s, o, &done); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				return sum, b.named(err)
			}
			if sum = done; o.Progress != nil {
				o.Progress(int(sum.Positions))
			}
		}
	}
	var origins []string
	var name string
	if err := other.each("SELECT name FROM origin ORDER BY name", nil, []any{&name}, func() error {
		origins = append(origins, name)
		return nil
	}); err != nil {
		return sum, other.named(err)
	}
	return sum, b.Update(ctx, func(w *Writer) error {
		for _, name := range origins {
			if _, err := w.AddOrigin(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// named puts the book's name before an error that says that it is damaged.
func (b *Book) named(err error) error {
	if errors.Is(err, ErrDamaged) {
		return fmt.Errorf("%s: %w", b.path, err)
	}
	return err
}

// said returns all that is said of a page of positions, and the last key.
func (b *Book) said(v Variant, after string) (list []Said, last string, err error) {
	page, last, err := b.page(v, after)
	for _, e := range page {
		s := Said{Entry: e}
		if err == nil {
			s.Origins, err = b.ResultsByOrigin(e.Board)
		}
		if err == nil {
			s.Certificate, err = b.Certificate(e.Board)
		}
		list = append(list, s)
	}
	return list, last, err
}

// Merge puts what another book says of a position into b, the book that w writes. What b says
// of it is read outside of the batch: no position may come twice.
func (w *Writer) Merge(b *Book, s Said, o MergeOptions, sum *Merged) error {
	own, _, err := b.Get(s.Board)
	if err != nil && !errors.Is(err, ErrVariant) {
		return err
	}
	sum.Positions++
	at, created, err := w.add(s.Board, s.Stamp)
	if created {
		sum.New++
	}
	if err == nil && s.Label != None && own.Label != s.Label {
		err = w.mergeLabel(s, own, o, sum)
	}
	if err == nil && s.Comment != "" && own.Comment != s.Comment && (own.Comment == "" || o.Prefer) {
		sum.Comments++
		err = w.SetComment(s.Board, s.Comment, s.Stamp)
	}
	if err == nil && s.Expanded {
		err = w.SetExpanded(s.Board)
	}
	for _, value := range s.Values {
		if err == nil && better(value, own.Values) {
			sum.Values++
			err = w.SetValue(s.Board, value)
		}
	}
	for _, r := range s.Origins {
		if err == nil {
			err = w.count(at, r, "max(wins, ?4), max(draws, ?5), max(losses, ?6)")
		}
	}
	if err == nil && s.Certificate != nil && own.Certified == game.Unproven {
		err = w.mergeCertificate(s, o, sum)
	}
	return err
}

// mergeLabel writes another label than a position has, or tells why it does not.
func (w *Writer) mergeLabel(s Said, own Position, o MergeOptions, sum *Merged) error {
	here, which := own.Label.String(), "stays"
	if own.Label == None || o.Prefer {
		err := w.SetLabel(s.Board, s.Label, s.Stamp)
		switch {
		case errors.Is(err, ErrContradicts):
			here, which = "certified "+own.Certified.String(), "is left out"
		case err != nil:
			return err
		default:
			sum.Labels++
			if own.Label == None {
				return nil
			}
			which = "is replaced"
		}
	}
	sum.Contradicting++
	o.Note(fmt.Sprintf("%s is %s here and %v there: the label %s", stonesOf(s.Board), here, s.Label, which))
	return nil
}

// mergeCertificate takes over a certificate, unless the label here contradicts it and stays.
func (w *Writer) mergeCertificate(s Said, o MergeOptions, sum *Merged) error {
	err := w.SetCertificate(s.Board, s.Certificate, s.Stamp)
	if !errors.Is(err, ErrContradicts) {
		return err
	}
	sum.Contradicting++
	if !o.Prefer {
		o.Note(err.Error() + ": the certificate is left out")
		return nil
	}
	o.Note(err.Error() + ": the label is taken away")
	if err := w.SetLabel(s.Board, None, s.Stamp); err != nil {
		return err
	}
	return w.SetCertificate(s.Board, s.Certificate, s.Stamp)
}

// better reports whether a value is new among those of a position, or of more nodes than
// the one of its source there.
func better(v Value, own []Value) bool {
	for _, o := range own {
		if o.Source == v.Source {
			return v.Nodes > o.Nodes
		}
	}
	return true
}

// stonesOf names a position by its stones, "h8 - i9": first's, then second's.
func stonesOf(b *gomoku.Board) string {
	n := gomoku.Notation{Size: b.Size()}
	return n.FormatMoves(StonesOf(b, game.First)) + " - " + n.FormatMoves(StonesOf(b, game.Second))
}

// StonesOf returns the cells with a side's stones, in ascending order.
func StonesOf(b *gomoku.Board, side game.Side) (cells []game.Move) {
	for cell := range b.Size() * b.Size() {
		if b.At(cell) == gomoku.StoneOf(side) {
			cells = append(cells, game.Move(cell))
		}
	}
	return cells
}
