//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package terminal

// stoppable reports that nothing would continue this process if it stopped.
func stoppable() bool { return false }
