//go:build unix

package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
)

// typist is a person before a terminal: what is typed, and what is seen.
type typist struct {
	t        *testing.T
	tty      *os.File // the terminal as the program has it
	keyboard *os.File // its other end
	before   *term.State

	mu   sync.Mutex
	more *sync.Cond
	seen []byte
	gone bool
}

// sit opens a terminal of 80x24.
func sit(t *testing.T) *typist {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	p := &typist{t: t, tty: tty, keyboard: keyboard}
	p.more = sync.NewCond(&p.mu)
	if p.before, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read()
	}()
	t.Cleanup(func() {
		tty.Close()
		<-read // a terminal without a program is read to its end
		keyboard.Close()
	})
	return p
}

func (p *typist) read() {
	buf := make([]byte, 4096)
	for {
		n, err := p.keyboard.Read(buf)
		p.mu.Lock()
		p.seen = append(p.seen, buf[:n]...)
		p.gone = err != nil
		p.more.Broadcast()
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// wait returns once a text has been written after what was seen before.
func (p *typist) wait(text string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if _, rest, found := bytes.Cut(p.seen, []byte(text)); found {
			p.seen = rest
			return
		}
		if p.gone {
			p.t.Fatalf("the terminal is gone before %q: %q", text, p.seen)
		}
		p.more.Wait()
	}
}

func (p *typist) typed(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.keyboard, text); err != nil {
		p.t.Fatal(err)
	}
}

// restored checks that the terminal is as it was before, once what leaves the
// screen has arrived.
func (p *typist) restored() {
	p.t.Helper()
	p.wait("\x1b[?1049l")
	after, err := term.GetState(int(p.tty.Fd()))
	if err != nil || !reflect.DeepEqual(after, p.before) {
		p.t.Errorf("the terminal's state is %+v, want %+v, %v", after, p.before, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if bytes.Contains(p.seen, []byte("\x1b[?1049h")) || bytes.Contains(p.seen, []byte("\x1b[?25l")) {
		p.t.Errorf("after the screen was left: %q", p.seen)
	}
}

// screen returns a screen of a game against e on the typist's terminal.
func (p *typist) screen(e *thinker) *Screen {
	v := variantOf(p.t, "caro", 15)
	start, err := v.Start()
	if err != nil {
		p.t.Fatal(err)
	}
	return New(Options{
		Variant: v, Start: start, Strength: easy(), Opponent: e.player(), In: p.tty, Out: p.tty,
		Observe: func(games.Variant, players.PlayerKind) (*Player, error) { return newThinker().player(), nil },
		Environ: []string{"TERM=xterm-256color"},
	})
}

// However the screen is left, the terminal is as before, the game is printed, and
// nothing runs in the background.
func TestTheTerminalIsRestored(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(p *typist, e *thinker, cancel context.CancelFunc)
		moves int
		err   string // part of it, "" for none
	}{
		"quit":      {func(p *typist, _ *thinker, _ context.CancelFunc) { p.typed("Q") }, 1, ""},
		"ctrl-c":    {func(p *typist, _ *thinker, _ context.CancelFunc) { p.typed("\x03") }, 1, "interrupted"},
		"cancelled": {func(_ *typist, _ *thinker, cancel context.CancelFunc) { cancel() }, 1, "context canceled"},
		"panic":     {func(_ *typist, e *thinker, _ context.CancelFunc) { e.release <- game.NoMove }, 1, "an engine's own mistake"},
		"over": {func(p *typist, e *thinker, _ context.CancelFunc) {
			e.release <- 0
			p.wait("your move (3)")
			p.typed("G\x1b[B\r")
			p.wait("game over (3)")
			p.typed("quit\r")
		}, 2, ""},
	} {
		p, e := sit(t), newThinker()
		ctx, cancel := context.WithCancel(context.Background())
		s := p.screen(e)
		type end struct {
			Result
			err error
		}
		done := make(chan end)
		go func() {
			r, err := s.Run(ctx)
			done <- end{r, err}
		}()
		p.wait("\x1b[?1049h")
		p.wait("your move (1)")
		p.typed("h8\r")
		p.wait("engine thinks (2)")
		<-e.began
		c.leave(p, e, cancel)
		got := <-done
		cancel()
		if len(got.Moves) != c.moves || (got.err == nil) != (c.err == "") || got.err != nil && !strings.Contains(got.err.Error(), c.err) {
			t.Errorf("%s: %d moves, error %v", name, len(got.Moves), got.err)
		}
		if wants := name == "ctrl-c" || name == "cancelled"; errors.Is(got.err, context.Canceled) != wants {
			t.Errorf("%s: the error %v is an interruption: %v", name, got.err, !wants)
		}
		if (got.Text != "") != (name == "over") {
			t.Errorf("%s: the outcome is %q", name, got.Text)
		}
		p.restored()
	}
}

// A panic of the screen itself leaves the terminal as it was, too.
func TestAPanicOfTheScreen(t *testing.T) {
	for name, spoil := range map[string]func(m *model){
		"draw":   func(m *model) { m.glyphs = nil },
		"update": func(m *model) { m.record.variant = games.Variant{} },
	} {
		p := sit(t)
		var messages bytes.Buffer
		s := p.screen(newThinker())
		s.opts.Messages = &messages
		spoil(s.model)
		if _, err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "nil pointer") || !strings.Contains(messages.String(), "goroutine ") {
			t.Errorf("%s: error %v, told %q", name, err, messages.String())
		}
		p.restored()
	}
}
