// Package tempdir provides temporary folders that do not outlive the program
// for long: before making one, a process removes those left by killed
// processes. Each process locks a file in its folder; the system releases the
// lock when the process ends, however it ends.
package tempdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// prefix begins the names of all folders, lockName is the file that each holds.
const (
	prefix   = "carozero-scratch-"
	lockName = ".lock"
)

// unlockedAge is how old a folder without a lock must be to be taken for one
// that a process has left between making it and locking it.
const unlockedAge = time.Hour

// Dir is a temporary folder. It belongs to this process until Remove.
type Dir struct {
	Path string
	lock *os.File
}

// New makes an empty folder in the system's one for temporary files and removes
// what dead processes have left there.
func New() (*Dir, error) { return newIn(os.TempDir(), time.Now()) }

func newIn(parent string, now time.Time) (*Dir, error) {
	sweep(parent, now)
	path, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, fmt.Errorf("temporary folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		if err = hold(lock); err != nil {
			err = errors.Join(err, lock.Close())
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("temporary folder: %w", err), os.RemoveAll(path))
	}
	return &Dir{Path: path, lock: lock}, nil
}

// Join returns the path of a name in the folder.
func (d *Dir) Join(name string) string { return filepath.Join(d.Path, name) }

// Remove removes the folder with all that is in it.
func (d *Dir) Remove() error {
	err := d.lock.Close()
	return errors.Join(err, os.RemoveAll(d.Path))
}

// sweep removes the folders of dead processes, as far as this process may. It
// is a courtesy: what it cannot remove stays.
func sweep(parent string, now time.Time) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if path := filepath.Join(parent, e.Name()); left(path, now) {
			_ = os.RemoveAll(path)
		}
	}
}

// left reports whether the process that made a folder is dead.
func left(path string, now time.Time) bool {
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		info, err := os.Lstat(path)
		return err == nil && now.Sub(info.ModTime()) > unlockedAge
	}
	if err != nil {
		return false
	}
	defer lock.Close()
	return hold(lock) == nil
}
