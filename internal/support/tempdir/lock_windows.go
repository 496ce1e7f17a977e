package tempdir

import (
	"os"

	"golang.org/x/sys/windows"
)

// hold locks a file for as long as it is open, and fails if it is locked.
func hold(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
}
