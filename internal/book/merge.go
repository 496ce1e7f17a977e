package book

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// MergeOptions say how a book is merged into another.
type MergeOptions struct {
	// Prefer takes the label and the comment of the other book where both have one and
	// they differ, and a certificate rather than a label here. Otherwise they stay.
	Prefer bool

	// Note gets a line for each label or certificate that contradicts; never nil.
	Note func(text string)

	// Progress gets the number of positions that are done; nil for none.
	Progress func(positions int64)
}

// Merged is what became of the positions of a book that was merged into another.
type Merged struct {
	Positions     int64 // of the other book
	New           int64
	Values        int64 // that were new, or of more nodes
	Contradicting int64 // labels, also with certificates
}

// batchPositions is how many positions of another book are written at once.
const batchPositions = 1000

// Merge puts all that another book says into b: the union of the positions; of two values
// of one source the one of more nodes; results by their origin, so that a second merge of
// the same book changes nothing. Labels that contradict each other or a certificate are
// told; here they stay unless Prefer says otherwise, and a certificate always does.
func (b *Book) Merge(ctx context.Context, other *Book, o MergeOptions) (sum Merged, err error) {
	if same, err := sameFile(b.path, other.path); err != nil || same {
		return sum, errors.Join(err, fmt.Errorf("%s and %s are one file", b.path, other.path))
	}
	list, err := other.Variants()
	if err != nil {
		return sum, other.named(err)
	}
	for _, v := range list {
		var batch []Entry
		var failed error // to write, where it is not other that could not be read
		flush := func() error {
			err := b.mergeBatch(ctx, other, v, batch, &o, &sum)
			failed = err
			if batch = batch[:0]; err == nil && o.Progress != nil {
				o.Progress(sum.Positions)
			}
			return err
		}
		err := other.Each(ctx, v.Variant, func(e Entry) error {
			if batch = append(batch, e); len(batch) < batchPositions {
				return nil
			}
			return flush()
		})
		if err != nil && failed == nil {
			return sum, other.named(err)
		}
		if err == nil {
			err = flush()
		}
		if err != nil {
			return sum, err
		}
	}
	return sum, b.Update(ctx, func(w *Writer) error {
		return other.each("SELECT name FROM origin ORDER BY name", func(scan func(...any) error) error {
			var name string
			if err := scan(&name); err != nil {
				return err
			}
			return asDamage(w.AddOrigin(name))
		})
	})
}

// named puts the book's name before an error that says that it is damaged.
func (b *Book) named(err error) error {
	if errors.Is(err, ErrDamaged) {
		return fmt.Errorf("%s: %w", b.path, err)
	}
	return err
}

// sameFile reports whether two names are of one file.
func sameFile(a, b string) (bool, error) {
	x, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y), err
}

