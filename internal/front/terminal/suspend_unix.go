//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

// stoppable reports whether something is there that would continue this process if it stopped. In
// the process group that leads a session there is nothing, as where ssh, docker or a terminal
// starts the program without a shell, and the system ignores what would stop it.
func stoppable() bool {
	session, err := unix.Getsid(0)
	return err == nil && unix.Getpgrp() != session
}
