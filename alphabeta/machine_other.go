//go:build !linux

package alphabeta

// memory returns the size of the machine's memory in bytes, 0 for unknown.
func memory() uint64 { return 0 }

func advise([]byte) {}