// mergeBatch writes some positions of another book. What b says of them is read outside
// of the batch, since no position comes twice.
func (b *Book) mergeBatch(ctx context.Context, other *Book, v VariantInfo, batch []Entry, o *MergeOptions, sum *Merged) error {
	if len(batch) == 0 {
		return nil
	}
	done := *sum
	err := b.Update(ctx, func(w *Writer) error {
		for _, e := range batch {
			if err := b.mergeOne(w, other, v, e, o, &done); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		*sum = done
	}
	return err
}

// mergeOne writes a position of another book.
func (b *Book) mergeOne(w *Writer, other *Book, v VariantInfo, e Entry, o *MergeOptions, sum *Merged) error {
	sum.Positions++
	own, there, err := b.Get(e.Board)
	if err != nil && !errors.Is(err, ErrVariant) {
		return b.named(err)
	}
	if !there {
		sum.New++
	}
	s, err := w.spot(e.Board)
	if err == nil {
		_, err = w.add(s, e.Stamp)
	}
	if err == nil {
		err = w.mergeTexts(e, own, o, sum)
	}
	if err == nil && e.Expanded {
		err = w.SetExpanded(e.Board)
	}
	for _, value := range e.Values {
		if err == nil && Better(value, own.Values) {
			sum.Values++
			value.Best = placeOf(e.Board).own(s.size, value.Best)
			err = w.SetValue(e.Board, value)
		}
	}
	if err != nil {
		return b.named(err)
	}
	results, err := other.resultsOf(v.id, s.key)
	if err != nil {
		return other.named(err)
	}
	for _, r := range results {
		if err := w.raise(s, r); err != nil {
			return b.named(err)
		}
	}
	return w.mergeCertificate(b, other, e, o, sum)
}

// mergeTexts writes the label and the comment of another book's position.
func (w *Writer) mergeTexts(e Entry, own Position, o *MergeOptions, sum *Merged) error {
	if e.Label != None && own.Label != e.Label {
		if err := w.mergeLabel(e, own, o, sum); err != nil {
			return err
		}
	}
	if e.Comment != "" && own.Comment != e.Comment && (own.Comment == "" || o.Prefer) {
		return w.SetComment(e.Board, e.Comment, e.Stamp)
	}
	return nil
}

// mergeLabel writes another label than a position has, or tells why it does not.
func (w *Writer) mergeLabel(e Entry, own Position, o *MergeOptions, sum *Merged) error {
	here, which := own.Label.String(), "stays"
	if own.Label == None || o.Prefer {
		switch err := w.SetLabel(e.Board, e.Label, e.Stamp); {
		case errors.Is(err, ErrContradicts):
			here, which = "certified "+own.Certified.String(), "is left out"
		case err != nil || own.Label == None:
			return err
		default:
			which = "is replaced"
		}
	}
	sum.Contradicting++
	o.Note(fmt.Sprintf("%s is %s here and %v there: the label %s", stonesOf(e.Board), here, e.Label, which))
	return nil
}

// mergeCertificate takes over a certificate where there is none, unless the label here
// contradicts it and stays.
func (w *Writer) mergeCertificate(b, other *Book, e Entry, o *MergeOptions, sum *Merged) error {
	data, err := other.Certificate(e.Board)
	if err != nil || data == nil {
		return other.named(err)
	}
	own, err := b.Certificate(e.Board)
	if own != nil || err != nil && !errors.Is(err, ErrVariant) {
		return b.named(err)
	}
	err = w.SetCertificate(e.Board, data, e.Stamp)
	if !errors.Is(err, ErrContradicts) {
		return b.named(err)
	}
	sum.Contradicting++
	if !o.Prefer {
		o.Note(err.Error() + ": the certificate is left out")
		return nil
	}
	o.Note(err.Error() + ": the label is taken away")
	if err := w.SetLabel(e.Board, None, e.Stamp); err != nil {
		return err
	}
	return w.SetCertificate(e.Board, data, e.Stamp)
}

// Better reports whether a value is new among those of a position, or of more nodes than
// the one of its source there.
func Better(v Value, own []Value) bool {
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
	var text [2]string
	for cell := range b.Size() * b.Size() {
		if s := b.At(cell); s != gomoku.Empty {
			text[s.Side()] += n.FormatMove(game.Move(cell))
		}
	}
	return text[0] + " - " + text[1]
}

// Results are counted by their origin: the file, run or program that the games come from,
// by a name that no other has, such as a digest of the file. Only one writer ever counts
// for an origin. So the counts of an origin in two books are an earlier and a later state
// of the same, and merging takes the greater of both: the same games never count twice.
// The sums over all origins stand in the row of the position, where a read finds them.

// OwnOrigin returns the name of the origin for results that this book counts itself. A
// copy of the file has the same: only one of both may count on.
func (b *Book) OwnOrigin() string { return "book " + b.id }

// HasOrigin reports whether results of an origin are in the book.
func (w *Writer) HasOrigin(name string) (bool, error) {
	var n int
	err := w.tx.QueryRow("SELECT count(*) FROM origin WHERE name = ?", name).Scan(&n)
	return n > 0, err
}

// AddOrigin enters an origin, so that HasOrigin knows it, whether or not results follow.
func (w *Writer) AddOrigin(name string) error {
	_, err := w.origin(name)
	return err
}

// AddResult counts a game from an origin that went through a position and ended with an
// outcome, which is not Undecided. The position is added if it is not there.
func (w *Writer) AddResult(pos *gomoku.Board, origin string, o game.Outcome, by Stamp) error {
	var r Results
	switch {
	case o == game.Undecided:
		return errors.New("a game that is not over has no result")
	case o == game.Draw:
		r.Draws = 1
	case o == game.WinFor(pos.ToMove()):
		r.Wins = 1
	default:
		r.Losses = 1
	}
	s, err := w.spot(pos)
	if err != nil {
		return err
	}
	if _, err := w.add(s, by); err != nil {
		return err
	}
	id, err := w.origin(origin)
	if err != nil {
		return err
	}
	if _, err := w.exec(`INSERT INTO result(variant, key, origin, wins, draws, losses) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
		ON CONFLICT DO UPDATE SET wins = wins + ?4, draws = draws + ?5, losses = losses + ?6`,
		s.variant, s.key, id, r.Wins, r.Draws, r.Losses); err != nil {
		return err
	}
	_, err = w.exec("UPDATE position SET wins = wins + ?, draws = draws + ?, losses = losses + ? WHERE variant = ? AND key = ?",
		r.Wins, r.Draws, r.Losses, s.variant, s.key)
	return err
}

// OriginResults are the results of one origin.
type OriginResults struct {
	Origin string
	Results
}

// ResultsByOrigin returns the results of a position by their origins, in the order of
// their names.
func (b *Book) ResultsByOrigin(pos *gomoku.Board) ([]OriginResults, error) {
	id, err := b.names.variant(VariantOf(pos))
	if err != nil {
		return nil, err
	}
	return b.resultsOf(id, placeOf(pos).key)
}

// RaiseResults makes the results of an origin at a position at least r, so that a later
// state of the same origin may be counted again as a whole. The position is added if it
// is not there, which created reports.
func (w *Writer) RaiseResults(pos *gomoku.Board, r OriginResults, by Stamp) (created bool, err error) {
	if r.Wins < 0 || r.Draws < 0 || r.Losses < 0 || max(r.Wins, r.Draws, r.Losses) > maxGames {
		return false, fmt.Errorf("results of %d, %d and %d: want 0 to %d each", r.Wins, r.Draws, r.Losses, int64(maxGames))
	}
	s, err := w.spot(pos)
	if err != nil {
		return false, err
	}
	if created, err = w.add(s, by); err != nil {
		return false, err
	}
	return created, w.raise(s, r)
}

// maxGames bounds the results of an origin, so that sums stay numbers.
const maxGames = 1 << 40

// resultsOf returns the results of a stored position by origin.
func (b *Book) resultsOf(variant int64, key []byte) (list []OriginResults, err error) {
	err = b.each(`SELECT o.name, r.wins, r.draws, r.losses FROM result r JOIN origin o ON o.id = r.Origin
		WHERE r.variant = ? AND r.key = ? ORDER BY o.name`, func(scan func(...any) error) error {
		var r OriginResults
		err := scan(&r.Origin, &r.Wins, &r.Draws, &r.Losses)
		if err == nil && (r.Wins < 0 || r.Draws < 0 || r.Losses < 0) {
			err = damaged("results of %d, %d and %d", r.Wins, r.Draws, r.Losses)
		}
		list = append(list, r)
		return err
	}, variant, key)
	return list, err
}

// raise makes the results of an origin at least r, and then the sums of the position
// anew.
func (w *Writer) raise(s spot, r OriginResults) error {
	id, err := w.origin(r.Origin)
	if err != nil {
		return err
	}
	if _, err := w.exec(`INSERT INTO result(variant, key, origin, wins, draws, losses) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
		ON CONFLICT DO UPDATE SET wins = max(wins, ?4), draws = max(draws, ?5), losses = max(losses, ?6)`,
		s.variant, s.key, id, r.Wins, r.Draws, r.Losses); err != nil {
		return err
	}
	_, err = w.exec(`UPDATE position SET (wins, draws, losses) =
		(SELECT sum(wins), sum(draws), sum(losses) FROM result WHERE variant = ?1 AND key = ?2) WHERE variant = ?1 AND key = ?2`,
		s.variant, s.key)
	return err
}

// checkSums returns an error unless the sums in the rows of positions are those of their
// results.
func (b *Book) checkSums(ctx context.Context) error {
	var wrong int
	err := b.readers.QueryRowContext(ctx, `SELECT count(*) FROM position p WHERE (p.wins, p.draws, p.losses) IS NOT
		(SELECT coalesce(sum(wins), 0), coalesce(sum(draws), 0), coalesce(sum(losses), 0) FROM result r
			WHERE r.variant = p.variant AND r.key = p.key)`).Scan(&wrong)
	if err != nil {
		return told(err)
	}
	if wrong > 0 {
		return fmt.Errorf("%w: the results of %d positions are not the sums over their origins", ErrDamaged, wrong)
	}
	return nil
}
