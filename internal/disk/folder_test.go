package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A folder is there as a whole or not at all, and nothing else goes: neither what was there,
// nor what another process writes.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	fill := func(path string, fail bool) error {
		f, err := NewFolder(path)
		if err != nil {
			return err
		}
		if _, err := NewFolder(path); !errors.Is(err, ErrHeld) {
			t.Errorf("%s twice: %v", path, err)
		}
		for _, name := range []string{"last", "in/a"} {
			sum, err := f.Write(name, func(w io.Writer) error {
				_, err := io.WriteString(w, "abc")
				if fail && name == "in/a" {
					err = io.ErrShortWrite
				}
				return err
			})
			if err != nil {
				return errors.Join(err, f.Close())
			}
			if sum.Bytes != 3 || sum.SHA256()[:8] != "ba7816bf" {
				t.Errorf("%d bytes, %s", sum.Bytes, sum.SHA256())
			}
		}
		return errors.Join(f.Finish("last"), f.Close())
	}
	if err := errors.Join(os.Mkdir(at("empty"), 0o777), os.WriteFile(at("file"), nil, 0o666),
		os.MkdirAll(at("killed/.carozero-tmp-1/in"), 0o777), os.MkdirAll(at("full/mine"), 0o777),
		os.MkdirAll(at("hidden/.tmp-mine"), 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"new", "deep/new", "empty", "killed"} {
		if err := fill(at(name), true); !errors.Is(err, io.ErrShortWrite) {
			t.Error(name, err)
		}
		if left, _ := os.ReadDir(at(name)); len(left) > 0 {
			t.Errorf("%v are left in %s", left, name)
		}
		if _, err := os.Stat(at(name)); (err == nil) != (name == "empty" || name == "killed") {
			t.Error(name, err)
		}
		if err := fill(at(name), false); err != nil {
			t.Error(name, err)
		}
		if left, _ := os.ReadDir(at(name)); len(left) != 2 || left[0].Name() != "in" || left[1].Name() != "last" {
			t.Errorf("%s holds %v", name, left)
		}
	}
	for _, name := range []string{"new", "file", "full", "hidden"} {
		if err := fill(at(name), false); !errors.Is(err, ErrNotEmpty) {
			t.Error(name, err)
		}
	}
	if _, err := os.Stat(at("hidden/.tmp-mine")); err != nil {
		t.Error("what the user keeps in a folder is gone:", err)
	}
}
