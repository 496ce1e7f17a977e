package book

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
)

// applicationID marks the file of a book among other SQLite databases ("CZbk").
const applicationID = 0x435a626b

// Version is that of the schema, which SQLite's user_version holds.
const Version = 3

// migrations[i] takes a book from version i to version i+1. A new version adds one and
// never changes another.
var migrations = []string{`
CREATE TABLE book(
	one INTEGER PRIMARY KEY CHECK(one = 1),
	id TEXT NOT NULL
) STRICT;
CREATE TABLE variant(
	id INTEGER PRIMARY KEY,
	rules TEXT NOT NULL,
	size INTEGER NOT NULL,
	UNIQUE(rules, size)
) STRICT;
CREATE TABLE author(
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE source(
	id INTEGER PRIMARY KEY,
	engine TEXT NOT NULL,
	network TEXT NOT NULL,
	build TEXT NOT NULL,
	UNIQUE(engine, network, build)
) STRICT;
CREATE TABLE origin(
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE position(
	variant INTEGER NOT NULL,
	key BLOB NOT NULL,
	label INTEGER NOT NULL,
	expanded INTEGER NOT NULL,
	wins INTEGER NOT NULL,
	draws INTEGER NOT NULL,
	losses INTEGER NOT NULL,
	comment TEXT NOT NULL,
	author INTEGER NOT NULL,
	time INTEGER NOT NULL,
	PRIMARY KEY(variant, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE value(
	variant INTEGER NOT NULL,
	key BLOB NOT NULL,
	source INTEGER NOT NULL,
	value INTEGER NOT NULL,
	result INTEGER NOT NULL,
	plies INTEGER NOT NULL,
	nodes INTEGER NOT NULL,
	depth INTEGER NOT NULL,
	best INTEGER NOT NULL,
	author INTEGER NOT NULL,
	time INTEGER NOT NULL,
	PRIMARY KEY(variant, key, source)
) STRICT, WITHOUT ROWID;
CREATE TABLE result(
	variant INTEGER NOT NULL,
	key BLOB NOT NULL,
	origin INTEGER NOT NULL,
	wins INTEGER NOT NULL,
	draws INTEGER NOT NULL,
	losses INTEGER NOT NULL,
	PRIMARY KEY(variant, key, origin)
) STRICT, WITHOUT ROWID;
CREATE TABLE certificate(
	variant INTEGER NOT NULL,
	key BLOB NOT NULL,
	data BLOB NOT NULL,
	author INTEGER NOT NULL,
	time INTEGER NOT NULL,
	PRIMARY KEY(variant, key)
) STRICT;
`,
	// 2: values in the row of their position (write.go), where one look-up finds them.
	`
ALTER TABLE position ADD COLUMN judged BLOB NOT NULL DEFAULT x'';
UPDATE position SET judged = x.judged FROM (
	SELECT variant, key, coalesce(unhex(group_concat(printf('%08x%08x%02x%04x%016x%04x%04x%08x%010x',
		source, value + 1000000, result, plies, nodes, depth, best + 1, author, time & 0xffffffffff), '' ORDER BY source)), x'00') AS judged
	FROM value GROUP BY variant, key
) AS x WHERE position.variant = x.variant AND position.key = x.key;
DROP TABLE value;
`,
	// 3: what a certificate says in the row of its position, as plies to the end, negative if
	// the side to move loses.
	`
ALTER TABLE position ADD COLUMN certified INTEGER NOT NULL DEFAULT 0;
UPDATE position SET certified = x.plies FROM (
	SELECT variant, key, CAST(CAST(substr(data, instr(data, CAST(char(10) || 'plies ' AS BLOB)) + 7, 9) AS TEXT) AS INTEGER) *
		iif(substr(data, instr(data, CAST(char(10) || 'winner ' AS BLOB)) + 8, 1) = substr(data, instr(data, CAST(char(10) || 'to-move ' AS BLOB)) + 9, 1), 1, -1) AS plies
	FROM certificate
) AS x WHERE position.variant = x.variant AND position.key = x.key;
`}

