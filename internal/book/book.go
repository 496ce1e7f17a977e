// Package book keeps opening books of the gomoku family in SQLite files: what engines, games
// and people say of positions, each stored once for all its symmetries (key.go). There are no
// edges: the moves of a position are those whose successor is in the book. Values are of the
// side to move. Build grows a book from both engines, Prove finds wins in it, and
// [Book.Before] makes engines that play from it.
package book

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/disk"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Sentinel errors. Returned errors wrap one of them, or one of the file system, in a line
// that says what is wrong.
var (
	// ErrForeign: the file is no opening book.
	ErrForeign = errors.New("no opening book")
	// ErrVersion: the book was written by another version of the program.
	ErrVersion = errors.New("a book of another version")
	// ErrDamaged: the file is a book, but its content cannot be believed.
	ErrDamaged = errors.New("a damaged book")
	// ErrLocked: another process is writing.
	ErrLocked = errors.New("another process is writing this book")
	// ErrFull: the disk is full; nothing of the batch is in the book.
	ErrFull = errors.New("the disk is full: nothing of this was written")
	// ErrVariant: the book has no positions of these rules, size or opening rule.
	ErrVariant = errors.New("the book is of other rules")
	// ErrOver: the game is over in this position; books hold positions with a move to find.
	ErrOver = errors.New("the game is over in this position")
	// ErrText: a text that books do not take.
	ErrText = errors.New("not a text for a book")
	// ErrContradicts: the label of a position is another than its certificate proves.
	ErrContradicts = errors.New("label and certificate contradict each other")
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// Mode says what a book is opened for.
type Mode uint8

// The modes.
const (
	ReadOnly Mode = iota
	ReadWrite
)

// Book is an open opening book. It is safe for concurrent use: reads run side by side, and
// [Book.Update] writes one batch at a time. The function that is given to Update must not
// call Update.
type Book struct {
	path    string
	id      string
	readers *sql.DB
	writer  *sql.DB // one connection; nil if read only

	writing sync.Mutex // one batch at a time
	known   sync.Map   // see lookup
}

// applicationID marks the file of a book among other SQLite databases ("CZbk").
const applicationID = 0x435a626b

// Version is that of the schema, which SQLite's user_version holds.
const Version = 3

const schema = `
CREATE TABLE book(one INTEGER PRIMARY KEY CHECK(one = 1), id TEXT NOT NULL) STRICT;
CREATE TABLE variant(id INTEGER PRIMARY KEY, rules TEXT NOT NULL, size INTEGER NOT NULL, UNIQUE(rules, size)) STRICT;
CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE source(
	id INTEGER PRIMARY KEY,
	engine TEXT NOT NULL,
	network TEXT NOT NULL,
	build TEXT NOT NULL,
	UNIQUE(engine, network, build)
) STRICT;
CREATE TABLE position(
	variant INTEGER NOT NULL,
	key BLOB NOT NULL,
	label INTEGER NOT NULL,
	expanded INTEGER NOT NULL,
	wins INTEGER NOT NULL,   -- of games, as earlier versions counted them; nothing reads them
	draws INTEGER NOT NULL,
	losses INTEGER NOT NULL,
	comment TEXT NOT NULL,
	author INTEGER NOT NULL, -- with time of the label and the comment
	time INTEGER NOT NULL,
	judged BLOB NOT NULL DEFAULT x'',      -- see judgement
	certified INTEGER NOT NULL DEFAULT 0,  -- see certified
	PRIMARY KEY(variant, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE certificate(
	variant INTEGER NOT NULL,
	key BLOB NOT NULL,
	data BLOB NOT NULL,
	author INTEGER NOT NULL,
	time INTEGER NOT NULL,
	PRIMARY KEY(variant, key)
) STRICT;`

// Create makes an empty book where no file is, or an empty one, as a Create that was killed
// leaves it. Its identity is drawn from random, 16 bytes; two books must not have the same.
func Create(path string, random io.Reader) (*Book, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		if info, _ := os.Stat(path); info == nil || !info.Mode().IsRegular() || info.Size() > 0 {
			return nil, fmt.Errorf("%s is there already: name another file, or open it", path)
		}
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, disk.Cause(err))
	} else if err := file.Close(); err != nil {
		return nil, err
	}
	if fillErr := fill(path, random); fillErr != nil {
		if err == nil { // who else fills an empty file keeps it
			fillErr = errors.Join(fillErr, os.Remove(path))
		}
		return nil, fmt.Errorf("%s: %w", path, wrapSQLite(fillErr))
	}
	return Open(path, ReadWrite)
}

