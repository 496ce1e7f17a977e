//go:build !linux

package alphabeta

func advise([]byte) {}
