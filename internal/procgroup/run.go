// Package procgroup runs other programs so that none of their processes is left: a
// program and all that it starts are one group, which is killed as a whole, and
// which dies with this process, however that ends.
//
// A [Group] is started once. The caller calls Kill when the program is no
// longer needed or has ended, since what it started may still run, and then Release.
package procgroup

import (
	"context"
	"os/exec"
)

// Run runs a program to its end, or until ctx ends, and leaves nothing of what it has
// started. Its error is that of starting it or of its exit status.
func Run(ctx context.Context, cmd *exec.Cmd) error {
	var group Group
	if err := group.Start(cmd); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, group.Kill)
	err := cmd.Wait()
	stop()
	group.Kill()
	group.Release()
	return err
}
