package gomocup

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is the other end of a running server.
type client struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *bufio.Scanner
	ended  chan error
	engine *fake
}

func connect(t *testing.T, ctx context.Context) *client {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, out: bufio.NewScanner(outR), ended: make(chan error, 1), engine: &fake{}}
	go func() {
		err := New(c.engine.open, Options{}).Run(ctx, inR, outW)
		outW.Close()
		inR.Close()
		c.ended <- err
	}()
	return c
}

func (c *client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) expect(want string) {
	c.t.Helper()
	if !c.out.Scan() || c.out.Text() != want {
		c.t.Fatalf("got %q, want %q", c.out.Text(), want)
	}
}

// silence demands that nothing more comes and that the server has ended well.
func (c *client) silence() {
	c.t.Helper()
	if c.out.Scan() {
		c.t.Errorf("got %q at the end", c.out.Text())
	}
	if err := <-c.ended; err != nil {
		c.t.Error(err)
	}
	c.in.Close()
}

// thinking makes the engine think until it is stopped and returns a channel
// that tells when it has begun.
func (c *client) thinking() <-chan struct{} {
	begun := make(chan struct{}, 1)
	c.engine.think = func(ctx context.Context) {
		begun <- struct{}{}
		<-ctx.Done()
	}
	return begun
}

func TestLineEndings(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader("START 15\r\n\n\rINFO timeout_turn 0\rBEGIN\nTURN 7,7\n\rABOUT")
	if err := New((&fake{}).open, Options{Version: "2", Time: &stopped{}}).Run(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	want := "OK\n0,14\n1,14\nname=\"CaroZero\", version=\"2\", author=\"the CaroZero authors\", country=\"none\"\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestALongLine(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader("START 15\n" + strings.Repeat("BEGIN ", 100_000) + "\nBEGIN\n")
	if err := New((&fake{}).open, Options{Time: &stopped{}}).Run(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	if want := "OK\nERROR a line of more than 4096 bytes\n0,14\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestStopAnswersAtOnce(t *testing.T) {
	c := connect(t, t.Context())
	begun := c.thinking()
	c.send("START 15\n")
	c.expect("OK")
	c.send("BEGIN\n")
	<-begun
	c.send("YXSTOP\n")
	c.expect("0,14")
	c.send("TURN 7,7\n")
	<-begun
	c.send("yxstop\r\n")
	c.expect("1,14")
	c.send("END\n")
	c.silence()
}

func TestEndIsSilent(t *testing.T) {
	c := connect(t, t.Context())
	begun := c.thinking()
	c.send("START 15\nBEGIN\n")
	c.expect("OK")
	<-begun
	c.send("TURN 7,7\nEND\n")
	c.silence()
}

// What is said during a search is answered after it, in order.
func TestReadingGoesOn(t *testing.T) {
	c := connect(t, t.Context())
	begun := c.thinking()
	c.send("START 15\nBEGIN\n")
	c.expect("OK")
	<-begun
	c.send("TURN 7,7\nTAKEBACK 1,14\nYXSTOP\nTURN 8,8\n")
	c.expect("0,14")
	<-begun
	c.expect("1,14") // was asked for before the YXSTOP too
	c.expect("OK")
	<-begun
	c.send("YXSTOP\n")
	c.expect("1,14")
	c.send("END\n")
	c.silence()
}

func TestTheEndOfTheInputIsNoStop(t *testing.T) {
	c := connect(t, t.Context())
	begun, finish := make(chan struct{}), make(chan struct{})
	c.engine.think = func(context.Context) {
		close(begun)
		<-finish
	}
	c.send("START 15\nBEGIN\n")
	c.expect("OK")
	<-begun
	c.in.Close()
	close(finish)
	c.expect("0,14")
	c.silence()
}

func TestTheContextEndsTheServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := connect(t, ctx)
	begun := c.thinking()
	c.send("START 15\nBEGIN\n")
	c.expect("OK")
	<-begun
	cancel()
	c.silence()
}

// A deadline ends a search.
func TestTheClockEndsASearch(t *testing.T) {
	c := connect(t, t.Context())
	c.engine.think = func(ctx context.Context) { <-ctx.Done() }
	c.send("START 15\nINFO timeout_turn 20\nBEGIN\n")
	c.expect("OK")
	c.expect("0,14")
	c.send("END\n")
	c.silence()
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
func (broken) Read([]byte) (int, error)  { return 0, errBroken }

func TestBrokenStreams(t *testing.T) {
	if err := New((&fake{}).open, Options{}).Run(t.Context(), strings.NewReader("START 15\nABOUT\n"), broken{}); !errors.Is(err, errBroken) {
		t.Errorf("a broken output: %v", err)
	}
	if err := New((&fake{}).open, Options{}).Run(t.Context(), broken{}, io.Discard); !errors.Is(err, errBroken) {
		t.Errorf("a broken input: %v", err)
	}
}

// The engine ponders after its move, on the position that it led to, until the
// next line comes; and only if the client wants it.
func TestPondering(t *testing.T) {
	c := connect(t, t.Context())
	c.engine.pondered = make(chan *gomoku.Board)
	c.send("START 15\nBEGIN\n")
	c.expect("OK")
	c.expect("0,14")
	c.send("INFO pondering 1\n")
	board := <-c.engine.pondered
	if board.Ply() != 1 || board.ToMove() != game.Second || board.At(0) != gomoku.StoneOf(game.First) {
		t.Errorf("pondered on %v", board)
	}
	c.send("INFO time_left 100000\n") // ends it, and it begins again
	<-c.engine.pondered
	c.send("TURN 7,7\n")
	c.expect("1,14")
	if board = <-c.engine.pondered; board.Ply() != 3 {
		t.Errorf("pondered on %v", board)
	}
	c.send("TAKEBACK 7,7\n")
	c.expect("OK")
	c.send("INFO pondering 0\nTURN 7,7\n")
	c.expect("2,14")
	c.send("ABOUT\n")
	c.out.Scan()
	c.send("END\n")
	c.silence()
}

// END and the end of the context stop the pondering.
func TestPonderingEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	for _, end := range []func(c *client){func(c *client) { c.send("END\n") }, func(*client) { cancel() }} {
		c := connect(t, ctx)
		c.engine.pondered = make(chan *gomoku.Board)
		c.send("START 15\nINFO pondering 1\nBEGIN\n")
		c.expect("OK")
		c.expect("0,14")
		<-c.engine.pondered
		end(c)
		c.silence()
	}
}