// migrate brings a database from a version to that of the list of migrations, and gives it
// an identity unless id is "", all in one transaction. Of two processes that migrate a book
// at once the second finds nothing left to do.
func migrate(db *sql.DB, from int, list []string, id string) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	now, err := versionIn(tx)
	if err != nil {
		return err
	}
	if now > len(list) {
		return fmt.Errorf("%w, %d: want at most %d", ErrVersion, now, len(list))
	}
	for _, text := range list[max(from, now):] {
		if _, err := tx.Exec(text); err != nil {
			return err
		}
	}
	if id != "" {
		if _, err := tx.Exec("INSERT INTO book(one, id) VALUES(1, ?)", id); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(list))); err != nil {
		return err
	}
	return tx.Commit()
}

// versionIn returns the version of a database, which its log may have before its header.
func versionIn(db interface {
	QueryRow(query string, args ...any) *sql.Row
}) (version int, err error) {
	err = db.QueryRow("PRAGMA user_version").Scan(&version)
	return version, err
}

// objects returns everything that a database's schema has, in a fixed order.
func objects(db *sql.DB) (string, error) {
	rows, err := db.Query("SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var all strings.Builder
	for rows.Next() {
		var kind, name, text string
		if err := rows.Scan(&kind, &name, &text); err != nil {
			return "", err
		}
		if strings.HasPrefix(name, "sqlite_stat") {
			continue
		}
		fmt.Fprintf(&all, "%s %s %s\n", kind, name, text)
	}
	return all.String(), rows.Err()
}

// wanted returns the objects of a database that the migrations have made.
func wanted(list []string) (string, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return "", err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if err := migrate(db, 0, list, ""); err != nil {
		return "", err
	}
	return objects(db)
}

// VariantInfo is a variant of a book, and how much there is of it.
type VariantInfo struct {
	Variant
	Positions, Values, Certificates int64
	Labelled, Expanded              int64
	Games                           int64 // results, over all positions
	id                              int64
}

// Variants returns what the book is of, in the order in which it met them.
func (b *Book) Variants() (list []VariantInfo, err error) {
	err = b.each(`SELECT v.id, v.rules, v.size, count(p.key), coalesce(sum(p.label > 0), 0), coalesce(sum(p.expanded), 0),
			coalesce(sum(p.wins + p.draws + p.losses), 0),
			coalesce(sum(length(p.judged)), 0) / 32, (SELECT count(*) FROM certificate x WHERE x.variant = v.id)
		FROM variant v LEFT JOIN position p ON p.variant = v.id GROUP BY v.id ORDER BY v.id`, func(scan func(...any) error) error {
		var i VariantInfo
		var rules string
		var size int
		err := scan(&i.id, &rules, &size, &i.Positions, &i.Labelled, &i.Expanded, &i.Games, &i.Values, &i.Certificates)
		if err == nil {
			i.Variant, err = parseVariant(rules, size)
		}
		list = append(list, i)
		return err
	})
	return list, err
}

// MaxCertificateNodes bounds the certificates that Verify checks, some 200 bytes of
// memory for each node.
const MaxCertificateNodes = 2_000_000

// Checked is what Verify has looked at.
type Checked struct {
	Positions, Values, Certificates int64
}

// Verify reads all of the book: the file as SQLite sees it; that each position stands
// under its smallest key and can be set up; that values, labels and texts are within their
// bounds and belong to a position; that results are the sums over their origins; and that
// every certificate is of its position, proves its win and agrees with its label. The error
// says what is wrong, and wraps ErrDamaged.
func (b *Book) Verify(ctx context.Context, progress func(positions int64)) (sum Checked, err error) {
	if err := b.integrity(ctx); err != nil {
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
				progress(sum.Positions)
			}
			return b.verifyOne(ctx, e, &sum)
		}); err != nil {
			return sum, err
		}
	}
	return sum, b.checkSums(ctx)
}

