package arena

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/support/lock"
	"github.com/carozero/carozero/internal/support/outfile"
)

// journal is a file of JSON lines: a header that tells which match it belongs
// to, then one line a finished game in the order in which they ended, each
// synced before it is counted. An incomplete last line, left by a crash, is
// dropped. The zero value writes nothing.
//
// The file is locked while it is open. A new file gets its header at once, so
// a file whose first line is not a header is not a journal and is not touched.
type journal struct {
	file     *os.File
	lock     *lock.Lock
	notation game.Notation
}

// maxLine bounds a line of the journal, in bytes.
const maxLine = 1 << 20

// openJournal opens or creates the match's journal and returns the games in
// it by number.
func (m *Match) openJournal() (j *journal, finished map[int]*Result, err error) {
	path := m.opts.Journal
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("journal %s: want a file to keep games in, not a folder or a device", path)
	}
	want, err := m.header()
	if err != nil {
		return nil, nil, err
	}
	j = &journal{notation: m.opts.Notation}
	if j.lock, err = lock.File(path); err != nil {
		return nil, nil, fmt.Errorf("journal %w", err)
	}
	if j.file, err = openOwn(path, want); err == nil {
		finished, err = j.load(m, want)
	}
	if err != nil {
		j.close()
		return nil, nil, fmt.Errorf("journal %s: %w", path, err)
	}
	return j, finished, nil
}

// openOwn opens the journal at path, which it makes with its header if there is
// none or an empty file.
func openOwn(path string, want header) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil || info.Size() == 0:
		line, err := want.line()
		if err != nil {
			return nil, err
		}
		if err := outfile.WriteBytes(path, line); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_RDWR, 0)
}

// load reads the file, which must begin with the header of the same match, cuts
// off a torn last line, and leaves the file at its end. A file that is refused
// is not changed.
func (j *journal) load(m *Match, want header) (map[int]*Result, error) {
	in := bufio.NewReaderSize(j.file, maxLine)
	finished := map[int]*Result{}
	var whole int64
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, io.EOF) && number > 1 {
			return finished, j.endAt(whole, len(line) > 0)
		}
		text := bytes.TrimSuffix(line, []byte("\n"))
		switch {
		case number == 1 && (err == nil || errors.Is(err, io.EOF) || errors.Is(err, bufio.ErrBufferFull)):
			err = checkHeader(text, want)
		case errors.Is(err, bufio.ErrBufferFull):
			err = fmt.Errorf("more than %d bytes: not a game", maxLine)
		case err == nil && len(text) > 0:
			err = j.read(text, m, finished)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		whole += int64(len(line))
		if number == 1 && len(text) == len(line) {
			return finished, j.endHeader(whole)
		}
	}
}

// endHeader ends a header of this many bytes with a newline.
func (j *journal) endHeader(bytes int64) error {
	if _, err := j.file.WriteAt([]byte("\n"), bytes); err != nil {
		return err
	}
	return j.endAt(bytes+1, false)
}

// endAt seeks to the end of the file, after cutting off a torn last line.
func (j *journal) endAt(whole int64, torn bool) error {
	if torn {
		if err := j.file.Truncate(whole); err != nil {
			return err
		}
	}
	_, err := j.file.Seek(whole, io.SeekStart)
	return err
}

// read checks one game by the schedule and the rules, and enters it in
// finished unless it lies beyond the match's end.
func (j *journal) read(line []byte, m *Match, finished map[int]*Result) error {
	var r row
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	result, err := r.result(j.notation)
	if err != nil {
		return err
	}
	if r.Game >= m.schedule.total() {
		return nil
	}
	if _, twice := finished[r.Game]; twice || r.Game < 0 {
		return fmt.Errorf("game %d is there twice, or is none", r.Game)
	}
	if want := m.schedule.at(r.Game).players; r.Players != want {
		return fmt.Errorf("game %d has the players %v, here %v", r.Game, r.Players, want)
	}
	if err := result.verify(m.opts.Start); err != nil {
		return fmt.Errorf("game %d: %w", r.Game, err)
	}
	finished[r.Game] = result
	return nil
}

// append writes a finished game and syncs it.
func (j *journal) append(result *Result) error {
	if j.file == nil {
		return nil
	}
	if err := j.write(newRow(result, j.notation)); err != nil {
		return fmt.Errorf("journal %s: %w", j.file.Name(), err)
	}
	return nil
}

func (j *journal) write(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}

func (j *journal) close() {
	if j.file != nil {
		j.file.Close()
	}
	if j.lock != nil {
		j.lock.Close()
	}
}
