package disk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
)

// ErrRefused is wrapped by the error for a file that work cannot go on with.
var ErrRefused = errors.New("stays as it is")

// JournalKind describes the journal of some work.
type JournalKind struct {
	Name    string // what it is, for errors: "the journal of a match"
	Rows    string // what it keeps: "games"
	Format  string // value of "format", the first key of the first line
	Version int    // value of "version", the second one
	MaxLine int    // bytes of a line
	Header  any    // the first line, with what the work depends on; nil: the rows say it themselves
}

// Journal keeps the results of long work in a file of JSON lines, so that work that was
// killed goes on where it stopped. It is locked while it is open. Its first line says to
// which work it belongs: a header, or a row like the others. Each row is one write, synced
// before it counts, so a crash can spoil the last line only; an incomplete one is cut off
// by the next write. It is read to its end before the first Append. The zero value keeps nothing.
type Journal struct {
	kind JournalKind
	path string
	lock *Lock
	file *os.File
	in   *bufio.Reader // nil: everything is read
	line int           // the number of the last line that was read or written
	end  int64         // where that line ends
}

// Open opens the journal at path, or makes it with its header. A file that holds something
// is refused unless it is of this format and version, has this header, and resume is true.
// Path "" means the zero Journal.
func (k JournalKind) Open(path string, resume bool) (*Journal, error) {
	if path == "" {
		return &Journal{}, nil
	}
	var first []byte
	if k.Header != nil {
		var err error
		if first, err = k.encode(k.Header); err != nil {
			return nil, err
		}
	}
	j, err := k.take(path, resume)
	if err != nil {
		return nil, err
	}
	if j.file == nil {
		if err = WriteBytes(path, first); err == nil {
			err = j.open()
		}
	}
	if err == nil && first != nil {
		err = j.passHeader(first)
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// Check returns an error if Open would refuse the path. It changes nothing.
func (k JournalKind) Check(path string, resume bool) error {
	if path == "" {
		return nil
	}
	j, err := k.take(path, resume)
	if err != nil {
		return err
	}
	return j.Close()
}

// take locks the journal at path, and opens it if it holds something.
func (k JournalKind) take(path string, resume bool) (*Journal, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: want a file to keep %s in, not a folder or a device", path, k.Rows)
	}
	held, err := LockFile(path)
	if err != nil {
		return nil, err
	}
	j := &Journal{kind: k, path: path, lock: held}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() == 0:
		return j, nil
	case err == nil:
		if err = j.open(); err == nil {
			err = j.recognise()
		}
	}
	if err == nil && !resume {
		err = fmt.Errorf("%s %w: it holds %s already; resume it, or name another file", path, ErrRefused, k.Rows)
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

func (j *Journal) open() (err error) {
	if j.file, err = os.OpenFile(j.path, os.O_RDWR, 0); err == nil {
		j.in = bufio.NewReaderSize(j.file, j.kind.MaxLine)
	}
	return err
}

// recognise refuses a file whose first line is of another format or version. Without a
// header the line may be cut off, as long as it has both.
func (j *Journal) recognise() error {
	line, err := j.in.ReadSlice('\n')
	torn := errors.Is(err, io.EOF)
	if err != nil && !torn && !errors.Is(err, bufio.ErrBufferFull) {
		return err
	}
	var mark struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	switch own := fmt.Appendf(nil, `{"format":%q,"version":%d,`, j.kind.Format, j.kind.Version); {
	case torn && j.kind.Header == nil && bytes.HasPrefix(line, own):
	case err != nil, json.Unmarshal(line, &mark) != nil, mark.Format != j.kind.Format:
		return j.refuse(1, fmt.Errorf("this is not %s; name another file", j.kind.Name))
	case mark.Version != j.kind.Version:
		return j.refuse(1, fmt.Errorf("%s of version %d, want %d; go on with the program that began it, or name another file",
			j.kind.Name, mark.Version, j.kind.Version))
	}
	j.in.Reset(j.file)
	_, err = j.file.Seek(0, io.SeekStart)
	return err
}

// passHeader reads the first line and refuses the journal of other work.
func (j *Journal) passHeader(want []byte) error {
	line, err := j.nextLine()
	if err != nil || bytes.Equal(line, want) {
		return err
	}
	path, was, here, err := Difference(line, want)
	if err == nil {
		err = fmt.Errorf("%s that depends on something else: %s was %s, here %s; name another file", j.kind.Name, path, was,
			here)
	}
	return j.Refuse(err)
}

// Next reads the next row, a pointer to a zero value; it returns false after the last
// whole line.
func (j *Journal) Next(row any) (bool, error) {
	line, err := j.nextLine()
	if line == nil || err != nil {
		return false, err
	}
	if err := json.Unmarshal(line, row); err != nil {
		return false, j.Refuse(err)
	}
	return true, nil
}

// nextLine returns the next line with its end, nil after the last whole one.
func (j *Journal) nextLine() ([]byte, error) {
	if j.in == nil {
		return nil, nil
	}
	line, err := j.in.ReadSlice('\n')
	if errors.Is(err, io.EOF) {
		j.in = nil
		return nil, nil
	}
	j.line++
	j.end += int64(len(line))
	if errors.Is(err, bufio.ErrBufferFull) {
		err = j.Refuse(fmt.Errorf("more than %d bytes", j.kind.MaxLine))
	}
	return line, err
}

// Refuse returns the error for a journal whose last read line is wrong.
func (j *Journal) Refuse(err error) error { return j.refuse(j.line, err) }

func (j *Journal) refuse(line int, err error) error {
	return fmt.Errorf("%s %w: line %d: %w", j.path, ErrRefused, line, err)
}

// End returns where the last line that was read or written ends.
func (j *Journal) End() int64 { return j.end }

// DropAfter has the next Append overwrite everything behind an end.
func (j *Journal) DropAfter(end int64) { j.end = end }

// Append cuts off what lies behind the last line, writes a row there, and syncs it.
func (j *Journal) Append(row any) error {
	if j.file == nil {
		return nil
	}
	line, err := j.kind.encode(row)
	if err == nil {
		err = j.file.Truncate(j.end)
	}
	if err == nil {
		_, err = j.file.WriteAt(line, j.end)
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return err
	}
	j.line++
	j.end += int64(len(line))
	return nil
}

// Close closes the file and releases the lock.
func (j *Journal) Close() error {
	var err error
	if j.file != nil {
		err = j.file.Close()
	}
	if j.lock != nil {
		err = errors.Join(err, j.lock.Close())
	}
	return err
}

// encode returns a value as a line.
func (k JournalKind) encode(value any) ([]byte, error) {
	line, err := json.Marshal(value)
	if err == nil && len(line) >= k.MaxLine {
		err = fmt.Errorf("%d bytes to keep %s: want fewer than %d", len(line), k.Rows, k.MaxLine)
	}
	return append(line, '\n'), err
}

// Difference returns the path of the first value that differs between two JSON texts, "" if
// none does, and the values there in words: players[1].name, "a" and "b". Keys are in
// alphabetical order.
func Difference(a, b []byte) (path, inA, inB string, err error) {
	var values [2]any
	for i, text := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			return "", "", "", err
		}
	}
	path, x, y := difference("", values[0], values[1])
	return shown(path, maxCommand), valueText(x), valueText(y), nil
}

// absent stands for a missing value.
type absent struct{}

// difference returns the path of the first difference between two values at a path, and
// what is there in each.
func difference(path string, a, b any) (at string, inA, inB any) {
	x, y := members(a), members(b)
	if x == nil || y == nil {
		if reflect.DeepEqual(a, b) {
			return "", nil, nil
		}
		return path, a, b
	}
	keys := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		at, inA, inB = difference(strings.TrimPrefix(path+key, "."), member(x, key), member(y, key))
		if at != "" {
			break
		}
	}
	return at, inA, inB
}

// members returns what a map or list holds by the step that leads there, nil for other values.
func members(v any) (m map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		m = map[string]any{}
		for key, value := range v {
			m["."+key] = value
		}
	case []any:
		m = map[string]any{}
		for i, value := range v {
			m[fmt.Sprintf("[%d]", i)] = value
		}
	}
	return m
}

func member(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

// valueText returns a value as a message shows it.
func valueText(v any) string {
	switch v := v.(type) {
	case absent:
		return "absent"
	case string:
		return fmt.Sprintf("%.80q", v)
	}
	text, _ := json.Marshal(v) // it comes from JSON
	return shown(string(text), maxCommand)
}
