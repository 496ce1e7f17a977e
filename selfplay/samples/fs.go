package samples

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/internal/support/lock"
)

// FS is what a run needs of a file system. Names are paths.
type FS interface {
	// MkdirAll makes a directory and its parents.
	MkdirAll(dir string) error
	// List returns the names of a directory's entries, sorted.
	List(dir string) ([]string, error)
	// Open opens a regular file for reading.
	Open(name string) (io.ReadCloser, error)
	// Size returns the length of a file.
	Size(name string) (int64, error)
	// Create opens a file for writing and empties it.
	Create(name string) (File, error)
	// Append opens a file for writing at its end and creates it if need be.
	Append(name string) (File, error)
	// Truncate cuts a file to size bytes and syncs it.
	Truncate(name string, size int64) error
	// Rename replaces the file to by the file from.
	Rename(from, to string) error
	// Remove deletes a file.
	Remove(name string) error
	// SyncDir makes what was created and renamed in a directory durable.
	SyncDir(dir string) error
	// Lock keeps other processes from writing in a directory until it is
	// closed or this process ends. It does not wait.
	Lock(dir string) (io.Closer, error)
	// Holder describes the process that holds the lock of a directory, "" if none
	// does.
	Holder(dir string) string
}

// File is a file open for writing.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// Disk is the operating system's file system.
type Disk struct{}

var _ FS = Disk{}

// MkdirAll implements [FS].
func (Disk) MkdirAll(dir string) error { return os.MkdirAll(dir, 0o777) }

// List implements [FS].
func (Disk) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, notThere(err)
}

// Open implements [FS].
func (Disk) Open(name string) (io.ReadCloser, error) {
	f, err := limitio.Open(name)
	if err != nil {
		return nil, notThere(&fs.PathError{Op: "open", Path: name, Err: err})
	}
	return f, nil
}

// notThere makes err wrap [fs.ErrNotExist] if a path has a file in place of a directory.
func notThere(err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}

// Size implements [FS].
func (Disk) Size(name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Create implements [FS]. A link is replaced: what it leads to is not ours.
func (Disk) Create(name string) (File, error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	return os.Create(name)
}

// Append implements [FS].
func (Disk) Append(name string) (File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
}

// Truncate implements [FS].
func (Disk) Truncate(name string, size int64) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return cmp.Or(f.Truncate(size), f.Sync(), f.Close())
}

// Rename implements [FS].
func (Disk) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements [FS].
func (Disk) Remove(name string) error { return os.Remove(name) }

// SyncDir implements [FS]. Windows keeps no directory handles to sync and
// needs none.
func (Disk) SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return cmp.Or(f.Sync(), f.Close())
}

// Lock implements [FS].
func (Disk) Lock(dir string) (io.Closer, error) { return lock.Dir(dir) }

// Holder implements [FS].
func (Disk) Holder(dir string) string {
	if h, held := lock.DirHolder(dir); held {
		return h.String()
	}
	return ""
}

// create writes a file atomically: it writes and syncs a temporary file, renames it, and
// syncs the directory. After a crash name has its old or its new content.
func create(fs FS, name string, write func(io.Writer) error) error {
	temp := filepath.Join(filepath.Dir(name), tempPrefix+filepath.Base(name))
	f, err := fs.Create(temp)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err := cmp.Or(err, f.Close()); err != nil {
		return err
	}
	if err := fs.Rename(temp, name); err != nil {
		return err
	}
	return fs.SyncDir(filepath.Dir(name))
}

// tempPrefix starts the names of files that are not finished.
const tempPrefix = ".tmp-"

// appendTo writes data at the end of a file and syncs it, and the directory if
// the file is new.
func appendTo(fs FS, name string, data []byte, isNew bool) error {
	f, err := fs.Append(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if err == nil && isNew {
		err = fs.SyncDir(filepath.Dir(name))
	}
	return err
}
