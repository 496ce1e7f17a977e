//go:build !linux

package option

// installed returns the size of the machine's memory in bytes, 0 for unknown.
func installed() int64 { return 0 }

// granted returns what a control group leaves the program, 0 for no limit.
func granted() int64 { return 0 }
