package disk

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func ours(head []byte) bool { return bytes.HasPrefix(head, []byte("ours")) }

// Files of others, folders and devices are refused in one line; what is missing,
// empty or ours may be written.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		text    string
		foreign bool
	}{
		"empty": {"", false}, "own": {"ours 1", false}, "long": {"ours" + strings.Repeat("x", 4096), false},
		"other": {"theirs", true}, "short": {"o", true}, "late": {strings.Repeat(" ", headBytes) + "ours", true},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Check(path, "no file of ours", ours); (err != nil) != c.foreign {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Check(filepath.Join(dir, "none"), "no file of ours", ours); err != nil {
		t.Error(err)
	}
	for _, path := range []string{dir, os.DevNull} {
		if err := Check(path, "no file of ours", ours); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A write that fails leaves the file as it was and nothing beside it; one that
// succeeds goes where a symbolic link leads.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(WriteBytes(path, []byte("first")), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write(link, func(w io.Writer) error {
		_, err := io.WriteString(w, "sec")
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) || readText(t, path) != "first" {
		t.Errorf("%v left %q", err, readText(t, path))
	}
	if err := WriteBytes(link, []byte("second")); err != nil || readText(t, path) != "second" {
		t.Errorf("%v left %q", err, readText(t, path))
	}
	if !Same(path, link) || Same(path, dir) || Same(path, filepath.Join(dir, "none")) {
		t.Error("names of one file")
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	if err := Try(path); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("%v, %v", files, err)
	}
	none := filepath.Join(dir, "none", "file")
	for _, err := range []error{Try(none), WriteBytes(none, nil), WriteBytes(filepath.Join(path, "file"), nil)} {
		if err == nil || strings.Contains(err.Error(), ".tmp") || !strings.Contains(err.Error(), "file: ") {
			t.Errorf("a file in a folder that is not there: %v, want its name", err)
		}
	}
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteBytes(folder, nil); err == nil || strings.Contains(err.Error(), ".tmp") ||
		!strings.Contains(err.Error(), folder) {
		t.Errorf("in place of a folder: %v, want its name", err)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
