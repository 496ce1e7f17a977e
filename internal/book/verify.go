package book

import (
	"context"
	"errors"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
)

// Checked is what Verify has looked at.
type Checked struct {
	Positions    int64 `json:"read"`
	Values       int64 `json:"values"`
	Certificates int64 `json:"certificates"`
}

// Verify reads all of the book: the file as SQLite sees it; that each position stands
// under its smallest key and can be set up; that values, labels and texts are within their
// bounds; and that every certificate is of its position, proves its win and agrees with its
// label. The error says what is wrong, and wraps ErrDamaged.
func (b *Book) Verify(ctx context.Context, progress func(done int)) (sum Checked, err error) {
	if err := b.integrity(); err != nil {
		return sum, err
	}
	list, err := b.Variants()
	if err != nil {
		return sum, err
	}
	for _, v := range list {
		if err := b.Each(ctx, v.Variant, func(e Entry) error {
			sum.Positions++
			sum.Values += int64(len(e.Values))
			if progress != nil {
				progress(int(sum.Positions))
			}
			return b.verifyOne(ctx, e, &sum)
		}); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// integrity has SQLite check the file, and counts rows that do not fit together.
func (b *Book) integrity() error {
	var text string
	err := b.each("PRAGMA integrity_check(1)", nil, []any{&text}, func() error {
		if text != "ok" {
			return damaged("%s", strings.Join(strings.Fields(text), " "))
		}
		return nil
	})
	for _, c := range []struct{ rows, what string }{
		{`FROM certificate x
			WHERE NOT EXISTS (SELECT 1 FROM position p WHERE p.variant = x.variant AND p.key = x.key)`,
			"certificates are of no position"},
		{"FROM position WHERE variant NOT IN (SELECT id FROM variant)", "positions are of no variant"},
	} {
		if err != nil {
			return err
		}
		var n int
		err = b.each("SELECT count(*) "+c.rows, nil, []any{&n}, func() error {
			if n > 0 {
				return damaged("%d %s", n, c.what)
			}
			return nil
		})
	}
	return err
}

// verifyOne checks what is said of one position against the rules.
func (b *Book) verifyOne(ctx context.Context, e Entry, sum *Checked) error {
	for _, v := range e.Values {
		if v.Best != game.NoMove && !e.Board.Legal(v.Best) {
			return damaged("%s: the best move of %s is not legal", stonesOf(e.Board), v.Engine)
		}
	}
	data, err := b.Certificate(e.Board)
	if err == nil && data == nil && e.Certified != game.Unproven {
		err = damaged("%s is said to be certified, and has no certificate", stonesOf(e.Board))
	}
	if err != nil || data == nil {
		return err
	}
	sum.Certificates++
	err = CheckCertificate(ctx, e.Board, data)
	if errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil {
		return damaged("%s: its certificate: %v", stonesOf(e.Board), err)
	}
	proven, plies := proofOf(certified(data))
	if says := e.Label.result(); proven != e.Certified || plies != e.CertifiedPlies || says != game.Unproven &&
		says != proven {
		return damaged("%s: the certificate says %v in %d plies, its position something else", stonesOf(e.Board), proven,
			plies)
	}
	return nil
}

// CheckCertificate returns nil if a certificate is of the position, in any orientation, and
// proves the win that it says.
func CheckCertificate(ctx context.Context, pos *gomoku.Board, data []byte) error {
	c, err := certificate.Decode(data)
	if err != nil {
		return err
	}
	start, err := c.Board()
	if err != nil {
		return err
	}
	if VariantOf(start) != VariantOf(pos) || Key(start) != Key(pos) {
		return errors.New("it is of another position")
	}
	if !c.Win() {
		return errors.New("it proves no win: a book keeps certificates of wins")
	}
	return c.Check(ctx)
}

// stonesOf names a position by its stones, "h8 - i9": first's, then second's.
func stonesOf(b *gomoku.Board) string {
	n := gomoku.Notation{Size: b.Size()}
	return n.FormatMoves(stones(b, game.First)) + " - " + n.FormatMoves(stones(b, game.Second))
}

// stones returns the cells with a side's stones, in ascending order.
func stones(b *gomoku.Board, side game.Side) (cells []game.Move) {
	for cell := range b.Size() * b.Size() {
		if b.At(cell) == gomoku.StoneOf(side) {
			cells = append(cells, game.Move(cell))
		}
	}
	return cells
}
