//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// seat is the program on a terminal, with a person before it.
type seat struct {
	t             *testing.T
	cmd           *exec.Cmd
	tty, keyboard *os.File
	before        *term.State
	messages      bytes.Buffer
	seen          []byte // and not waited for yet
	all           []byte
}

// seated starts the program on a terminal of 80x24.
func seated(t *testing.T, variables []string, args ...string) *seat {
	t.Helper()
	s := &seat{t: t, cmd: program(args...)}
	var err error
	if s.keyboard, s.tty, err = pty.Open(); err != nil {
		t.Fatal(err)
	}
	if err = pty.Setsize(s.tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	if s.before, err = term.GetState(int(s.tty.Fd())); err != nil {
		t.Fatal(err)
	}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = s.tty, s.tty, &s.messages
	s.cmd.Env = append(append(s.cmd.Env, "TERM=xterm-256color", "LC_ALL=C.UTF-8"), variables...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(time.Minute, func() { // wait then says what is missing
		_ = s.cmd.Process.Kill()
		s.tty.Close()
	})
	t.Cleanup(func() {
		stuck.Stop()
		_ = s.cmd.Process.Kill() // it has ended, unless the test has failed
		s.tty.Close()
		s.keyboard.Close()
	})
	return s
}

// wait returns once the program has written a text after what was seen before.
func (s *seat) wait(text string) {
	s.t.Helper()
	buf := make([]byte, 4096)
	for {
		if _, rest, found := bytes.Cut(s.seen, []byte(text)); found {
			s.seen = rest
			return
		}
		n, err := s.keyboard.Read(buf)
		s.seen, s.all = append(s.seen, buf[:n]...), append(s.all, buf[:n]...)
		if err != nil {
			s.t.Fatalf("no %q: %q, %v; %s", text, s.all, err, s.messages.String())
		}
	}
}

func (s *seat) typed(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keyboard, text); err != nil {
		s.t.Fatal(err)
	}
}

// left waits for the end of the program and returns its exit status and its
// messages; the terminal must be as it was.
func (s *seat) left() (int, string) {
	s.t.Helper()
	_ = s.cmd.Wait() // its status is returned
	after, err := term.GetState(int(s.tty.Fd()))
	if err != nil || !reflect.DeepEqual(after, s.before) {
		s.t.Errorf("the terminal is left as %+v, was %+v, %v", after, s.before, err)
	}
	return exitOf(s.cmd), s.messages.String()
}

// On the screen, with the observers at work, the engine answers the same moves as
// in lines; the terminal is left as it was, and the way to go on is printed.
func TestPlayOnTheScreenAsInLines(t *testing.T) {
	mine := []string{"e5", "d6", "c3"}
	for _, args := range [][]string{
		{"play", "--size", "9", "--model", "uniform", "--playouts", "250", "--seed", "5"},
		{"play", "--size", "9", "--level", "easy", "--table", "1", "--seed", "7"},
	} {
		_, lines, _ := runWith(t, strings.Join(mine, "\n")+"\nquit\n", args...)
		want := ""
		for i, m := range regexp.MustCompile(`Engine plays (\w+)`).FindAllStringSubmatch(lines, -1) {
			want += mine[i] + m[1]
		}
		s := seated(t, nil, args...)
		s.wait("your move (1)")
		for i, m := range mine {
			s.typed(m + "\r")
			s.wait("your move (" + string(rune('3'+2*i)) + ")")
		}
		s.typed("Q")
		s.wait("\x1b[?1049l")
		status, message := s.left()
		if status != 0 || len(want) < 12 || !strings.Contains(message, "--position "+want+" ") {
			t.Errorf("%v: status %d, %q, want the moves %s as in lines", args, status, message, want)
		}
		t.Setenv(asProgram, "1")
		goOn(t, strings.TrimSpace(message)+" </dev/null")
	}
}

// Signals and Ctrl-C end the screen as they end the lines: status 1, one line that
// says how to go on, and the terminal as it was.
func TestSignalsEndTheScreen(t *testing.T) {
	ends := map[string]func(s *seat){"Ctrl-C": func(s *seat) { s.typed("\x03") }}
	for _, signal := range ending {
		ends[signal.String()] = func(s *seat) {
			if err := s.cmd.Process.Signal(signal); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	for name, end := range ends {
		s := seated(t, nil, "play", "--model", "uniform", "--size", "5", "--playouts", "4", "--no-opinions")
		s.wait("your move (1)")
		s.typed("c3\r")
		s.wait("your move (3)")
		end(s)
		s.wait("\x1b[?1049l")
		status, message := s.left()
		if status != statusFailed || !strings.HasPrefix(message, "carozero: interrupted: go on with: ") || !strings.Contains(message, "--position c3") || strings.Count(message, "\n") != 1 {
			t.Errorf("%s: status %d, %q", name, status, message)
		}
	}
}

// A program that leads its session, as one that ssh or docker starts, has nobody who would continue
// it: Ctrl-Z does not suspend it, and the game goes on.
func TestCtrlZWithoutAShell(t *testing.T) {
	s := seated(t, nil, "play", "--model", "uniform", "--size", "5", "--playouts", "4", "--no-opinions")
	s.wait("your move (1)")
	s.typed("\x1a")
	s.wait("it goes on")
	s.typed("c3\r")
	s.wait("your move (3)")
	s.typed("Q")
	s.wait("\x1b[?1049l")
	if status, message := s.left(); status != 0 || !strings.Contains(message, "--position c3") {
		t.Errorf("status %d, %q", status, message)
	}
}

// What was changed on the screen is in the command that goes on.
func TestTheScreenTellsWhatWasChanged(t *testing.T) {
	s := seated(t, nil, "play", "--model", "uniform", "--size", "5", "--playouts", "4", "--no-opinions", "--position", "c3")
	s.wait("your move (3)")                                        // the engine's turn may be over before it is drawn
	s.typed("N\x1b[C\x1b[B\x1b[C\x1b[B\x1b[C\x1b[B\x1b[B\x1b[C\r") // the next rule set, size and strength, with the opening rule
	s.wait("your move (1)")
	s.typed("a1\r")
	s.wait("your move (3)")
	s.typed("quit\r")
	s.wait("\x1b[?1049l")
	status, message := s.left()
	want := regexp.MustCompile(`play --game gomoku --level beginner --no-opinions --open-rule --position a1\w\w --rule caro-overline --size 6\n$`)
	if status != 0 || !want.MatchString(message) {
		t.Errorf("status %d, %q", status, message)
	}
}

// A terminal that can show lines only gets lines, and so does who asks for them.
func TestLinesOnATerminal(t *testing.T) {
	for _, c := range []struct{ variable, flag string }{{"TERM=dumb", "--ascii"}, {"TERM=xterm", "--plain"}} {
		s := seated(t, []string{c.variable}, "play", "--model", "uniform", "--size", "5", "--playouts", "4", c.flag)
		s.wait("Your move (first): ")
		s.typed("c3\nquit\n")
		s.wait("Engine plays")
		s.wait("Your move (first): ")
		if status, message := s.left(); status != 0 || message != "" || bytes.Contains(s.all, []byte("\x1b")) {
			t.Errorf("%v: status %d, %q, shows %q", c, status, message, s.all)
		}
	}
}
