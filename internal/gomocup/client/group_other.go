//go:build !unix && !windows

package client

import "os/exec"

// group is the program alone, where there is no way to hold more.
type group struct{ cmd *exec.Cmd }

func (g *group) start(cmd *exec.Cmd) error { g.cmd = cmd; return cmd.Start() }
func (g *group) kill()                     { _ = g.cmd.Process.Kill() }
func (g *group) release()                  {}
