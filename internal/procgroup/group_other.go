//go:build !unix && !windows

package procgroup

import "os/exec"

// Group is the program alone, where there is no way to hold more.
type Group struct{ cmd *exec.Cmd }

func (g *Group) Start(cmd *exec.Cmd) error { g.cmd = cmd; return cmd.Start() }
func (g *Group) Kill()                     { _ = g.cmd.Process.Kill() }
func (g *Group) Release()                  {}
