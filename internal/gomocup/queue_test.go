package gomocup

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/carozero/carozero/internal/engine"
	"pgregory.net/rapid"
)

// hand is a clock that the test moves.
type hand struct {
	mu    sync.Mutex
	at    time.Time
	waits map[time.Time]context.CancelFunc
	asked chan struct{} // gets a token for every deadline
}

func newHand() *hand {
	return &hand{at: time.Unix(1000, 0), waits: map[time.Time]context.CancelFunc{}, asked: make(chan struct{}, 99)}
}

func (h *hand) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *hand) WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	if !at.After(h.at) {
		cancel()
	}
	h.waits[at] = cancel
	h.asked <- struct{}{}
	return ctx, cancel
}

// pass lets time go by.
func (h *hand) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
	for at, cancel := range h.waits {
		if !at.After(h.at) {
			cancel()
		}
	}
}

// Lines are what stands between line ends of either kind, however the input is
// cut into pieces.
func TestLinesAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"\n", "\r", "\r\n", "TURN 7,7", "x", "\x00\xff",
			strings.Repeat("y", longestLine), strings.Repeat("z", 5000)}), 0, 30)
		text := strings.Join(parts.Draw(t, "text"), "")
		in := io.Reader(strings.NewReader(text))
		if rapid.Bool().Draw(t, "slow") {
			in = iotest.OneByteReader(in)
		}
		q := newQueue(&stopped{})
		q.read(t.Context(), in)
		for i, want := range strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == '\r' }) {
			l, _, _ := q.next()
			if l.broken != (len(want) > longestLine) || l.text != want[:min(len(want), longestLine)] {
				t.Fatalf("line %d is %q, %t; want %q", i, l.text, l.broken, want)
			}
		}
		if l, ok, said := q.next(); ok || !said.closed || q.failure() != nil {
			t.Fatalf("more than there is: %q, %v", l.text, q.failure())
		}
	})
}

// many is lines that a client may send without waiting.
func many(n int) string { return strings.Repeat("INFO max_depth 9\nABOUT\n", n/2) }

// END ends a search behind any number of lines, and none of them is answered.
func TestEndIsSeenBehindManyLines(t *testing.T) {
	c := connect(t, t.Context())
	begun := c.thinking()
	c.send("START 15\nBEGIN\n")
	c.expect("OK")
	<-begun
	c.send(many(10_000) + "END\n")
	c.silence()
}

// YXSTOP ends what was asked for before it, behind any number of lines, and
// nothing that is asked for after it.
func TestStopIsSeenBehindManyLines(t *testing.T) {
	c := connect(t, t.Context())
	begun := c.thinking()
	c.send("START 15\nBEGIN\n")
	c.expect("OK")
	<-begun
	c.send(many(10_000) + "TURN 7,7\nYXSTOP\nTURN 8,8\n")
	c.expect("0,14")
	for range 5_000 {
		if !c.out.Scan() || !strings.HasPrefix(c.out.Text(), "name=") {
			t.Fatalf("got %q", c.out.Text())
		}
	}
	<-begun
	c.expect("1,14")
	<-begun // nothing stops this one yet
	c.send("YXSTOP\n")
	c.expect("2,14")
	c.send("END\n")
	c.silence()
}

// leave connects a client to an engine that thinks until it is stopped, says
// something, and closes the input.
func leave(t *testing.T, clock engine.Time, engine *fake, text string) (answers *strings.Builder, ended chan error) {
	t.Helper()
	answers, ended = new(strings.Builder), make(chan error, 1)
	go func() {
		ended <- New(engine.open, Options{Time: clock}).Run(t.Context(), strings.NewReader(text), answers)
	}()
	return answers, ended
}

// An END, or the end of the input, in the same write as other commands comes after them.
func TestEndInTheSameWrite(t *testing.T) {
	for _, end := range []string{"", "END", "END\nBEGIN\n", "end\r\n"} {
		for _, mark := range []string{"", "\ufeff"} {
			var out strings.Builder
			in := strings.NewReader(mark + "START 15\nBEGIN\nTURN 7,7\n" + end)
			if err := New((&fake{}).open, Options{}).Run(t.Context(), in, &out); err != nil ||
				out.String() != "OK\n0,14\n1,14\n" {
				t.Errorf("%q: %q, %v", end, out.String(), err)
			}
		}
	}
}

// After the end of the input a search has a moment; then it is stopped, and what
// it has found is answered.
func TestTheEndOfTheInputEndsASearch(t *testing.T) {
	clock := newHand()
	engine := &fake{think: func(ctx context.Context) { <-ctx.Done() }}
	out, ended := leave(t, clock, engine, "START 15\nBEGIN\nTURN 7,7\n")
	<-clock.asked // the first search
	clock.pass(lastSearch)
	if err := <-ended; err != nil || out.String() != "OK\n0,14\n1,14\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// What cannot be answered in time after the end of the input is dropped.
func TestTheEndOfTheInputEndsTheDialogue(t *testing.T) {
	clock := newHand()
	engine := &fake{}
	engine.think = func(ctx context.Context) {
		<-ctx.Done()
		clock.pass(lastAnswer) // a slow one
	}
	out, ended := leave(t, clock, engine, "START 15\nBEGIN\nTURN 7,7\n"+many(1000))
	<-clock.asked
	clock.pass(lastSearch)
	if err := <-ended; err != nil || out.String() != "OK\n0,14\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// What opening an engine takes after the end of the input is no time of the search: a piped
// BEGIN is answered however slow the machine.
func TestASlowEngineAnswersAfterTheEndOfTheInput(t *testing.T) {
	clock := newHand()
	thinker := &fake{}
	slow := func(s Settings) (engine.Engine, error) {
		clock.pass(time.Minute)
		return thinker.open(s)
	}
	var out strings.Builder
	if err := New(slow, Options{Time: clock}).Run(t.Context(), strings.NewReader("START 15\nBEGIN\n"), &out); err != nil ||
		out.String() != "OK\n0,14\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
