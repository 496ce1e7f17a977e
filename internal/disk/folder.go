package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotEmpty is wrapped by the error for a place where something is already.
var ErrNotEmpty = errors.New("choose a new or empty folder")

// Folder is a folder that is written as a whole or not at all. Its files are written to a
// temporary folder inside it, and moved up when all are there. It is locked until it is
// closed.
type Folder struct {
	path, temp string
	lock       *Lock
	made       bool     // path did not exist
	moved      []string // of an unfinished Finish
}

// folderTemp starts the name of the temporary folder. No file of the user's begins so.
const folderTemp = ".carozero-tmp-"

// NewFolder makes a folder, or takes an empty one; what a killed process left in it goes.
func NewFolder(path string) (*Folder, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f := &Folder{path: path}
	if err := os.Mkdir(path, 0o777); err == nil {
		f.made = true
	} else if !errors.Is(err, fs.ErrExist) {
		return nil, err
	} else if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is there and is not a folder: %w", path, ErrNotEmpty)
	}
	held, err := LockDir(path)
	if err != nil {
		return nil, err
	}
	f.lock = held
	if err = f.empty(); err == nil {
		f.temp, err = os.MkdirTemp(path, folderTemp)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// empty removes temporary folders, and refuses anything else.
func (f *Folder) empty() error {
	entries, err := os.ReadDir(f.path)
	for _, e := range entries {
		temp := strings.HasPrefix(e.Name(), folderTemp)
		if !temp && e.Name() != dirFile {
			return fmt.Errorf("%s holds %s: %w", f.path, e.Name(), ErrNotEmpty)
		}
		if temp {
			err = errors.Join(err, os.RemoveAll(filepath.Join(f.path, e.Name())))
		}
	}
	return err
}

// Write makes a file, which may be in a folder inside this one, with what write writes.
func (f *Folder) Write(name string, write func(io.Writer) error) (*Digest, error) {
	path, asked, sum := filepath.Join(f.temp, name), filepath.Join(f.path, name), NewDigest()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return sum, err
	}
	file, err := os.Create(path)
	if err != nil {
		return sum, err
	}
	if err = write(io.MultiWriter(named{file, asked}, sum)); err == nil {
		err = about(asked, file.Sync())
	}
	return sum, cmp.Or(err, about(asked, file.Close()))
}

// Finish moves the files to their places, the one named last after all others.
func (f *Folder) Finish(last string) error {
	entries, err := os.ReadDir(f.temp)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if e.Name() != last {
			names = append(names, e.Name())
		}
	}
	if len(names) < len(entries) {
		names = append(names, last)
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(f.temp, name), filepath.Join(f.path, name)); err != nil {
			return err
		}
		f.moved = append(f.moved, name)
	}
	err = errors.Join(os.Remove(f.temp), SyncFolder(f.path))
	f.temp, f.moved, f.made = "", nil, false
	return err
}

// Close unlocks the folder. It removes what was written, unless the folder is finished.
func (f *Folder) Close() error {
	var err error
	for _, name := range f.moved {
		err = errors.Join(err, os.RemoveAll(filepath.Join(f.path, name)))
	}
	if f.temp != "" {
		err = errors.Join(err, os.RemoveAll(f.temp))
	}
	err = errors.Join(err, f.lock.Close())
	if f.made {
		err = errors.Join(err, os.Remove(f.path))
	}
	return err
}
