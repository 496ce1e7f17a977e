//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var ending = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// hardBoard is a position in which the solver is busy for hours, followed by more
// than a pipe holds: once all of it is written it is being read.
func hardBoard() string {
	rows := strings.Repeat(strings.Repeat(".", 15)+"\n", 5)
	rows += "......XX.......\n.....XO.O......\n.....OXXO......\n......OOX......\n.......X.......\n"
	return rows + strings.Repeat(strings.Repeat(".", 15)+"\n", 5) + strings.Repeat("\n", 100<<10)
}

// Each of the signals ends the program with status 1 and one line.
func TestSignalsEndTheProgram(t *testing.T) {
	for _, s := range ending {
		cmd := program("solve", "--rule", "freestyle", "--kind", "vct", "--nodes", "1000000000000", "--to-move", "first",
			"--board", "-")
		var out, messages bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &messages
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(in, hardBoard())
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // its status is looked at
		if text := messages.String(); exitOf(cmd) != statusFailed || out.Len() > 0 ||
			!strings.HasPrefix(text, "carozero: interrupted: ") || strings.Count(text, "\n") != 1 {
			t.Errorf("%v: status %d, prints %q and %q", s, exitOf(cmd), out.String(), text)
		}
	}
}

// A person who thinks about a move does not keep the program, and a game without a move
// begins again as it did.
func TestASignalWhileAMoveIsAwaited(t *testing.T) {
	diagram := filepath.Join(t.TempDir(), "board.txt")
	writeFile(t, diagram, []byte(strings.Repeat(".....\n", 5)))
	for _, flags := range [][]string{{"--size", "5"}, {"--board", diagram}} {
		endedByASignal(t, append([]string{"play", "--model", "uniform"}, flags...))
	}
}

// endedByASignal ends play while it waits for the first move, and wants its line.
func endedByASignal(t *testing.T, args []string) {
	t.Helper()
	cmd := program(args...)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var shown []byte
	for buf := make([]byte, 1); !bytes.HasSuffix(shown, []byte("Your move (first): ")); {
		if _, err := out.Read(buf); err != nil {
			t.Fatalf("%q, %v", shown, err)
		}
		shown = append(shown, buf...)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its status is looked at
	if exitOf(cmd) != statusFailed ||
		!strings.HasPrefix(messages.String(), "carozero: interrupted: the moves that were played: none") {
		t.Errorf("status %d, %q", exitOf(cmd), messages.String())
	}
}

// endWithItsChildren starts a program whose child writes "up" to descriptor 3, sends
// the program a signal then, and waits until no process holds the descriptor,
// for a minute at most: err says that somebody does. rest is what else was written
// there, and messages are the program's on standard error.
func endWithItsChildren(t *testing.T, cmd *exec.Cmd, s syscall.Signal) (messages, rest string, err error) {
	t.Helper()
	held, holder, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	cmd.ExtraFiles = []*os.File{holder}
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	holder.Close()
	if err := held.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(held, make([]byte, 3)); err != nil {
		t.Fatalf("%v: the child was not started: %v; %s", s, err, out.String())
	}
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its status is the caller's
	left, err := io.ReadAll(held)
	return out.String(), string(left), err
}

// Whatever ends a match, no engine is left, nor what engines have started: all of
// them hold a pipe, which ends with the last of them.
func TestNoEngineOutlivesItsMatch(t *testing.T) {
	for _, s := range append(ending, syscall.SIGKILL) {
		engine := `exec:sh -c "echo up >&3; trap : INT TERM HUP; sleep 1000 & cat; wait"`
		cmd := program("match", "--a", engine, "--b", "alphabeta:nodes=100,table=1", "--games", "4", "--workers", "1")
		messages, rest, err := endWithItsChildren(t, cmd, s)
		if err != nil || strings.Trim(rest, "up\n") != "" {
			t.Errorf("%v: an engine is left after a minute: %q, %v", s, rest, err)
		}
		if want := map[bool]int{true: -1, false: statusFailed}[s == syscall.SIGKILL]; exitOf(cmd) != want {
			t.Errorf("%v: status %d, want %d; %s", s, exitOf(cmd), want, messages)
		}
	}
}

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
		want := fmt.Sprintf("carozero: interrupted: 0 of 2 rounds are over, and all that was finished is in %s; "+
			"go on with the same command",
			dir)
		if s == syscall.SIGTERM && (exitOf(cmd) != statusFailed || !strings.Contains(messages, want)) {
			t.Errorf("status %d: %s", exitOf(cmd), messages)
		}
		if out := mustRun(t, "loop", "status", dir); !strings.Contains(out, "at: train") {
			t.Errorf("%v: %s", s, out)
		}
	}
}
