//go:build unix && !linux

package procgroup

import "syscall"

// dieWithParent leaves everything to the guard.
func dieWithParent(*syscall.SysProcAttr) {}