// integrity has SQLite check the file, and then whether each row has what it belongs to.
func (b *Book) integrity(ctx context.Context) error {
	var text string
	if err := b.readers.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&text); err != nil {
		return told(err)
	}
	if text != "ok" {
		return damaged("%s", strings.Join(strings.Fields(text), " "))
	}
	for _, table := range []string{"result", "certificate"} {
		var lost int
		err := b.readers.QueryRowContext(ctx, "SELECT count(*) FROM "+table+` x WHERE NOT EXISTS
			(SELECT 1 FROM position p WHERE p.variant = x.variant AND p.key = x.key)`).Scan(&lost)
		if err != nil {
			return told(err)
		}
		if lost > 0 {
			return damaged("%d rows of the table %s are of no position", lost, table)
		}
	}
	var lost int
	err := b.readers.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM position WHERE variant NOT IN (SELECT id FROM variant)) +
		(SELECT count(*) FROM result WHERE origin NOT IN (SELECT id FROM origin))`).Scan(&lost)
	if err == nil && lost > 0 {
		return damaged("%d rows are of no variant or origin", lost)
	}
	return told(err)
}

// verifyOne checks what is said of one position against the rules.
func (b *Book) verifyOne(ctx context.Context, e Entry, sum *Checked) error {
	for _, v := range e.Values {
		if v.Best != game.NoMove && !e.Board.Legal(v.Best) {
			return damaged("%s: the best move of %s is not legal", stonesOf(e.Board), v.Engine)
		}
	}
	data, err := b.Certificate(e.Board)
	if err == nil && data == nil && e.Certified != Unproven {
		err = damaged("%s is said to be certified, and has no certificate", stonesOf(e.Board))
	}
	if err != nil || data == nil {
		return err
	}
	sum.Certificates++
	winner, err := CheckCertificate(ctx, e.Board, data)
	if errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil {
		return damaged("%s: its certificate: %v", stonesOf(e.Board), err)
	}
	proven, plies := settled(certified(data))
	if proven != e.Certified || plies != e.CertifiedPlies {
		return damaged("%s: the certificate says %v in %d plies, its position something else", stonesOf(e.Board), proven, plies)
	}
	if r := e.Label.result(); r != Unproven && r != proven {
		return damaged("%s: the certificate says that %v wins, the label something else", stonesOf(e.Board), winner)
	}
	return nil
}

// CheckCertificate returns the winner of a certificate. It must be of the position, in
// any orientation, and prove what it says.
func CheckCertificate(ctx context.Context, pos *gomoku.Board, data []byte) (game.Side, error) {
	c, err := certificate.Decode(data)
	if err != nil {
		return 0, err
	}
	if len(c.Moves) > MaxCertificateNodes {
		return 0, fmt.Errorf("%w: %d, want at most %d", certificate.ErrNodes, len(c.Moves), MaxCertificateNodes)
	}
	start, err := c.Board()
	if err != nil {
		return 0, err
	}
	if VariantOf(start) != VariantOf(pos) || string(placeOf(start).key) != string(placeOf(pos).key) {
		return 0, errors.New("it is of another position")
	}
	if !c.Win() {
		return 0, errors.New("it proves no win: a book keeps certificates of wins")
	}
	return c.Winner, c.Check(ctx)
}

// PruneOptions say what is taken out of a book. Positions with a label, a comment or a
// certificate always stay.
type PruneOptions struct {
	MinGames  int64 // positions without values and with fewer games; 0: none
	MaxStones int   // positions with more stones on the board; 0: none
}

// Prune takes positions out of the book and gives their room back to the file system. It
// returns how many.
func (b *Book) Prune(ctx context.Context, o PruneOptions) (removed int64, err error) {
	list, err := b.Variants()
	if err != nil {
		return 0, err
	}
	for _, v := range list {
		var out []*gomoku.Board
		if err := b.Each(ctx, v.Variant, func(e Entry) error {
			keep, err := b.kept(e, o)
			if !keep {
				out = append(out, e.Board)
			}
			return err
		}); err != nil {
			return removed, err
		}
		for len(out) > 0 {
			batch := out[:min(len(out), batchPositions)]
			if err := b.Update(ctx, func(w *Writer) error {
				for _, pos := range batch {
					if err := w.Remove(pos); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				return removed, err
			}
			removed += int64(len(batch))
			out = out[len(batch):]
		}
	}
	return removed, b.Compact()
}

// kept reports whether a position stays.
func (b *Book) kept(e Entry, o PruneOptions) (bool, error) {
	few := o.MinGames > 0 && len(e.Values) == 0 && e.Results.Games() < o.MinGames
	many := o.MaxStones > 0 && stones(e.Board) > o.MaxStones
	if !few && !many || e.Label != None || e.Comment != "" {
		return true, nil
	}
	data, err := b.Certificate(e.Board)
	return data != nil || err != nil, err
}

// Compact gives unused room of the file back to the file system.
func (b *Book) Compact() error {
	b.writing.Lock()
	defer b.writing.Unlock()
	_, err := b.writer.Exec("VACUUM")
	return told(err)
}

// stones returns how many stones are on a board.
func stones(b *gomoku.Board) (n int) {
	for cell := range b.Size() * b.Size() {
		if b.At(cell) != gomoku.Empty {
			n++
		}
	}
	return n
}
