package crosscheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// rowsFormat and rowsFileVersion stand at the start of every row, so that a
// file of rows is recognised by its first line, which is a row like the others.
const (
	rowsFormat      = "carozero-crosscheck"
	rowsFileVersion = 1
)

// errNotRows is the error for a file that is not ours.
var errNotRows = errors.New("this is not a file of rows and stays as it is: name another file")

// rowStart is how a row of a run begins.
func rowStart(run string) []byte {
	return fmt.Appendf(nil, `{"format":%q,"version":%d,"run":%q,`, rowsFormat, rowsFileVersion, run)
}

// checkOwn returns an error unless the file at path begins with a row, or with
// the beginning of one that was cut off.
func checkOwn(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	line := make([]byte, maxRow)
	n, err := io.ReadFull(file, line)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	line, _, whole := bytes.Cut(line[:n], []byte("\n"))
	if err := recognise(line, whole); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrRows, path, err)
	}
	return nil
}

// recognise checks the format and the version of a first line.
func recognise(line []byte, whole bool) error {
	var found struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if !whole {
		// A row begins with its format, version and run; of the run's
		// fingerprint the length counts, its value is compared later.
		start := rowStart("0000000000000000")
		if len(line) < len(start) || !bytes.HasPrefix(line, start[:bytes.IndexByte(start, '0')]) {
			return errNotRows
		}
		return nil
	}
	if json.Unmarshal(line, &found) != nil || found.Format != rowsFormat {
		return errNotRows
	}
	if found.Version != rowsFileVersion {
		return fmt.Errorf("rows of version %d, want %d: go on with the program that began them, or name another file", found.Version, rowsFileVersion)
	}
	return nil
}
