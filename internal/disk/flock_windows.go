package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// The byte that is locked lies far behind the file's end, since Windows keeps
// other processes from reading bytes that are locked.
const lockedHigh = 1 << 30

// tryLock locks an open file, for this process alone or with others that only
// look.
func tryLock(file *os.File, alone bool) error {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if alone {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(file.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockedHigh})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errBusy
	}
	return os.NewSyscallError("LockFileEx", err)
}

// release empties the file and unlocks it. It stays there: under Windows
// another process may have it open.
func release(file *os.File, _ string) error {
	return errors.Join(file.Truncate(0), file.Close())
}
