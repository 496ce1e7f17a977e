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
func LockDir(dir string) (*Lock, error) { return take(dir, filepath.Join(dir, dirFile)) }

// LockFile takes the lock of a file, as LockDir does. The file need not exist, its
// folder must.
func LockFile(path string) (*Lock, error) {
	beside, err := besideOf(path)
	if err != nil {
		return nil, err
	}
	return take(path, beside)
}

// DirHolder returns in words who has the lock of a directory, and false if it is free. It
// keeps a writer waiting for a moment at most.
func DirHolder(dir string) (who string, held bool) {
	file, err := os.Open(filepath.Join(dir, dirFile))
	if err != nil {
		return "", false
	}
	defer file.Close()
	if err := tryLock(file, false); !errors.Is(err, errBusy) {
		return "", false
	}
	return holder(file), true
}

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

// take locks the file at path; what names the locked file or directory in errors.
func take(what, path string) (l *Lock, err error) {
	who := "another process"
	for try := range lockTries {
		if try > 0 {
			time.Sleep(lockPause)
		}
		if l, who, err = attempt(path); !errors.Is(err, errBusy) {
			break
		}
	}
	switch {
	case errors.Is(err, errBusy):
		return nil, fmt.Errorf("%s is %w by %s; wait for it, or choose another", what, ErrHeld, who)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be locked: %w", what, err)
	}
	return l, nil
}

// attempt takes the lock whose file is at path if it is free. The error is errBusy for one
// that who has, or that went away while it was being taken.
func attempt(path string) (l *Lock, who string, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, "", err
	}
	defer func() {
		if l == nil {
			file.Close()
		}
	}()
	switch err := tryLock(file, true); {
	case errors.Is(err, errBusy), err == nil && !current(file, path):
		return nil, holder(file), errBusy
	case err != nil:
		return nil, "", fmt.Errorf("%w: two processes could not be kept apart there, use a folder on a local disk", err)
	}
	if who := holder(file); who != nobody && !strings.HasPrefix(who, lockMark) && !strings.HasPrefix(who, oldLockMark) {
		return nil, "", fmt.Errorf("%s: not the lock of this program; remove it, or choose another name", path)
	}
	host, _ := os.Hostname()
	text := fmt.Sprintf(lockMark+"%d on %s (%s) since %s\n", os.Getpid(), host,
		shown(strings.Join(os.Args, " "), maxCommand), time.Now().UTC().Format("2006-01-02 15:04:05 MST"))
	if err := file.Truncate(0); err != nil {
		return nil, "", err
	}
	if _, err := file.WriteAt([]byte(text), 0); err != nil {
		return nil, "", err
	}
	return &Lock{file, path}, "", nil
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

// Close releases the lock.
func (l *Lock) Close() error { return release(l.file, l.path) }

var errBusy = errors.New("locked by another process") // returned by tryLock

// lockMark begins the file of a lock, oldLockMark that of one that an earlier version left;
// nobody stands for what an empty one names.
const (
	lockMark    = "process "
	oldLockMark = `{"format":"carozero-lock"`
	nobody      = "another process"
)

// Characters that are shown of a command, and of a lock's file.
const (
	maxCommand = 200
	maxHolder  = 500
)

// holder reads from the file of a lock who has it.
func holder(r io.Reader) string {
	data, _ := io.ReadAll(io.LimitReader(r, 4*maxHolder)) // what cannot be read names nobody
	return cmp.Or(shown(strings.Trim(string(data), "\x00\n"), maxHolder), nobody)
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
