//go:build unix && !race

package gomocup

import (
	"syscall"
	"testing"
)

// pageFaults returns how many pages the process has been handed out so far.
func pageFaults(t *testing.T) int64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return int64(u.Minflt)
}
