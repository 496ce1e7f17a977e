//go:build cgo

package onnx

import (
	"unsafe"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"
)

// What Linux lets a process ask for beyond the registers that every process has
// (Documentation/arch/x86/xstate.rst).
const (
	archGetXcompSupp = 0x1021
	tileData         = 1 << 18
)

// hasTiles reports whether there are tile registers for 8-bit numbers (AMX), and the
// system lets processes use them.
func hasTiles() bool {
	if !cpu.X86.HasAMXInt8 {
		return false
	}
	var features uint64
	_, _, failed := unix.Syscall(unix.SYS_ARCH_PRCTL, archGetXcompSupp, uintptr(unsafe.Pointer(&features)), 0)
	return failed == 0 && features&tileData != 0
}
