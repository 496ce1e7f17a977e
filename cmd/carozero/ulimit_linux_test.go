//go:build !race

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// What needs more memory than a limit of the process leaves is refused in one line, where
// Go's runtime would end the process with a trace.
func TestUlimit(t *testing.T) {
	for _, args := range []string{
		"search --engine alphabeta --table 4096 --position h8",
		"solve --kind pn --memory 8192 --position h8",
		"match --a alphabeta:table=4096 --b alphabeta:nodes=5 --games 2",
	} {
		cmd := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -v 4000000; exec "$0" %s`, args), os.Args[0])
		cmd.Env = append(os.Environ(), asProgram+"=1")
		out, _ := cmd.CombinedOutput()
		if text := string(out); exitOf(cmd) != statusUsage || strings.Count(text, "\n") != 1 ||
			!strings.Contains(text, "memory") {
			t.Errorf("%s: status %d, %.300s", args, exitOf(cmd), text)
		}
	}
}
