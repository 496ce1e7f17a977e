//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Whatever ends a loop, its trainer goes, and what that has started: both hold a
// pipe, which ends with the last of them. A loop that was asked to end says how it
// goes on.
func TestNoTrainerOutlivesItsLoop(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		held, holder, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		config := loopConfig(t, "")
		text, err := os.ReadFile(config)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(string(text), "train = [")
		trainer := `train = ["sh", "-c", "echo up >&3; trap : INT TERM HUP; sleep 1000 & sleep 1000; wait"]` + "\nlimit = \"1h\"\n"
		writeFile(t, config, []byte(string(text)[:at]+trainer))
		dir := filepath.Join(t.TempDir(), "loop")
		cmd := program("loop", "run", dir, "--config", config)
		cmd.ExtraFiles = []*os.File{holder}
		var messages bytes.Buffer
		cmd.Stderr = &messages
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		holder.Close()
		if err := held.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(held, make([]byte, 3)); err != nil {
			t.Fatalf("%v: the trainer was not started: %v; %s", s, err, messages.String())
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // its status is looked at
		if rest, err := io.ReadAll(held); err != nil || len(rest) > 0 {
			t.Errorf("%v: a trainer is left after a minute: %q, %v", s, rest, err)
		}
		want := fmt.Sprintf("carozero: interrupted: 0 of 2 rounds are over, and all that was finished is in %s; go on with: ", dir)
		if s == syscall.SIGTERM && (exitOf(cmd) != statusFailed || !strings.Contains(messages.String(), want)) {
			t.Errorf("status %d: %s", exitOf(cmd), messages.String())
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
