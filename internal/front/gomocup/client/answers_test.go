package client

import (
	"context"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/front/arena"
)

// answering returns a player whose program writes that and ends, whatever it is
// told. The caller waits for the channel at last, after it has closed the
// child's done.
func answering(text string) (*Player, chan struct{}) {
	c := &child{
		name: "program", cmd: &exec.Cmd{}, stdin: discard{}, stderr: &tail{},
		lines: make(chan string), done: make(chan struct{}), exited: make(chan struct{}),
	}
	close(c.exited)
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.scan(strings.NewReader(text))
	}()
	return &Player{opts: Options{Command: []string{"program"}, Size: 5, StartLimit: startLimit}, child: c}, read
}

// discard is a standard input without a reader.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

var _ io.WriteCloser = discard{}

// Whatever a program answers becomes a cell of the board or an error of one
// line that a terminal can show.
func FuzzAnswers(f *testing.F) {
	for _, text := range []string{
		"", "OK\n2,2\n", "OK\r\n\r\nMESSAGE hello\r\nDEBUG\n0,4", "ERROR no\n", "UNKNOWN", "OK\nERROR lost", "OK\nSUGGEST 2,2\n1,1\n",
		"OK\n5,5", "OK\n-1,2", "OK\n2,2,2", "OK\n2", "OK\n , ", "OK\n99999999999999999999,0", "OK\n+1,1", "OK\nI resign!",
		"OK\n\x1b[2J\x1b]0;owned\a", "ok\n\u202e2,2", "OK\n\xff\xfe,\x00", "ERROR \x1b[31m\u0085\u009b", "OK\n\u00a0" + "1,1", "OK\nFORBID .\n3,3",
		"OK\n" + strings.Repeat("MESSAGE x\n", 100) + "4,4\n", "OK\n" + strings.Repeat("9", longestLine+1),
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, clock bool) {
		p, read := answering(text)
		m := game.NoMove
		err := p.NewGame(context.Background(), arena.Start{})
		if err == nil {
			var l engine.Limits
			if clock {
				l.Clock = engine.Clock{Turn: startLimit, Left: startLimit}
			}
			var a *engine.Answer
			if a, err = p.Think(context.Background(), board(t, "a1"), l); err == nil {
				m = a.Move
			}
		}
		close(p.child.done)
		<-read
		switch {
		case err == nil && m >= 25:
			t.Errorf("move %d of %q", m, text)
		case err != nil && (m != game.NoMove || strings.ContainsFunc(err.Error(), unprintable)):
			t.Errorf("move %d, error %q", m, err)
		}
	})
}

// unprintable reports what no message may hold.
func unprintable(c rune) bool {
	return c < ' ' || c >= 0x7f && c < 0xa0 || c == '\u202e' || c == '\ufffd'
}
