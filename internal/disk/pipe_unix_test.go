//go:build unix

package disk

import "syscall"

// makePipe makes a named pipe without a writer.
func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }
