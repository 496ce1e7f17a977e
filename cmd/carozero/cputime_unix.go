//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorTime returns the processor time that this process has taken, and those
// of its children that have ended.
func processorTime() time.Duration {
	sum := time.Duration(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}
