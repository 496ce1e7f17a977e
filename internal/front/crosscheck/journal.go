package crosscheck

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/carozero/carozero/internal/support/lock"
)

// ErrRows is wrapped by the error for a rows file that cannot be continued.
var ErrRows = errors.New("the rows cannot be continued")

// maxRow bounds a line of the rows file, in bytes.
const maxRow = 4 << 20

// journal is the rows file: a JSON line for each position, in the input's
// order, synced one by one. Only the last lines of an interrupted run may have
// gaps before them. It is locked while it is open, and one that does not begin
// with a row is never changed. The zero value keeps nothing.
type journal struct {
	file *os.File
	lock *lock.Lock
	path string
	end  int64 // of the rows that are known to be in order
}

// openJournal opens the rows file at path, "" for none. Without resume the
// file must be new or empty.
func openJournal(path string, resume bool) (*journal, error) {
	if path == "" {
		return &journal{}, nil
	}
	held, err := takeRows(path, resume)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return &journal{file: f, lock: held, path: path}, nil
}

// takeRows locks the rows file at path. One that holds something must be a rows
// file, and be resumed.
func takeRows(path string, resume bool) (*lock.Lock, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: want a file to keep rows in, not a folder or a device", path)
	}
	held, err := lock.File(path)
	if err != nil {
		return nil, err
	}
	info, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() == 0:
		return held, nil
	case err == nil:
		err = checkOwn(path)
	}
	if err == nil && !resume {
		err = fmt.Errorf("%w: %s holds rows already: resume it, or name another file", ErrRows, path)
	}
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return held, nil
}

// CheckRows returns an error if a run could not keep its rows at path. It
// changes nothing.
func CheckRows(path string, resume bool) error {
	if path == "" {
		return nil
	}
	held, err := takeRows(path, resume)
	if err != nil {
		return err
	}
	return held.Close()
}

// load reads the rows. It calls inOrder with each of those at the file's start
// that follow one another from index 0, and returns the others, which an
// interruption left behind a gap, by index. A last line that was cut off is
// dropped.
func (j *journal) load(run string, inOrder func(*Row) error) (later map[int]Row, err error) {
	later = map[int]Row{}
	if j.file == nil {
		return later, nil
	}
	in := bufio.NewScanner(j.file)
	in.Buffer(nil, maxRow)
	in.Split(wholeLines)
	next, number := 0, 0
	fault := func(err error) error { return fmt.Errorf("%w: %s:%d: %w", ErrRows, j.path, number, err) }
	for in.Scan() {
		number++
		row, err := parseRow(in.Bytes(), run)
		if err == nil && row.Index == next && len(later) == 0 {
			next++
			j.end += int64(len(in.Bytes()))
			err = inOrder(&row)
		} else if err == nil {
			later[row.Index] = row
		}
		if err != nil {
			return nil, fault(err)
		}
	}
	err = in.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("more than %d bytes: not a row", maxRow)
	}
	if err != nil {
		number++
		return nil, fault(err)
	}
	return later, nil
}

// wholeLines is a bufio.SplitFunc for lines with their ends; one without is
// dropped.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF {
		return len(data), nil, nil
	}
	return 0, nil, nil
}

func parseRow(line []byte, run string) (r Row, err error) {
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("not a row: %w", err)
	}
	if r.Format != rowsFormat || r.Version != rowsFileVersion {
		return r, errors.New("not a row: " + errNotRows.Error())
	}
	if r.Run != run {
		return r, fmt.Errorf("a row of a run with other options: want the program, engines, budgets, sampling and seed that it began with")
	}
	return r, nil
}

// ParseRow reads a line of a rows file, of whatever run.
func ParseRow(line []byte) (Row, error) {
	var head struct {
		Run string `json:"run"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return Row{}, fmt.Errorf("not a row: %w", err)
	}
	return parseRow(line, head.Run)
}

// IsRows reports whether a file that begins so is a rows file.
func IsRows(head []byte) bool {
	return bytes.HasPrefix(head, fmt.Appendf(nil, `{"format":%q,`, rowsFormat))
}

// ready cuts off what is not in order and makes the file end there.
func (j *journal) ready() error {
	if j.file == nil {
		return nil
	}
	if err := j.file.Truncate(j.end); err != nil {
		return err
	}
	_, err := j.file.Seek(j.end, io.SeekStart)
	return err
}

// append writes a row and syncs it.
func (j *journal) append(r *Row) error {
	if j.file == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}

func (j *journal) close() error {
	var err error
	if j.file != nil {
		err = j.file.Close()
	}
	if j.lock != nil {
		err = errors.Join(err, j.lock.Close())
	}
	return err
}
