package book

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Writer writes one batch. It is good until the function returns that it was given to,
// and belongs to one goroutine. Positions that it is told of are added if they are not there;
// errors wrap ErrOver for one in which the game is over.
type Writer struct{ tx *sql.Tx }

// Update runs a function that writes a batch. Where it or the writing fails, and where
// the process is killed before Update returns, nothing of the batch is in the book; after
// it, the batch is on the disk. The error wraps ErrLocked if another process writes for
// longer than a few seconds, and ErrFull if the disk is full.
func (b *Book) Update(ctx context.Context, do func(w *Writer) error) error {
	if b.writer == nil {
		return fmt.Errorf("%s is open for reading alone", b.path)
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	tx, err := b.writer.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return wrapSQLite(err)
	}
	err = ctx.Err()
	if err == nil {
		err = do(&Writer{tx})
	}
	if err != nil {
		return wrapSQLite(errors.Join(err, tx.Rollback()))
	}
	return wrapSQLite(tx.Commit())
}

func (w *Writer) exec(query string, args ...any) error {
	_, err := w.tx.Exec(query, args...)
	return err
}

// number returns the number of a row in a table of names, by a statement that adds it if it
// is not there.
func (w *Writer) number(add string, args ...any) (id int64, err error) {
	err = w.tx.QueryRow(add+" ON CONFLICT DO UPDATE SET id = id RETURNING id", args...).Scan(&id)
	return id, err
}

// spot is the row of a position.
type spot struct {
	place
	variant int64
	author  int64 // who writes, where something is added
	time    int64
}

func (w *Writer) spot(pos *gomoku.Board) (s spot, err error) {
	if pos.Outcome() != game.Undecided {
		return s, ErrOver
	}
	v := VariantOf(pos)
	s.place = placeOf(pos)
	s.variant, err = w.number("INSERT INTO variant(rules, size) VALUES(?, ?)", v.text(), v.Size)
	return s, err
}

// add puts a position into the book, with nothing said of it, if it is not there.
func (w *Writer) add(pos *gomoku.Board, by Stamp) (s spot, err error) {
	if s, err = w.spot(pos); err != nil {
		return s, err
	}
	if err := CheckName(by.Author); err != nil {
		return s, err
	}
	if s.author, err = w.number("INSERT INTO author(name) VALUES(?)", by.Author); err != nil {
		return s, err
	}
	s.time = by.Time.Unix()
	return s, w.exec(`INSERT OR IGNORE
		INTO position(variant, key, label, expanded, wins, draws, losses, comment, author, time)
		VALUES(?, ?, 0, 0, 0, 0, 0, '', ?, ?)`, s.variant, s.key, s.author, s.time)
}

// read adds a position if it is not there, and reads a column of its row.
func (w *Writer) read(pos *gomoku.Board, by Stamp, column string, into any) (spot, error) {
	s, err := w.add(pos, by)
	if err == nil {
		err = w.tx.QueryRow("SELECT "+column+" FROM position WHERE variant = ? AND key = ?", s.variant, s.key).Scan(into)
	}
	return s, err
}

// set sets the label or the comment of a position, and who says so.
func (w *Writer) set(pos *gomoku.Board, column string, value any, by Stamp) error {
	s, err := w.add(pos, by)
	if err == nil {
		err = w.exec("UPDATE position SET "+column+" = ?, author = ?, time = ? WHERE variant = ? AND key = ?",
			value, s.author, s.time, s.variant, s.key)
	}
	return err
}

// SetLabel sets the label of a position. The error wraps ErrContradicts if the position's
// certificate proves something else.
func (w *Writer) SetLabel(pos *gomoku.Board, l Label, by Stamp) error {
	if l > Excluded {
		return fmt.Errorf("there is no label %d", l)
	}
	var plies int64
	_, err := w.read(pos, by, "certified", &plies)
	if err == nil {
		err = agree(pos, l, plies)
	}
	if err == nil {
		err = w.set(pos, "label", int64(l), by)
	}
	return err
}

// SetComment sets the comment of a position. The error wraps ErrText for a text that
// CheckComment refuses.
func (w *Writer) SetComment(pos *gomoku.Board, text string, by Stamp) error {
	if err := CheckComment(text); err != nil {
		return err
	}
	return w.set(pos, "comment", text, by)
}

