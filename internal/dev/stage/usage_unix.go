//go:build linux || darwin

package main

import (
	"os"
	"runtime"
	"syscall"
)

// largest returns the memory of the largest process that a process and those it
// waited for have been, in bytes.
func largest(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return -1
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss // in bytes there, in KiB elsewhere
	}
	return usage.Maxrss << 10
}

// used returns how many bytes are taken on the disks of the working directory and of
// the home, -1 if the system does not tell.
func used() int64 {
	var sum int64
	seen := map[uint64]bool{}
	for _, dir := range []string{".", os.Getenv("HOME")} {
		var file syscall.Stat_t
		var disk syscall.Statfs_t
		if dir == "" || syscall.Stat(dir, &file) != nil || seen[uint64(file.Dev)] {
			continue
		}
		seen[uint64(file.Dev)] = true
		if err := syscall.Statfs(dir, &disk); err != nil {
			return -1
		}
		sum += int64(disk.Blocks-disk.Bfree) * int64(disk.Bsize)
	}
	return sum
}
