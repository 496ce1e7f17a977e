//go:build !unix

package cluster

func playRole() bool { return false }
