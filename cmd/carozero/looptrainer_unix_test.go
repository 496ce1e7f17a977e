//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Whatever ends a loop, its trainer goes, and what that has started: both hold a
// pipe, which ends with the last of them. A loop that was asked to end says how it
// goes on.
func TestNoTrainerOutlivesItsLoop(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		config := loopConfig(t, "")
		text, err := os.ReadFile(config)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(string(text), "train = [")
		trainer := `train = ["sh", "-c", "echo up >&3; trap : INT TERM HUP; sleep 1000 & sleep 1000; wait"]` +
			"\nlimit = \"1h\"\n"
		writeFile(t, config, []byte(string(text)[:at]+trainer))
		dir := filepath.Join(t.TempDir(), "loop")
		cmd := program("loop", "run", dir, "--config", config)
		messages, rest, err := endWithItsChildren(t, cmd, s)
		if err != nil || len(rest) > 0 {
			t.Errorf("%v: a trainer is left after a minute: %q, %v", s, rest, err)
		}
		want := fmt.Sprintf("carozero: interrupted: 0 of 2 rounds are over, and all that was finished is in %s; go on with: ",
			dir)
		if s == syscall.SIGTERM && (exitOf(cmd) != statusFailed || !strings.Contains(messages, want)) {
			t.Errorf("status %d: %s", exitOf(cmd), messages)
		}
		if out := mustRun(t, "loop", "status", dir); !strings.Contains(out, "at: train") {
			t.Errorf("%v: %s", s, out)
		}
	}
}

// On a disk that takes no large file the loop ends with one line, and goes on when
// there is room.
func TestLoopOnAFullDisk(t *testing.T) {
	dir, config := filepath.Join(t.TempDir(), "loop"), loopConfig(t, "")
	full := program("loop", "run", dir, "--config", config, "--workers", "1")
	full.Args = append([]string{"sh", "-c", `trap '' XFSZ; ulimit -f 6; exec "$0" "$@"`}, full.Args...)
	full.Path = "/bin/sh"
	out, err := full.CombinedOutput()
	last := string(out[bytes.LastIndexByte(bytes.TrimSpace(out), '\n')+1:])
	if err == nil || exitOf(full) != statusFailed || !strings.Contains(last, "file too large") {
		t.Fatalf("%v: %s", err, out)
	}
	mustRun(t, "loop", "run", dir, "--config", config)
	checkLoop(t, dir)
}
