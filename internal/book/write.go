package book

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Writer writes one batch. It is good until the function returns that it was given to,
// and belongs to one goroutine.
type Writer struct {
	book  *Book
	tx    *sql.Tx
	stmts map[string]*sql.Stmt

	// Numbers of the texts that this batch has met. They become the book's only with the
	// batch.
	authors, origins map[string]int64
	sources          map[Source]int64
	variants         map[Variant]int64
}

// Update runs a function that writes a batch. Where it or the writing fails, and where
// the process is killed before Update returns, nothing of the batch is in the book; after
// it, the batch is on the disk. The error wraps ErrLocked if another process writes for
// longer than a few seconds, and ErrFull if the disk is full.
func (b *Book) Update(ctx context.Context, do func(w *Writer) error) error {
	if b.mode != ReadWrite {
		return fmt.Errorf("%s is open for reading alone", b.path)
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	tx, err := b.writer.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return told(err)
	}
	w := &Writer{
		book: b, tx: tx, stmts: map[string]*sql.Stmt{},
		authors: map[string]int64{}, origins: map[string]int64{}, sources: map[Source]int64{}, variants: map[Variant]int64{},
	}
	err = ctx.Err()
	if err == nil {
		err = do(w)
	}
	if err != nil {
		return told(errors.Join(err, tx.Rollback()))
	}
	return told(tx.Commit())
}

// exec runs a statement, which it prepares at its first use.
func (w *Writer) exec(query string, args ...any) (sql.Result, error) {
	stmt, err := w.prepared(query)
	if err != nil {
		return nil, err
	}
	return stmt.Exec(args...)
}

func (w *Writer) prepared(query string) (*sql.Stmt, error) {
	stmt := w.stmts[query]
	if stmt == nil {
		var err error
		if stmt, err = w.tx.Prepare(query); err != nil {
			return nil, err
		}
		w.stmts[query] = stmt
	}
	return stmt, nil
}

// number returns the number of a text in a table of names, which it adds if it is not
// there.
func number[T comparable](w *Writer, known map[T]int64, name T, add, find string, args ...any) (int64, error) {
	if id, ok := known[name]; ok {
		return id, nil
	}
	if _, err := w.exec(add, args...); err != nil {
		return 0, err
	}
	stmt, err := w.prepared(find)
	if err != nil {
		return 0, err
	}
	var id int64
	err = stmt.QueryRow(args...).Scan(&id)
	known[name] = id
	return id, err
}

func (w *Writer) author(name string) (int64, error) {
	if err := checkText("an author's name", name, MaxName); err != nil {
		return 0, err
	}
	return number(w, w.authors, name, "INSERT OR IGNORE INTO author(name) VALUES(?)", "SELECT id FROM author WHERE name = ?", name)
}

func (w *Writer) origin(name string) (int64, error) {
	if err := checkText("the name of an origin", name, MaxName); err != nil {
		return 0, err
	}
	return number(w, w.origins, name, "INSERT OR IGNORE INTO origin(name) VALUES(?)", "SELECT id FROM origin WHERE name = ?", name)
}

func (w *Writer) source(s Source) (int64, error) {
	return number(w, w.sources, s, "INSERT OR IGNORE INTO source(engine, network, build) VALUES(?, ?, ?)",
		"SELECT id FROM source WHERE engine = ? AND network = ? AND build = ?", s.Engine, s.Network, s.Build)
}

func (w *Writer) variant(v Variant) (int64, error) {
	return number(w, w.variants, v, "INSERT OR IGNORE INTO variant(rules, size) VALUES(?, ?)",
		"SELECT id FROM variant WHERE rules = ? AND size = ?", v.text(), v.Size)
}

// spot is the row of a position.
type spot struct {
	place
	variant int64
	size    int
}

