//go:build !unix

package client

import "os/exec"

// group does nothing where there are no process groups.
func group(*exec.Cmd) {}

// killGroup kills the program alone.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
