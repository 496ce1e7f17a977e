package tune

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
	"github.com/carozero/carozero/internal/support/outfile"
)

// ErrJournal is wrapped by the error for a journal that this tuning cannot go on with.
var ErrJournal = errors.New("the journal cannot be continued")

const (
	journalFormat  = "carozero-tune"
	journalVersion = 1

	// maxLine bounds a line of the journal, in bytes.
	maxLine = 1 << 20
)

// header is the first line of a journal: what must be equal for results to belong to
// the same tuning.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Setup   []Item `json:"setup"`
}

// Item is something that a tuning depends on, in words.
type Item struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

// row is a line of the journal after the first: an opening of the match, the digest
// after the last of these, a trial, or a part of the match.
type row struct {
	Opening *Opening `json:"opening,omitempty"`
	Digest  string   `json:"openings_sha256,omitempty"`
	Round   *Round   `json:"round,omitempty"`
	Pairs   *[5]int  `json:"pairs,omitempty"` // of Round, by A's points: 0, 1/2, 1, 3/2, 2
}

// journal is a file of JSON lines in the order of the work, each synced before it is
// counted. Those that are there when it is opened are given out first, so that a
// tuning goes through the same steps whether it is new or resumed. A last line without
// its end was cut off by a crash and is dropped. The zero value keeps nothing.
type journal struct {
	file *os.File
	lock *lock.Lock
	path string
	rows [][]byte // read and not yet given out
	line int      // of the last row given out or written
}

// openJournal opens or makes the journal at path, "" for none. One that holds
// something must be resumed, and belong to the same setup; one that is refused is not
// changed.
func openJournal(path string, resume bool, setup []Item) (*journal, error) {
	j := &journal{path: path, line: 1}
	if path == "" {
		return j, nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: want a file to keep trials in, not a folder or a device", path)
	}
	first, err := json.Marshal(header{journalFormat, journalVersion, setup})
	if err != nil {
		return nil, err
	}
	if j.lock, err = lock.File(path); err != nil {
		return nil, err
	}
	if err := j.open(first, resume, setup); err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, nil
}

// open opens the file, which it makes with its first line if there is none or an empty
// one, and reads it.
func (j *journal) open(first []byte, resume bool, setup []Item) error {
	info, err := os.Stat(j.path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil || info.Size() == 0:
		if err := outfile.WriteBytes(j.path, append(first, '\n')); err != nil {
			return err
		}
	case !resume:
		return fmt.Errorf("%w: %s is there already: resume it, or name another file", ErrJournal, j.path)
	}
	if j.file, err = os.OpenFile(j.path, os.O_RDWR, 0); err != nil {
		return err
	}
	return j.load(setup)
}

// load reads the rows, cuts off a torn last line and leaves the file at its end.
func (j *journal) load(setup []Item) error {
	in := bufio.NewReaderSize(j.file, maxLine)
	var whole int64
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && number > 1:
			if err := j.file.Truncate(whole); err != nil {
				return err
			}
			_, err := j.file.Seek(whole, io.SeekStart)
			return err
		case number == 1:
			err = checkHeader(line, setup)
		case errors.Is(err, bufio.ErrBufferFull):
			err = fmt.Errorf("more than %d bytes: no line of a tuning", maxLine)
		case err == nil:
			j.rows = append(j.rows, bytes.Clone(line))
		}
		if err != nil {
			return fmt.Errorf("%w: %s, line %d: %w", ErrJournal, j.path, number, err)
		}
		whole += int64(len(line))
	}
}

// checkHeader returns an error if the first line is not that of the same setup.
func checkHeader(line []byte, setup []Item) error {
	var found header
	if err := json.Unmarshal(line, &found); err != nil || !bytes.HasSuffix(line, []byte("\n")) || found.Format != journalFormat {
		return errors.New("this is not the journal of a tuning and stays as it is: name another file")
	}
	if found.Version != journalVersion {
		return fmt.Errorf("a journal of version %d, want %d: finish that tuning with the program that began it, or name another file", found.Version, journalVersion)
	}
	for i, want := range setup {
		if i >= len(found.Setup) || found.Setup[i].What != want.What {
			return fmt.Errorf("the journal of another tuning: it has no %s %q; name another file", want.What, want.Value)
		}
		if was := found.Setup[i].Value; was != want.Value {
			return fmt.Errorf("the journal of another tuning: its %s is %q, here %q; name another file", want.What, was, want.Value)
		}
	}
	if len(found.Setup) > len(setup) {
		more := found.Setup[len(setup)]
		return fmt.Errorf("the journal of another tuning: its %s is %q; name another file", more.What, more.Value)
	}
	return nil
}

// next returns the next row that is there, nil if all were given out.
func (j *journal) next() (*row, error) {
	if len(j.rows) == 0 {
		return nil, nil
	}
	j.line++
	var r row
	if err := json.Unmarshal(j.rows[0], &r); err != nil {
		return nil, j.fault(err)
	}
	j.rows = j.rows[1:]
	return &r, nil
}

// finished returns an error if there is more in the journal than was asked for.
func (j *journal) finished() error {
	if len(j.rows) == 0 {
		return nil
	}
	j.line++
	return j.fault(errors.New("the tuning was over before: want no more lines"))
}

// fault says which line is wrong.
func (j *journal) fault(err error) error {
	return fmt.Errorf("%w: %s, line %d: %w", ErrJournal, j.path, j.line, err)
}

// append writes a row and syncs it.
func (j *journal) append(r row) error {
	j.line++
	if j.file == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", j.path, err)
	}
	return nil
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
