//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks an open file, for this process alone or with others that only
// look. The system releases it with the file's last descriptor, which programs that
// this one starts do not inherit.
func tryLock(file *os.File, alone bool) error {
	how := unix.LOCK_SH
	if alone {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(file.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errBusy
		case err != nil:
			return os.NewSyscallError("flock", err)
		default:
			return nil
		}
	}
}

// release removes the file, still locked, and then unlocks it.
func release(file *os.File, path string) error {
	return errors.Join(os.Remove(path), file.Close())
}
