// Package book keeps opening books: positions of the gomoku family with what engines,
// games and people say of them, in one SQLite file.
//
// A position is stored once for all its symmetries, under the smallest of their keys
// (position.go), and every move that goes in or comes out is turned into the caller's
// orientation. There are no edges: the moves of a position in the book are those whose
// successor is in the book, so transpositions meet by themselves.
//
// Of a position the book holds
//
//   - a [Value] for each engine, network and build that judged it;
//   - results of games, counted by their origin (merge.go), so that the same games
//     never count twice;
//   - a [Label] and a comment of a person, and a certificate of a win;
//   - who wrote it, and when.
//
// Values and results are of the side to move, in -1..1.
//
// One [Book] may be used by many goroutines. Reads run side by side, and [Book.Update]
// writes a batch in one transaction: when it returns, the batch is on the disk, and a
// process that is killed before leaves nothing of it.
//
// A file is believed only as far as it was checked. [Open] refuses files that are no
// books, of another version or of other tables, and what is read back is held to the
// bounds that writing has. [Book.Verify] reads everything.
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

// Mode says what a book is opened for.
type Mode uint8

// The modes.
const (
	ReadOnly Mode = iota
	ReadWrite
)

// Book is an open opening book. It is safe for concurrent use; a function that is given to
// Update must not call Update.
type Book struct {
	path    string
	mode    Mode
	id      string
	readers *sql.DB
	writer  *sql.DB // one connection; nil if read only

	writing sync.Mutex // one batch at a time
	stmts   statements
	names   names
}

// waitMillis is how long a write waits for another process.
const waitMillis = 5000

// Create makes an empty book where no file is, or an empty one, as a Create that was killed
// leaves it. Its identity is drawn from random, 16
// bytes; two books must not have the same.
func Create(path string, random io.Reader) (*Book, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	mine := err == nil
	if info, there := os.Stat(path); there == nil && errors.Is(err, fs.ErrExist) && info.Mode().IsRegular() && info.Size() == 0 {
		file, err = os.OpenFile(path, os.O_WRONLY, 0)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s is there already: name another file, or open it", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, disk.Cause(err))
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	if err := fill(path, random); err != nil {
		err = fmt.Errorf("%s: %w", path, told(err))
		if mine { // who else fills an empty file keeps it
			err = errors.Join(err, os.Remove(path))
		}
		return nil, err
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
	db, err := connect(path, "_pragma=journal_mode(DELETE)&_pragma=page_size(4096)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	return errors.Join(migrate(db, 0, migrations, hex.EncodeToString(id[:])), db.Close())
}

// Open opens a book. A book of an older version is brought to this one if it is opened
// for writing. The error wraps ErrForeign, ErrVersion, ErrDamaged, ErrLocked, or that of
// the file system; the file is then as it was.
func Open(path string, mode Mode) (*Book, error) {
	b, err := open(path, mode, migrations)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, told(err))
	}
	return b, nil
}

func open(path string, mode Mode, list []string) (*Book, error) {
	version, err := checkHeader(path, len(list))
	if err != nil {
		return nil, err
	}
	if version < len(list) && mode == ReadOnly {
		return nil, fmt.Errorf("%w, %d: open it for writing once to bring it to version %d", ErrVersion, version, len(list))
	}
	b := &Book{path: path, mode: mode}
	b.names.book = b
	if mode == ReadWrite {
		if b.writer, err = connect(path, "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate"); err != nil {
			return nil, err
		}
		b.writer.SetMaxOpenConns(1)
	}
	// A connection that may not write at all would leave its log behind. The cache, 32 MiB a
	// connection, holds the upper pages of a book of millions of positions, and some others.
	if b.readers, err = connect(path, "_pragma=query_only(ON)&_pragma=cache_size(-32768)"); err == nil {
		b.readers.SetMaxIdleConns(2 * runtime.GOMAXPROCS(0))
		err = b.begin(version, list)
	}
	if err != nil {
		_ = b.Close()
		return nil, err
	}
	return b, nil
}

// begin checks the tables of a database whose header is that of a book, and prepares what
// is asked of it.
func (b *Book) begin(version int, list []string) error {
	got, err := objects(b.readers)
	if err != nil {
		return err
	}
	for {
		want, err := wanted(list[:version])
		if err != nil {
			return err
		}
		if got == want {
			break
		}
		// Another process may be migrating the book.
		now, err := versionIn(b.readers)
		if err != nil {
			return err
		}
		if now <= version || now > len(list) {
			return fmt.Errorf("%w: its tables are not those of version %d", ErrForeign, version)
		}
		version = now
		if got, err = objects(b.readers); err != nil {
			return err
		}
	}
	if version < len(list) {
		if err := migrate(b.writer, version, list, ""); err != nil {
			return err
		}
		if _, err := b.writer.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			return err
		}
	}
	if err := b.readers.QueryRow("SELECT id FROM book").Scan(&b.id); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return damaged("it has no identity")
		}
		return err
	}
	if id, err := hex.DecodeString(b.id); err != nil || len(id) != 16 {
		return damaged("its identity is %.40q", b.id)
	}
	return b.stmts.prepare(b)
}