// fill makes the tables of a new book. It leaves no log beside the file, whose header so
// tells from the first moment what it is.
func fill(path string, random io.Reader) error {
	var id [16]byte
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return err
	}
	db, err := connect(path, "_pragma=journal_mode(DELETE)&_pragma=page_size(4096)&_txlock=immediate")
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	_, err = tx.Exec(schema + fmt.Sprintf("INSERT INTO book(one, id) VALUES(1, '%x');", id) +
		fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, Version))
	return errors.Join(err, tx.Commit())
}

// Open opens a book. The error wraps ErrForeign, ErrVersion, ErrDamaged, ErrLocked, or that of
// the file system; the file is then as it was.
func Open(path string, mode Mode) (*Book, error) {
	b := &Book{path: path}
	err := checkHeader(path)
	if err == nil {
		err = b.open(mode)
	}
	if err != nil {
		_ = b.Close()
		return nil, fmt.Errorf("%s: %w", path, wrapSQLite(err))
	}
	return b, nil
}

func (b *Book) open(mode Mode) (err error) {
	if mode == ReadWrite {
		b.writer, err = connect(b.path, "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
		if err != nil {
			return err
		}
		b.writer.SetMaxOpenConns(1)
	}
	// A connection that may not write at all would leave its log behind. The cache, 32 MiB a
	// connection, holds the upper pages of a book of millions of positions, and some others.
	if b.readers, err = connect(b.path, "_pragma=query_only(ON)&_pragma=cache_size(-32768)"); err != nil {
		return err
	}
	b.readers.SetMaxIdleConns(2 * runtime.GOMAXPROCS(0))
	if err := b.readers.QueryRow("SELECT id FROM book").Scan(&b.id); err != nil {
		return err
	}
	if id, err := hex.DecodeString(b.id); err != nil || len(id) != 16 {
		return damaged("its identity is %.40q", b.id)
	}
	return nil
}

// Offsets in the header of a database (sqlite.org/fileformat.html, 1.3).
const (
	headerBytes = 100
	versionAt   = 60
	idAt        = 68
)

// Is reports whether a file that begins with head, 100 bytes, means to be a book.
func Is(head []byte) bool {
	return len(head) >= headerBytes && strings.HasPrefix(string(head), "SQLite format 3\x00") &&
		binary.BigEndian.Uint32(head[idAt:]) == applicationID
}

// checkHeader returns nil for a book of this version, by its first bytes: SQLite does not see
// the file before it is known to be one.
func checkHeader(path string) error {
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, headerBytes)
	if _, err := io.ReadFull(f, head); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if !Is(head) {
		return fmt.Errorf("%w: its bytes are not those of one", ErrForeign)
	}
	if version := binary.BigEndian.Uint32(head[versionAt:]); version != Version {
		return fmt.Errorf("%w, %d: this program reads version %d", ErrVersion, version, Version)
	}
	return nil
}

// connect returns a pool of connections to a file that exists, each of which waits 5 s for
// another process that writes.
func connect(path, more string) (*sql.DB, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	full = "/" + strings.TrimPrefix(filepath.ToSlash(full), "/")
	return sql.Open("sqlite", "file:"+(&url.URL{Path: full}).EscapedPath()+
		"?mode=rw&_pragma=busy_timeout(5000)&_pragma=trusted_schema(OFF)&"+more)
}

// Path returns the name of the file.
func (b *Book) Path() string { return b.path }

// ID returns the identity of the book, 32 hexadecimal digits.
func (b *Book) ID() string { return b.id }

// Close frees the book. A book that nobody else has open is one file then.
func (b *Book) Close() (err error) {
	for _, db := range []*sql.DB{b.readers, b.writer} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	return wrapSQLite(err)
}

