package samples

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var errFault = errors.New("no space left on device")

// faultyDisk changes files, unsynced, until a change fails, and all after it.
type faultyDisk struct {
	steps, failAt int // changes so far; the one that fails, 0: none
	kind          crash
}

// crash says what is left of what was being written.
type crash int

const (
	loseAll    crash = iota // nothing
	loseHalf                // half of it
	zeroData                // its place, filled with zeros
	crashKinds = 3
)

// fails counts a change and reports whether it fails.
func (d *faultyDisk) fails() bool {
	d.steps++
	return d.failAt > 0 && d.steps >= d.failAt
}

// left returns what is left of data.
func (d *faultyDisk) left(data []byte) []byte {
	return map[crash][]byte{loseAll: nil, loseHalf: data[:len(data)/2], zeroData: make([]byte, len(data))}[d.kind]
}

func (d *faultyDisk) Write(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if d.fails() {
		return errors.Join(errFault, os.WriteFile(path+".1.tmp", d.left(b.Bytes()), 0o666))
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

func (d *faultyDisk) Append(path string, data []byte) error {
	var fault error
	if d.fails() {
		fault, data = errFault, d.left(data)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Close())
	}
	return errors.Join(fault, err)
}

func (d *faultyDisk) Truncate(path string, size int64) error {
	if d.fails() {
		return errFault
	}
	return os.Truncate(path, size)
}

func (d *faultyDisk) Remove(path string) error {
	if d.fails() {
		return errFault
	}
	return os.Remove(path)
}

// contents returns the files below a directory by their paths.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path] = read(t, dir, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func read(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// replace changes a text in a file.
func replace(t testing.TB, dir, name, from, to string) {
	t.Helper()
	text := read(t, dir, name)
	if !strings.Contains(text, from) {
		t.Fatalf("no %s in %s", from, text)
	}
	write(t, dir, name, strings.Replace(text, from, to, 1))
}

// flipBit changes a bit in the middle of a file.
func flipBit(t testing.TB, dir, name string) {
	t.Helper()
	data := []byte(read(t, dir, name))
	data[len(data)/2] ^= 1
	write(t, dir, name, string(data))
}

// Data on the real disk is appended, and cut.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	if err := errors.Join(Disk{}.Append(path, []byte("one")), Disk{}.Append(path, []byte("two")), Disk{}.Truncate(path,
		4)); err != nil {
		t.Fatal(err)
	}
	if text := read(t, dir, "x"); text != "onet" {
		t.Errorf("%q", text)
	}
}
