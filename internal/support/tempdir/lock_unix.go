//go:build unix

package tempdir

import (
	"os"
	"syscall"
)

// hold locks a file for as long as it is open, and fails if it is locked.
func hold(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
