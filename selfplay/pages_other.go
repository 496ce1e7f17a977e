//go:build race || !linux

package selfplay

// largePages does nothing: the system decides, and the race detector would write all of it.
func largePages(int64) {}