// wrapSQLite turns an error of SQLite into one of the package's.
func wrapSQLite(err error) error {
	var of *sqlite.Error
	if !errors.As(err, &of) || errors.Is(err, context.Canceled) {
		return err
	}
	switch of.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return ErrLocked
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return damaged("SQLite says: %s", sqlite.ErrorCodeString[of.Code()&0xff])
	case sqlite3.SQLITE_FULL:
		return ErrFull
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("the file or its folder cannot be written, which a book needs even to be read: %w", err)
	}
	return err
}

// each runs a query and calls a function for each row, whose columns are in into then.
func (b *Book) each(query string, args, into []any, do func() error) error {
	rows, err := b.readers.Query(query, args...)
	if err != nil {
		return wrapSQLite(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return damaged("%v", err)
		}
		if err := do(); err != nil {
			return err
		}
	}
	return wrapSQLite(rows.Err())
}

// Keys of what lookup keeps, beside Variant.
type (
	authorID int64
	sourceID int64
)

// lookup returns the one row of a query, which it keeps under a key: no text that rows have
// numbers for is ever changed or deleted.
func lookup[V any](b *Book, key any, query string, args []any, into func(v *V) []any) (v V, ok bool, err error) {
	if v, ok := b.known.Load(key); ok {
		return v.(V), true, nil
	}
	err = b.each(query, args, into(&v), func() error { ok = true; return nil })
	if ok && err == nil {
		b.known.Store(key, v)
	}
	return v, ok, err
}

func (b *Book) author(id int64) (string, error) {
	name, ok, err := lookup(b, authorID(id), "SELECT name FROM author WHERE id = ?", []any{id},
		func(name *string) []any { return []any{name} })
	if err == nil && !ok {
		err = damaged("an author %d without a name", id)
	}
	return name, err
}

func (b *Book) source(id int64) (Source, error) {
	s, ok, err := lookup(b, sourceID(id), "SELECT engine, network, build FROM source WHERE id = ?", []any{id},
		func(s *Source) []any { return []any{&s.Engine, &s.Network, &s.Build} })
	if err == nil && !ok {
		err = damaged("a source %d without a name", id)
	}
	return s, err
}

// variant returns the number of a variant. The error wraps ErrVariant if the book has none
// of it.
func (b *Book) variant(v Variant) (int64, error) {
	id, ok, err := lookup(b, v, "SELECT id FROM variant WHERE rules = ? AND size = ?",
		[]any{v.text(), v.Size}, func(id *int64) []any { return []any{id} })
	if ok || err != nil {
		return id, err
	}
	var have []string
	var rules string
	var size int
	err = b.each("SELECT rules, size FROM variant", nil, []any{&rules, &size}, func() error {
		of, err := parseVariant(rules, size)
		have = append(have, of.String())
		return err
	})
	slices.Sort(have)
	switch {
	case err != nil:
		return 0, err
	case len(have) == 0:
		return 0, fmt.Errorf("%w: it is empty", ErrVariant)
	}
	return 0, fmt.Errorf("%w: it is of %s, and not of %s", ErrVariant, strings.Join(have, ", "), v)
}

// Variant is what positions are of: rules as data and the size of the board. The opening
// rule is one of the rules.
type Variant struct {
	Rules gomoku.Rules
	Size  int
}

// VariantOf returns the variant of a board.
func VariantOf(b *gomoku.Board) Variant { return Variant{b.Rules(), b.Size()} }

// String names the variant for a person: "caro 15x15".
func (v Variant) String() string {
	text := fmt.Sprintf("%s %dx%d", v.Rules.Name, v.Size, v.Size)
	if v.Rules.OpenDistance > 0 {
		text += " with the opening rule"
	}
	return text
}

// text returns the rules as the book stores them.
func (v Variant) text() string {
	data, err := json.Marshal(v.Rules)
	if err != nil {
		panic(err) // strings, numbers and truths
	}
	return string(data)
}

// parseVariant reads what text returns.
func parseVariant(text string, size int) (Variant, error) {
	v := Variant{Size: size}
	err := json.Unmarshal([]byte(text), &v.Rules)
	if err == nil {
		_, err = gomoku.New(v.Rules, size)
	}
	if err == nil && v.text() != text {
		err = errors.New("its rules are not in their one form")
	}
	if err != nil {
		return v, damaged("a variant: %v", err)
	}
	return v, nil
}