// SetExpanded notes that all successors of a position, which must be there, are judged that are
// to be.
func (w *Writer) SetExpanded(pos *gomoku.Board) error {
	s, err := w.spot(pos)
	if err == nil {
		err = w.exec("UPDATE position SET expanded = 1 WHERE variant = ? AND key = ?", s.variant, s.key)
	}
	return err
}

// SetValue writes an engine's value of a position in place of an earlier one of the same
// source.
func (w *Writer) SetValue(pos *gomoku.Board, v Value) error {
	if err := v.check(pos.Size() * pos.Size()); err != nil {
		return err
	}
	var judged []byte
	s, err := w.read(pos, v.Stamp, "judged", &judged)
	if err != nil {
		return err
	}
	source, err := w.number("INSERT INTO source(engine, network, build) VALUES(?, ?, ?)", v.Engine, v.Network, v.Build)
	if err != nil {
		return err
	}
	v.Best = s.stored(pos.Size(), v.Best)
	if judged, err = judgementOf(source, s.author, &v).insert(judged); err != nil {
		return err
	}
	err = w.exec("UPDATE position SET judged = ? WHERE variant = ? AND key = ?", judged, s.variant, s.key)
	return err
}

// agree returns an error that wraps ErrContradicts if a label contradicts what is certified.
func agree(pos *gomoku.Board, l Label, certified int64) error {
	proven, _ := proofOf(certified)
	if says := l.result(); proven != game.Unproven && says != game.Unproven && says != proven {
		return fmt.Errorf("%w: %s is labelled %v, its certificate proves a %v for the side to move",
			ErrContradicts, stonesOf(pos), l, proven)
	}
	return nil
}

// SetCertificate keeps a certificate of a win from a position. The bytes are stored as they
// are; Verify checks them. The error wraps ErrContradicts if the position's label says
// something else.
func (w *Writer) SetCertificate(pos *gomoku.Board, data []byte, by Stamp) error {
	var label int64
	s, err := w.read(pos, by, "label", &label)
	if err == nil {
		err = agree(pos, Label(label), certified(data))
	}
	if err == nil {
		err = w.exec("INSERT OR REPLACE INTO certificate(variant, key, data, author, time) VALUES(?, ?, ?, ?, ?)",
			s.variant, s.key, data, s.author, s.time)
	}
	if err == nil {
		err = w.exec("UPDATE position SET certified = ? WHERE variant = ? AND key = ?", certified(data), s.variant, s.key)
	}
	return err
}

// ErrChanged: somebody else has changed what was to be changed.
var ErrChanged = errors.New("somebody else has changed it meanwhile")

// Annotation is what a person says of a position.
type Annotation struct {
	Label   Label
	Comment string
}

// Annotate changes the label and the comment of a position from what a person saw there
// to what they say. What they leave as they saw it stays as it is by now: of two people at
// once who change different things, both are kept. Where somebody else has changed the
// same meanwhile, to something else, nothing is written, and the error wraps ErrChanged.
// It returns what the book says by then. A position that is not there is added, unless
// nothing is said of it; the error wraps ErrVariant for one of a game without books.
func (b *Book) Annotate(ctx context.Context, at game.Position, saw, say Annotation, by Stamp) (now Annotation,
	err error) {
	pos, ok := at.(*gomoku.Board)
	if !ok {
		return now, ErrVariant
	}
	err = b.Update(ctx, func(w *Writer) error {
		// Nobody writes meanwhile, so that a reader sees the last state.
		p, _, err := b.Get(pos)
		if err != nil && !errors.Is(err, ErrVariant) {
			return err
		}
		now = Annotation{p.Label, p.Comment}
		label := say.Label != saw.Label && say.Label != now.Label
		comment := say.Comment != saw.Comment && say.Comment != now.Comment
		switch {
		case label && now.Label != saw.Label:
			return fmt.Errorf("the label is %v now: %w", now.Label, ErrChanged)
		case comment && now.Comment != saw.Comment:
			return fmt.Errorf("there is another comment now: %w", ErrChanged)
		}
		next := now
		if err = nil; label {
			next.Label = say.Label
			err = w.SetLabel(pos, say.Label, by)
		}
		if err == nil && comment {
			next.Comment = say.Comment
			err = w.SetComment(pos, say.Comment, by)
		}
		if err == nil {
			now = next
		}
		return err
	})
	return now, err
}
