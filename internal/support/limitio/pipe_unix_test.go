//go:build unix

package limitio

import "syscall"

// makePipe makes a named pipe that nobody writes to.
func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }
