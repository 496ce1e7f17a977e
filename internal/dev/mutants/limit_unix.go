//go:build linux || darwin

package main

import (
	"os"
	"runtime"
	"syscall"
)

// limited becomes a program that may take so many bytes of memory, bytes in a file and
// seconds of processor time, after which the system kills it. It returns only if that
// fails. Only Linux holds programs written in
// Go to a limit on memory.
func limited(bytes, seconds uint64, program string, args []string) error {
	if runtime.GOOS == "linux" {
		if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes}); err != nil {
			return err
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes}); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds}); err != nil {
		return err
	}
	return syscall.Exec(program, append([]string{program}, args...), os.Environ())
}
