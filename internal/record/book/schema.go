package book

import (
	"database/sql"
	"fmt"
	"strings"
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
	// 2: values in the row of their position (judged.go), where one look-up finds them.
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
