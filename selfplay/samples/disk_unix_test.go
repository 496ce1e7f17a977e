//go:build unix

package samples

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe in the place of a file is refused at once: reading it would wait for a writer.
func TestDiskOpensNoPipes(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "run.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (Disk{}).Open(pipe); err == nil || !strings.Contains(err.Error(), "run.json: it is a pipe, want a file") {
		t.Error(err)
	}
}

// A link in the place of a temporary file is replaced, and what it leads to stays.
func TestDiskCreatesThroughNoLink(t *testing.T) {
	dir := t.TempDir()
	target, temp, name := filepath.Join(dir, "mine"), filepath.Join(dir, tempPrefix+"run.json"), filepath.Join(dir, "run.json")
	if err := errors.Join(os.WriteFile(target, []byte("mine"), 0o600), os.Symlink(target, temp)); err != nil {
		t.Fatal(err)
	}
	if err := create(Disk{}, name, func(w io.Writer) error {
		_, err := io.WriteString(w, "the run's")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{target: "mine", name: "the run's"} {
		if data, err := os.ReadFile(path); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		t.Error("the run's file is a link", err)
	}
}
