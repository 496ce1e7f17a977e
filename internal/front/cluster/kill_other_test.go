//go:build !unix

package cluster

// playRole does nothing where processes cannot be stopped.
func playRole() bool { return false }