// Offsets in the header of a database (sqlite.org/fileformat.html, 1.3).
const (
	headerBytes = 100
	pageSizeAt  = 16
	pagesAt     = 28
	versionAt   = 60
	idAt        = 68
)

// checkHeader returns the version of the book at path, from its first bytes alone: SQLite
// does not see the file before it is known to be one.
func checkHeader(path string, newest int) (version int, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var head [headerBytes]byte
	if _, err := io.ReadFull(f, head[:]); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	if !Is(head[:]) {
		return 0, fmt.Errorf("%w: its bytes are not those of one", ErrForeign)
	}
	version = int(binary.BigEndian.Uint32(head[versionAt:]))
	if version < 1 || version > newest {
		return 0, fmt.Errorf("%w, %d: this program reads up to %d", ErrVersion, version, newest)
	}
	size := int64(binary.BigEndian.Uint16(head[pageSizeAt:]))
	if size == 1 {
		size = 1 << 16
	}
	want := size * int64(binary.BigEndian.Uint32(head[pagesAt:]))
	if beside(path, "-wal") || beside(path, "-journal") {
		return version, nil // SQLite puts the rest in place
	}
	// Asked after the logs: who was writing when the header was read is done by now.
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if want > info.Size() {
		return 0, damaged("it is cut off after %d of %d bytes", info.Size(), want)
	}
	return version, nil
}

// beside reports whether SQLite keeps a log with that ending for a book.
func beside(path, ending string) bool {
	log, err := os.Stat(path + ending)
	return err == nil && log.Size() > 0
}

// Is reports whether a file that begins with head, 100 bytes, means to be a book.
func Is(head []byte) bool {
	return len(head) >= headerBytes && strings.HasPrefix(string(head), "SQLite format 3\x00") &&
		binary.BigEndian.Uint32(head[idAt:]) == applicationID
}

// connect returns a pool of connections to a file that exists.
func connect(path, more string) (*sql.DB, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	full = filepath.ToSlash(full)
	if !strings.HasPrefix(full, "/") {
		full = "/" + full
	}
	name := "file:" + (&url.URL{Path: full}).EscapedPath() + "?mode=rw" +
		fmt.Sprintf("&_pragma=busy_timeout(%d)&_pragma=trusted_schema(OFF)", waitMillis)
	return sql.Open("sqlite", name+"&"+more)
}

// Path returns the name of the file.
func (b *Book) Path() string { return b.path }

// ID returns the identity of the book, 32 hexadecimal digits.
func (b *Book) ID() string { return b.id }

// Close frees the book. A book that nobody else has open is one file then.
func (b *Book) Close() error {
	err := b.stmts.close()
	if b.readers != nil {
		err = errors.Join(err, b.readers.Close())
	}
	if b.writer != nil {
		err = errors.Join(err, b.writer.Close())
	}
	return told(err)
}

// told turns an error of SQLite into one of the package's.
func told(err error) error {
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
	if err := json.Unmarshal([]byte(text), &v.Rules); err != nil {
		return v, damaged("the rules of a variant cannot be read")
	}
	if v.text() != text {
		return v, damaged("the rules of a variant are not in their one form")
	}
	if _, err := gomoku.New(v.Rules, size); err != nil {
		return v, damaged("a variant: %v", err)
	}
	known, err := gomoku.Lookup(v.Rules.Name)
	known.OpenDistance = v.Rules.OpenDistance
	if err == nil && known != v.Rules {
		return v, damaged("the rules of a variant are not those of %s", v.Rules.Name)
	}
	return v, nil
}
