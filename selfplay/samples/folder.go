package samples

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNotEmpty is wrapped by OpenFolder's error for a folder that holds something.
var ErrNotEmpty = errors.New("choose a new or empty folder")

// Folder is a folder that is written once and completely. Its contents count only when
// its last file exists; until then it holds that file's temporary name, which marks an
// unfinished folder that may be overwritten. It belongs to one goroutine and locks the
// folder until it is closed.
type Folder struct {
	files FS
	lock  io.Closer
	dir   string
	last  string
	wrote []string
}

// OpenFolder makes or opens a folder, which must be empty except for the files of an
// unfinished one of the same kind. last is the name of the last file; own recognises the
// names of the others.
func OpenFolder(files FS, dir, last string, own func(name string) bool) (*Folder, error) {
	if err := files.MkdirAll(dir); err != nil {
		return nil, err
	}
	held, err := files.Lock(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{files: files, lock: held, dir: dir, last: last}
	if err := f.begin(own); err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return f, nil
}

// lockName is the file of a folder's lock.
const lockName = "run.lock"

// begin removes what an unfinished folder holds and marks it as one.
func (f *Folder) begin(own func(string) bool) error {
	names, err := f.files.List(f.dir)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == lockName })
	marker := tempPrefix + f.last
	unfinished := slices.Contains(names, marker)
	for _, name := range names {
		if !unfinished || !own(name) && !strings.HasPrefix(name, tempPrefix) {
			return fmt.Errorf("%s holds %s: %w", f.dir, name, ErrNotEmpty)
		}
	}
	for _, name := range names {
		if name != marker {
			if err := f.files.Remove(f.path(name)); err != nil {
				return err
			}
		}
	}
	m, err := f.files.Create(f.path(marker))
	if err != nil {
		return err
	}
	if err := cmp.Or(m.Sync(), m.Close()); err != nil {
		return err
	}
	return f.files.SyncDir(f.dir)
}

func (f *Folder) path(name string) string { return filepath.Join(f.dir, name) }

// Written is the size and digest of a written file.
type Written struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Write makes a file with the content that write writes.
func (f *Folder) Write(name string, write func(io.Writer) error) (Written, error) {
	sum, count := sha256.New(), &counter{}
	f.wrote = append(f.wrote, name)
	err := create(f.files, f.path(name), func(w io.Writer) error { return write(io.MultiWriter(w, sum, count)) })
	return Written{count.n, hex.EncodeToString(sum.Sum(nil))}, err
}

// Finish makes the last file, which completes the folder.
func (f *Folder) Finish(write func(io.Writer) error) error {
	if err := create(f.files, f.path(f.last), write); err != nil {
		return err
	}
	f.wrote, f.last = nil, ""
	return nil
}

// Close unlocks the folder. It removes the files of an unfinished folder as far as
// possible, the last file first, so that it never names missing files.
func (f *Folder) Close() error {
	if f.last == "" {
		return f.lock.Close()
	}
	if err := f.files.Remove(f.path(f.last)); err == nil || errors.Is(err, fs.ErrNotExist) {
		for _, name := range f.wrote {
			_ = f.files.Remove(f.path(name))
			_ = f.files.Remove(f.path(tempPrefix + name))
		}
		_ = f.files.Remove(f.path(tempPrefix + f.last)) // last: without it the folder would not be known
	}
	return f.lock.Close()
}
