package lock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrHeld is wrapped by the error for a lock that another process has.
var ErrHeld = errors.New("in use")

// Lock is a lock that this process has.
type Lock struct {
	file *os.File
	path string
}

// dirFile is the name of a directory's lock, suffix what the name of a file's
// ends in.
const (
	dirFile = "run.lock"
	suffix  = ".lock"
)

// Dir takes the lock of a directory, which must exist. It does not wait for
// another process: that one is named in an error that wraps [ErrHeld].
func Dir(dir string) (*Lock, error) { return take(dir, filepath.Join(dir, dirFile), tryLock) }

// File takes the lock of a file, as Dir does. The file need not exist, its
// folder must.
func File(path string) (*Lock, error) {
	beside, err := besideOf(path)
	if err != nil {
		return nil, err
	}
	return take(path, beside, tryLock)
}

// DirHolder returns who has the lock of a directory, and false if it is free. It keeps a
// writer waiting for a moment at most.
func DirHolder(dir string) (Holder, bool) { return probe(filepath.Join(dir, dirFile)) }

// besideOf returns the file of a file's lock.
func besideOf(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		dir, dirErr := filepath.EvalSymlinks(filepath.Dir(path))
		target, err = filepath.Join(dir, filepath.Base(path)), dirErr
	}
	return target + suffix, err
}

// A probe, and a process that is just ending, have a lock for a moment only, so take tries
// again before it gives up.
const (
	tries = 10
	pause = 20 * time.Millisecond
)

// locker locks an open file, for this process alone or with others that only
// look. It does not wait: where another has the lock it returns errBusy.
type locker func(file *os.File, alone bool) error

// take locks the file at path; what names the locked file or directory in errors.
func take(what, path string, lock locker) (l *Lock, err error) {
	var busy *busyError
	for try := range tries {
		if try > 0 {
			time.Sleep(pause)
		}
		if l, err = attempt(path, lock); !errors.As(err, &busy) {
			break
		}
	}
	switch {
	case errors.As(err, &busy):
		return nil, fmt.Errorf("%s is %w by %v; wait for it, or choose another", what, ErrHeld, busy.holder)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be locked: %w", what, err)
	}
	return l, nil
}

// busyError is the error for a lock that another process has, or that went
// away while it was being taken.
type busyError struct{ holder Holder }

func (*busyError) Error() string { return errBusy.Error() }

// attempt takes the lock whose file is at path if it is free.
func attempt(path string, lock locker) (l *Lock, err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, errForeign)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	defer func() {
		if l == nil {
			file.Close()
		}
	}()
	locked := lock(file, true)
	if locked != nil && !errors.Is(locked, errBusy) {
		return nil, fmt.Errorf("%w: two processes could not be kept apart there, use a folder on a local disk", locked)
	}
	holder, err := readHolder(file)
	switch {
	case locked != nil:
		return nil, &busyError{holder}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case !current(file, path):
		return nil, &busyError{}
	}
	if err := self().write(file); err != nil {
		return nil, err
	}
	return &Lock{file, path}, nil
}

// current reports whether path still names the open file: a process that
// releases a lock removes its file, and a lock on a removed file does not
// count.
func current(file *os.File, path string) bool {
	open, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(open, there)
}

// probe returns who has the lock whose file is at path.
func probe(path string) (Holder, bool) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return Holder{}, false
	}
	file, err := os.Open(path)
	if err != nil {
		return Holder{}, false
	}
	defer file.Close()
	if err := tryLock(file, false); !errors.Is(err, errBusy) {
		return Holder{}, false
	}
	h, err := readHolder(file)
	return h, err == nil
}

// Close releases the lock.
func (l *Lock) Close() error { return release(l.file, l.path) }

var (
	errBusy    = errors.New("locked by another process") // returned by tryLock
	errForeign = errors.New("not the lock of this program; remove it, or choose another name")
)
