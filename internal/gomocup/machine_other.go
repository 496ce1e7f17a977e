//go:build !linux

package gomocup

// machineMemory returns the bytes that programs on this machine can have
// together; 0: not known.
func machineMemory() int64 { return 0 }