// spot returns where a position is or will be. The error is ErrOver for one in which the
// game is over.
func (w *Writer) spot(pos *gomoku.Board) (spot, error) {
	if pos.Outcome() != game.Undecided {
		return spot{}, ErrOver
	}
	id, err := w.variant(VariantOf(pos))
	return spot{placeOf(pos), id, pos.Size()}, err
}

// add makes the row of a position, if it is not there.
func (w *Writer) add(s spot, by Stamp) (created bool, err error) {
	author, err := w.author(by.Author)
	if err != nil {
		return false, err
	}
	r, err := w.exec(`INSERT OR IGNORE INTO position(variant, key, label, expanded, wins, draws, losses, comment, author, time)
		VALUES(?, ?, 0, 0, 0, 0, 0, '', ?, ?)`, s.variant, s.key, author, by.Time.Unix())
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}

// Add puts a position into the book, with nothing said of it, and reports whether it was
// not there before.
func (w *Writer) Add(pos *gomoku.Board, by Stamp) (created bool, err error) {
	s, err := w.spot(pos)
	if err != nil {
		return false, err
	}
	return w.add(s, by)
}

// SetLabel sets the label of a position, which it adds if it is not there. The error wraps
// ErrContradicts if the position's certificate proves something else.
func (w *Writer) SetLabel(pos *gomoku.Board, l Label, by Stamp) error {
	if l > Excluded {
		return fmt.Errorf("there is no label %d", l)
	}
	if err := w.agree(pos, l, nil); err != nil {
		return err
	}
	return w.set(pos, "label", int64(l), by)
}

// SetComment sets the comment of a position, which it adds if it is not there. The error
// wraps ErrText for a text that CheckComment refuses.
func (w *Writer) SetComment(pos *gomoku.Board, text string, by Stamp) error {
	if err := CheckComment(text); err != nil {
		return err
	}
	return w.set(pos, "comment", text, by)
}

// SuggestComment sets the comment of a position that has none, and reports whether it did.
// The position must be there.
func (w *Writer) SuggestComment(pos *gomoku.Board, text string, by Stamp) (set bool, err error) {
	if err := CheckComment(text); err != nil {
		return false, err
	}
	return w.suggest(pos, "comment = ?1", "comment = ''", text, by)
}

// SuggestLabel sets the label of a position that has none, unless its certificate proves
// something else, and reports whether it did. The position must be there.
func (w *Writer) SuggestLabel(pos *gomoku.Board, l Label, by Stamp) (set bool, err error) {
	if l > Excluded {
		return false, fmt.Errorf("there is no label %d", l)
	}
	switch err := w.agree(pos, l, nil); {
	case errors.Is(err, ErrContradicts):
		return false, nil
	case err != nil:
		return false, err
	}
	return w.suggest(pos, "label = ?1", "label = 0", int64(l), by)
}

func (w *Writer) suggest(pos *gomoku.Board, set, where string, value any, by Stamp) (bool, error) {
	s, err := w.spot(pos)
	if err != nil {
		return false, err
	}
	author, err := w.author(by.Author)
	if err != nil {
		return false, err
	}
	r, err := w.exec("UPDATE position SET "+set+", author = ?2, time = ?3 WHERE variant = ?4 AND key = ?5 AND "+where,
		value, author, by.Time.Unix(), s.variant, s.key)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}

// SetExpanded notes that all successors of a position that are to be judged are.
func (w *Writer) SetExpanded(pos *gomoku.Board) error {
	s, err := w.spot(pos)
	if err == nil {
		_, err = w.exec("UPDATE position SET expanded = 1 WHERE variant = ? AND key = ?", s.variant, s.key)
	}
	return err
}

func (w *Writer) set(pos *gomoku.Board, column string, value any, by Stamp) error {
	s, err := w.spot(pos)
	if err != nil {
		return err
	}
	if _, err := w.add(s, by); err != nil {
		return err
	}
	author, err := w.author(by.Author)
	if err == nil {
		_, err = w.exec("UPDATE position SET "+column+" = ?, author = ?, time = ? WHERE variant = ? AND key = ?",
			value, author, by.Time.Unix(), s.variant, s.key)
	}
	return err
}

