package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// asProgram is the variable under which the test binary is the program.
const asProgram = "CAROZERO_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asTrainer {
		os.Exit(fakeTrainer(os.Args[2:]))
	}
	if os.Getenv(asProgram) != "" {
		os.Exit(execute(os.Args))
	}
	// nohup and shells without job control start the tests with signals ignored, and
	// a program inherits that. One that is caught here is not ignored there.
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	os.Exit(m.Run())
}

// program returns the program as a process of its own, not yet started.
func program(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// exitOf returns the exit status of a process that has ended, -1 if a signal
// has ended it.
func exitOf(cmd *exec.Cmd) int { return cmd.ProcessState.ExitCode() }
