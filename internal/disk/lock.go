package disk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// ErrHeld is wrapped by the error for a lock that another process has.
var ErrHeld = errors.New("in use")

// Lock is a lock of the operating system on a small file: flock on Linux,
// macOS and the BSDs, LockFileEx on Windows. The system releases it when the
// process that has it ends, however it ends, so a lock never has to be removed by
// hand. The file names that process for the error message of the second one; its
// content is not used otherwise, and a file that is not locked has no meaning.
//
// The lock of a directory is a file inside it, so it is the same under every name
// of the directory. The lock of a file lies beside it, beside the target of symbolic
// links; each hard link of a file has a lock of its own.
type Lock struct {
	file *os.File
	path string
}

// dirFile is the name of a directory's lock, lockSuffix what the name of a file's
// ends in.
const (
	dirFile    = "run.lock"
	lockSuffix = ".lock"
)

// LockDir takes the lock of a directory, which must exist. It does not wait for
// another process: that one is named in an error that wraps [ErrHeld].
func LockDir(dir string) (*Lock, error) { return take(dir, filepath.Join(dir, dirFile), tryLock) }

// LockFile takes the lock of a file, as LockDir does. The file need not exist, its
// folder must.
func LockFile(path string) (*Lock, error) {
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
	return target + lockSuffix, err
}

// A probe, and a process that is just ending, have a lock for a moment only, so take lockTries
// again before it gives up.
const (
	lockTries = 10
	lockPause = 20 * time.Millisecond
)

// locker locks an open file, for this process alone or with others that only
// look. It does not wait: where another has the lock it returns errBusy.
type locker func(file *os.File, alone bool) error

// take locks the file at path; what names the locked file or directory in errors.
func take(what, path string, lock locker) (l *Lock, err error) {
	var busy *busyError
	for try := range lockTries {
		if try > 0 {
			time.Sleep(lockPause)
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

// Holder says which process has a lock.
type Holder struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Command string    `json:"command"` // with its arguments
	Since   time.Time `json:"since"`
}

// lockFormat and lockVersion mark the file of a lock.
const (
	lockFormat  = "carozero-lock"
	lockVersion = 1
)

// Bounds on what is written and shown of a holder.
const (
	maxCommand = 200     // characters
	maxHost    = 80      // characters
	maxHolder  = 4 << 10 // bytes of the file
)

// self returns this process as a holder from now on.
func self() Holder {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return Holder{
		Format: lockFormat, Version: lockVersion,
		PID: os.Getpid(), Host: shown(host, maxHost),
		Command: shown(strings.Join(os.Args, " "), maxCommand), Since: time.Now().UTC().Truncate(time.Second),
	}
}

// write replaces the content of a lock's file.
func (h Holder) write(file *os.File) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err = file.WriteAt(append(text, '\n'), 0)
	return err
}

// readHolder reads the file of a lock. An empty one, and one of zeros as a power failure may
// leave it, is the zero Holder; any other content is an error.
func readHolder(r io.Reader) (h Holder, err error) {
	text, err := io.ReadAll(io.LimitReader(r, maxHolder))
	if err != nil {
		return h, err
	}
	if text = bytes.Trim(text, "\x00"); len(text) == 0 {
		return h, nil
	}
	if err := json.Unmarshal(text, &h); err != nil || h.Format != lockFormat {
		return Holder{}, errForeign
	}
	h.Host, h.Command = shown(h.Host, maxHost), shown(h.Command, maxCommand)
	return h, nil
}

// String says in words who has the lock; the zero Holder is "another process".
func (h Holder) String() string {
	if h.PID <= 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s (%s) since %s",
		h.PID, cmp.Or(h.Host, "unknown host"), cmp.Or(h.Command, "unknown command"),
		h.Since.UTC().Format("2006-01-02 15:04:05 MST"))
}

// shown returns a text as one line of at most limit characters, safe to print on a terminal.
func shown(text string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n == limit {
			return b.String() + "..."
		}
		if !unicode.IsPrint(r) {
			r = ' '
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