// SetValue writes an engine's value of a position, which it adds if it is not there, in
// place of an earlier one of the same source.
func (w *Writer) SetValue(pos *gomoku.Board, v Value) error {
	s, err := w.spot(pos)
	if err == nil {
		err = v.check(s.size * s.size)
	}
	if err != nil {
		return err
	}
	v.Best = s.stored(s.size, v.Best)
	if _, err := w.add(s, v.Stamp); err != nil {
		return err
	}
	source, err := w.source(v.Source)
	if err != nil {
		return err
	}
	author, err := w.author(v.Author)
	if err != nil {
		return err
	}
	find, err := w.prepared("SELECT judged FROM position WHERE variant = ? AND key = ?")
	if err != nil {
		return err
	}
	var judged []byte
	if err := find.QueryRow(s.variant, s.key).Scan(&judged); err != nil {
		return err
	}
	judged = withJudgement(judged, judgement{source: uint32(source), author: uint32(author), Value: v})
	_, err = w.exec("UPDATE position SET judged = ? WHERE variant = ? AND key = ?", judged, s.variant, s.key)
	return err
}

// agree returns an error that wraps ErrContradicts if a label contradicts the certificate
// that the position has, or, unless it is nil, a certificate the label that it has.
func (w *Writer) agree(pos *gomoku.Board, l Label, certificate []byte) error {
	s, err := w.spot(pos)
	if err != nil {
		return err
	}
	find, err := w.prepared("SELECT label, certified FROM position WHERE variant = ? AND key = ?")
	if err != nil {
		return err
	}
	var label, plies int64
	if err := find.QueryRow(s.variant, s.key).Scan(&label, &plies); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if certificate != nil {
		plies, l = certified(certificate), Label(min(label, int64(Excluded)))
	}
	proven, _ := settled(plies)
	if says := l.result(); proven != Unproven && says != Unproven && says != proven {
		return fmt.Errorf("%w: %s is labelled %v, its certificate proves a %v for the side to move", ErrContradicts, stonesOf(pos), l, proven)
	}
	return nil
}

// SetCertificate keeps a certificate of a win from a position, which it adds if it is not
// there. The bytes are stored as they are; Verify checks them. The error wraps
// ErrContradicts if the position's label says something else.
func (w *Writer) SetCertificate(pos *gomoku.Board, data []byte, by Stamp) error {
	if err := w.agree(pos, None, data); err != nil {
		return err
	}
	s, err := w.spot(pos)
	if err != nil {
		return err
	}
	if _, err := w.add(s, by); err != nil {
		return err
	}
	author, err := w.author(by.Author)
	if err == nil {
		_, err = w.exec("INSERT OR REPLACE INTO certificate(variant, key, data, author, time) VALUES(?, ?, ?, ?, ?)",
			s.variant, s.key, data, author, by.Time.Unix())
	}
	if err == nil {
		_, err = w.exec("UPDATE position SET certified = ? WHERE variant = ? AND key = ?", certified(data), s.variant, s.key)
	}
	return err
}

// Remove takes a position and all that is said of it out of the book.
func (w *Writer) Remove(pos *gomoku.Board) error {
	s, err := w.spot(pos)
	for _, table := range []string{"position", "result", "certificate"} {
		if err == nil {
			_, err = w.exec("DELETE FROM "+table+" WHERE variant = ? AND key = ?", s.variant, s.key)
		}
	}
	return err
}

// Certificate returns the certificate of a position, nil if it has none.
func (b *Book) Certificate(pos *gomoku.Board) ([]byte, error) {
	id, err := b.names.variant(VariantOf(pos))
	if err != nil {
		return nil, err
	}
	var data []byte
	err = b.readers.QueryRow("SELECT data FROM certificate WHERE variant = ? AND key = ?", id, placeOf(pos).key).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return data, told(err)
}

