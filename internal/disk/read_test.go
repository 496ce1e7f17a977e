package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// endless is a reader without an end, which counts what was taken.
type endless struct{ taken int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.taken += int64(len(p))
	return len(p), nil
}

// A file that says by its size that it is too large is not read.
func TestReadFileTakesWhatFits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int64]error{2: ErrTooLarge, 3: nil, 1 << 40: nil, 0: ErrTooLarge} {
		data, err := ReadFile(path, most)
		if !errors.Is(err, want) || err == nil && string(data) != "abc" {
			t.Errorf("at most %d: %q, %v, want %v", most, data, err, want)
		}
	}
	if err := os.Truncate(path, 6<<30); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path, 1<<20); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("a sparse file: %v", err)
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := makePipe(pipe); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir: "a folder", pipe: "want a file", os.DevNull: "a device",
		filepath.Join(dir, "none"): fs.ErrNotExist.Error()} {
		_, err := ReadFile(path, 10)
		if err == nil || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), dir) ||
			!strings.Contains(err.Error(), want) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want %v without the path", path, err, want)
		}
	}
}

func TestReadAllStopsAtTheLimit(t *testing.T) {
	var e endless
	if _, err := ReadAll(&e, 1000); !errors.Is(err, ErrTooLarge) || e.taken > 2000 {
		t.Errorf("%d bytes taken, error %v", e.taken, err)
	}
	if data, err := ReadAll(strings.NewReader("abcd"), 4); err != nil || string(data) != "abcd" {
		t.Errorf("%q, %v", data, err)
	}
	var more endless
	l := NewLines(&more, 100, 4)
	if _, ok := l.Next(); ok || !errors.Is(l.Err(), ErrTooLarge) || more.taken > 10_000 {
		t.Errorf("lines: %d bytes taken, %v", more.taken, l.Err())
	}
}

func TestLimit(t *testing.T) {
	for most, want := range map[int64]error{0: ErrTooLarge, 3: ErrTooLarge, 4: nil, 5: nil, 1 << 40: nil} {
		data, err := io.ReadAll(Limit(iotest.OneByteReader(strings.NewReader("abcd")), most))
		whole, wholeErr := io.ReadAll(Limit(strings.NewReader("abcd"), most))
		if !errors.Is(err, want) || string(data) != "abcd"[:min(4, most)] || string(whole) != string(data) ||
			!errors.Is(wholeErr, want) {
			t.Errorf("at most %d: %q, %v and %q, %v, want %v", most, data, err, whole, wholeErr, want)
		}
	}
	var e endless
	if n, err := io.Copy(io.Discard, Limit(&e, 1<<20)); n != 1<<20 || !errors.Is(err, ErrTooLarge) || e.taken > 1<<20+1 {
		t.Errorf("%d bytes of %d taken, %v", n, e.taken, err)
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   string // lines joined
		number int
		err    error
	}{
		{"", "", 0, nil},
		{"a\nbb\r\n\nccc", "a|bb||ccc", 4, nil},
		{"12345\r\n1", "12345|1", 2, nil},
		{"a\n123456", "a", 1, ErrTooLarge},
		{"1\n2\n3\n4\n5\n", "1|2|3|4", 4, ErrTooLarge},
		{"1\n2\n3\n4\n", "1|2|3|4", 4, nil},
	} {
		l := NewLines(strings.NewReader(c.text), 5, 4)
		var got []string
		for text, ok := l.Next(); ok; text, ok = l.Next() {
			got = append(got, text)
		}
		if strings.Join(got, "|") != c.want || l.Number() != c.number || !errors.Is(l.Err(), c.err) {
			t.Errorf("%q: %q, line %d, %v", c.text, got, l.Number(), l.Err())
		}
	}
}

// A byte-order mark begins no text, however its bytes come in; other bytes stay.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"\ufeffabc": "abc", "\ufeff": "", "a\ufeff": "a\ufeff", "\xef\xbb": "\xef\xbb", "": "", "\ufeff\ufeff": "\ufeff",
	} {
		for _, in := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			if got, err := io.ReadAll(Text(in)); err != nil || string(got) != want {
				t.Errorf("%q is read as %q, %v", text, got, err)
			}
		}
		path := filepath.Join(t.TempDir(), "text")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadText(path, 100); err != nil || string(got) != want {
			t.Errorf("%q is read from a file as %q, %v", text, got, err)
		}
	}
}

func TestAbout(t *testing.T) {
	write := &fs.PathError{Op: "write", Path: "out", Err: errors.New("no space left on device")}
	read := &fs.PathError{Op: "read", Path: "in", Err: errors.New("input/output error")}
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("odd"), "in: odd"},
		{fmt.Errorf("planes: %w", write), "write out: no space left on device"},
		{read, "in: input/output error"},
	} {
		if got := About("in", c.err).Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
