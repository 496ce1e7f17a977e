package crosscheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/carozero/carozero/internal/disk"
)

// The first keys of every row, so that a file of rows is recognised by its first line,
// which is a row like the others.
const (
	rowsFormat      = "carozero-crosscheck"
	rowsFileVersion = 1
)

// rowsFile is a JSON line for each position, in the input's order. Only the last lines of
// an interrupted run may have gaps before them.
var rowsFile = disk.JournalKind{
	Name: "a file of rows", Rows: "rows", Format: rowsFormat, Version: rowsFileVersion, MaxLine: MaxRow,
}

// CheckRows returns an error if a run could not keep its rows at path. It
// changes nothing.
func CheckRows(path string, resume bool) error { return rowsFile.Check(path, resume) }

// loadRows reads the rows of a run. It calls inOrder with each of those at the file's
// start that follow one another from index 0, and returns the others, which an
// interruption left behind a gap, by index; the first row of the gap overwrites them.
func loadRows(j *disk.Journal, run string, inOrder func(*Row) error) (later map[int]Row, err error) {
	later = map[int]Row{}
	next, end := 0, int64(0)
	for {
		var r Row
		if there, err := j.Next(&r); err != nil {
			return nil, err
		} else if !there {
			j.DropAfter(end)
			return later, nil
		}
		err := r.check(run)
		if err == nil && r.Index == next && len(later) == 0 {
			next, end = next+1, j.End()
			err = inOrder(&r)
		} else if err == nil {
			later[r.Index] = r
		}
		if err != nil {
			return nil, j.Refuse(err)
		}
	}
}

// check returns an error for a row of another run, and for one that contradicts itself.
func (r *Row) check(run string) error {
	if r.Format != rowsFormat || r.Version != rowsFileVersion {
		return fmt.Errorf("not a row: want %s of version %d", rowsFormat, rowsFileVersion)
	}
	if r.Run != run {
		return errors.New("a row of a run with other options: want the program, engines, budgets, sampling and seed that it began with")
	}
	return r.contradiction()
}

// ParseRow reads a line of a rows file, of whatever run.
func ParseRow(line []byte) (r Row, err error) {
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("not a row: %w", err)
	}
	return r, r.check(r.Run)
}

// MaxRow bounds a line of a rows file, in bytes.
const MaxRow = 4 << 20

// IsRows reports whether a file that begins so is a rows file.
func IsRows(head []byte) bool {
	return bytes.HasPrefix(head, fmt.Appendf(nil, `{"format":%q,`, rowsFormat))
}
