//go:build unix

package procgroup

import (
	"io"
	"os/exec"
	"syscall"
)

// Group is a program's process group: the program and all that it starts, as
// long as that does not found groups of its own. It dies with this process,
// however that ends.
type Group struct {
	id    int            // the guard's, or the program's without one
	guard *exec.Cmd      // kills the group if this process dies; nil: none
	leash io.WriteCloser // of the guard
}

// shell runs the guard. Where it is missing, there is no guard.
const shell = "/bin/sh"

// guardScript waits for a line on its standard input. If that ends without one,
// this process is dead: the system has closed its end of the pipe. The guard
// heads the group that it kills, and ignores the signals that a terminal sends to
// all.
const guardScript = `trap '' HUP INT QUIT TERM; read -r line || kill -s KILL -- "-$$"`

// Start starts the program in a group that is guarded already, so that there is
// no moment at which this process could die and leave the program.
func (g *Group) Start(cmd *exec.Cmd) error {
	g.watch()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.id}
	if err := cmd.Start(); err != nil {
		g.Release()
		return err
	}
	if g.guard == nil {
		g.id = cmd.Process.Pid
	}
	return nil
}

// watch starts the guard at the head of the group, if there is a shell for it.
func (g *Group) watch() {
	guard := exec.Command(shell, "-c", guardScript)
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	leash, err := guard.StdinPipe()
	if err == nil && guard.Start() == nil {
		g.guard, g.leash, g.id = guard, leash, guard.Process.Pid
	}
}

// Kill kills the group, the guard included; it outlives the program as long as
// something that it started runs. It may be called at any time after Start.
func (g *Group) Kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

// Release ends the guard of a group that has been killed or never began.
func (g *Group) Release() {
	if g.guard == nil {
		return
	}
	_, _ = io.WriteString(g.leash, "\n")
	_ = g.leash.Close()
	_ = g.guard.Wait()
}
