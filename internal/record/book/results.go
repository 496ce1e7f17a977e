package book

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

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
