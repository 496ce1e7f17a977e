package procgroup

import "syscall"

// dieWithParent has the kernel kill the program when the thread that started it
// ends: at the latest with this process. What the program has started is the
// guard's business.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
