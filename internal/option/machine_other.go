//go:build !linux

package option

// Machine returns the memory, in bytes, that the program may take, which is not known here.
func Machine() int64 { return UnknownMemory }