// The column judged of a position holds its values, by ascending numbers of their sources,
// as records of 32 bytes, big-endian:
//
//	4 bytes  number of the source
//	4        value in millionths, and a million
//	1        result
//	2        plies
//	8        nodes
//	2        depth
//	2        cell of the best move as it is stored, and 1; 0: unknown
//	4        number of the author
//	5        time, seconds since 1970, in two's complement
const judgedBytes = 32

// judgement is a record.
type judgement struct {
	source, author uint32
	Value          // but for its names
}

// append appends the record.
func (j *judgement) append(to []byte) []byte {
	to = binary.BigEndian.AppendUint32(to, j.source)
	to = binary.BigEndian.AppendUint32(to, uint32(math.Round(j.Value.Value*millionths)+millionths))
	to = append(to, byte(j.Proof))
	to = binary.BigEndian.AppendUint16(to, uint16(j.Plies))
	to = binary.BigEndian.AppendUint64(to, uint64(j.Nodes))
	to = binary.BigEndian.AppendUint16(to, uint16(j.Depth))
	best := uint16(0)
	if j.Best != game.NoMove {
		best = uint16(j.Best) + 1
	}
	to = binary.BigEndian.AppendUint16(to, best)
	to = binary.BigEndian.AppendUint32(to, j.author)
	at := uint64(j.Time.Unix())
	return binary.BigEndian.AppendUint32(append(to, byte(at>>32)), uint32(at))
}

// judgementOf reads a record, 32 bytes.
func judgementOf(record []byte) (j judgement) {
	j.source = binary.BigEndian.Uint32(record)
	j.Value.Value = (float64(binary.BigEndian.Uint32(record[4:])) - millionths) / millionths
	j.Proof, j.Plies = Result(record[8]), int(binary.BigEndian.Uint16(record[9:]))
	j.Nodes, j.Depth = int64(binary.BigEndian.Uint64(record[11:])), int(binary.BigEndian.Uint16(record[19:]))
	j.Best = game.NoMove
	if best := binary.BigEndian.Uint16(record[21:]); best > 0 {
		j.Best = game.Move(best - 1)
	}
	j.author = binary.BigEndian.Uint32(record[23:])
	j.Time = time.Unix(int64(int8(record[27]))<<32|int64(binary.BigEndian.Uint32(record[28:])), 0).UTC()
	return j
}

// values reads the values of a position on a board of so many cells, with their moves as
// they are stored.
func (b *Book) values(judged []byte, cells int) ([]Value, error) {
	if len(judged)%judgedBytes != 0 {
		return nil, damaged("values of %d bytes, want a multiple of %d", len(judged), judgedBytes)
	}
	if len(judged) == 0 {
		return nil, nil
	}
	list := make([]Value, 0, len(judged)/judgedBytes)
	last := int64(-1)
	for ; len(judged) > 0; judged = judged[judgedBytes:] {
		j := judgementOf(judged)
		if int64(j.source) <= last {
			return nil, damaged("values out of order")
		}
		last = int64(j.source)
		var err error
		if j.Source, err = b.names.source(last); err != nil {
			return nil, err
		}
		if j.Author, err = b.names.author(int64(j.author)); err != nil {
			return nil, err
		}
		if err := asDamage(j.check(cells)); err != nil {
			return nil, err
		}
		list = append(list, j.Value)
	}
	return list, nil
}

// withJudgement returns values with a record in place of that of its source, or added.
func withJudgement(judged []byte, j judgement) []byte {
	at, replaced := 0, 0
	for ; at+judgedBytes <= len(judged); at += judgedBytes {
		if source := binary.BigEndian.Uint32(judged[at:]); source >= j.source {
			if source == j.source {
				replaced = judgedBytes
			}
			break
		}
	}
	out := append(make([]byte, 0, len(judged)+judgedBytes), judged[:at]...)
	return append(j.append(out), judged[at+replaced:]...)
}
