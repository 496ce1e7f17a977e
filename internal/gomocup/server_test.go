package gomocup

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/mcts"
	"pgregory.net/rapid"
)

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
		err := Serve(ctx, c.engine.open, Options{}, inR, outW)
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
	if err := Serve(t.Context(), (&fake{}).open, Options{}, strings.NewReader("START 15\nABOUT\n"),
		broken{}); !errors.Is(err, errBroken) {
		t.Errorf("a broken output: %v", err)
	}
	for in, want := range map[io.Reader]error{
		broken{}: errBroken, strings.NewReader(strings.Repeat("y", longestLine+1)): bufio.ErrTooLong,
	} {
		if err := Serve(t.Context(), (&fake{}).open, Options{}, in, io.Discard); !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
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

var update = flag.Bool("update", false, "write the answers of the dialogues anew")

// Each file holds a dialogue: lines that begin with "> " are sent, those with
// "< " are the answers, "#" begins a comment.
func TestDialogues(t *testing.T) {
	files, err := filepath.Glob("testdata/dialogues/*.txt")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d dialogues, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			k := newTalk()
			for _, l := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
				if strings.HasPrefix(l, "< ") {
					continue
				}
				said = append(said, l)
				if sent, ok := strings.CutPrefix(l, ">"); ok {
					for _, answer := range k.say(strings.TrimPrefix(sent, " ")) {
						said = append(said, "< "+answer)
					}
				}
			}
			got := strings.Join(said, "\n") + "\n"
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("the dialogue goes\n%s", got)
			}
		})
	}
}

// dialogues are what fuzzing begins with.
var dialogues = []string{
	"START 6\nINFO rule 4\nINFO show_detail 1\nBEGIN\nTURN 0,0\nYXNBEST 3\n",
	"START 7\nINFO pondering 1\nINFO max_depth 2\nBEGIN\nTURN 1,1\nINFO timeout_turn 0\nTURN 2,2",
	"START 22\nSWAP2BOARD\n1,1\n2,2\n3,3\nDONE\nTAKEBACK 1,1\nINFO hash_size 99999999999\nBEGIN\nINFO thread_num 3\n" +
		"YXHASHCLEAR",
	"START 5\nINFO timeout_match 9\nINFO time_left -3\nBEGIN\nBOARD\n1,1,1\n2,2,2\n3,3,1\nDONE\nYXSTOP",
	"info show_detail 3\nyxshowinfo\nSTART 5 5\nyxswap2step1\nyxblock\n" +
		"1,1\ndone\nyxsearchdefend",
	"START 20\nINFO max_node -1\nINFO timeout_match 100000000\nINFO timeout_turn 2000000\nYXBOARD 1,1,1 2,2,2 DONE\n" +
		"YXNBEST 2\nYXSTOP",
	"START 9\nINFO rule 9\nTURN 4,4\nTURN 3,3\nTAKEBACK 3,3\nINFO max_memory 1\nTURN 5,5\nINFO rule 1\nTURN 2,2",
}

// fuzzDialogue holds dialogues with the engines that open sets up: none crashes it,
// and whatever was said a new game works.
func fuzzDialogue(f *testing.F, open func() Open, o Options) {
	for _, text := range dialogues {
		f.Add(text)
	}
	o.Nodes, o.Quick, o.Time, o.Memory = 60, 20, hasty{}, 64<<20
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 400 || strings.Count(text, "\n") > 40 || largeTable.MatchString(text) {
			return // long dialogues only repeat themselves slowly
		}
		var out strings.Builder
		fresh := "\nDONE\nINFO timeout_turn 0\nINFO rule 0\nINFO show_detail 0\nINFO hash_size 1024\nINFO thread_num 1\n" +
			"INFO max_node 20\nSTART 15\nBEGIN\n"
		in := strings.NewReader(strings.ReplaceAll(strings.ToUpper(text), "END", "") + fresh)
		if err := Serve(t.Context(), open(), o, in, &out); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		last := lines[len(lines)-1]
		if _, err := ParseCell(15, last); err != nil {
			t.Fatalf("after %q a new game begins with %q", text, last)
		}
	})
}

func FuzzClassicalDialogue(f *testing.F) {
	fuzzDialogue(f, func() Open {
		return smallTables()
	}, Options{})
}

func FuzzTreeDialogue(f *testing.F) {
	loader := networks.NewLoader(networks.LoaderOptions{Threads: 1})
	fuzzDialogue(f, func() Open {
		open, _ := OpenTree(loader, networks.Uniform, engine.TreeOptions{
			Search: mcts.Options{Memory: 1 << 20}, Solvers: games.SolverNodes{Leaf: 20, Root: 50, Replies: 10},
		})
		return open
	}, Options{})
}

// largeTable matches numbers that could mean a table of many megabytes, but not
// those that no machine has memory for.
var largeTable = regexp.MustCompile(`(^|\D)0*\d{6,10}(\D|$)`)

// hasty is a time in which every deadline has passed, so that no clock that a
// client names takes any real time.
type hasty struct{}

func (hasty) Now() time.Time { return time.Unix(1000, 0) }

func (hasty) WithDeadline(ctx context.Context, _ time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx, cancel
}

// A move that came too late by some time is made up for by the next ones: they get so
// much less, and half of the limit on how late is kept back beside it, but never more
// than half a turn. What was punctual makes it less by a quarter.
func TestSlack(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name        string
		turn, slack time.Duration
		took        time.Duration
		want        time.Duration
	}{
		{"on time", 1000 * ms, 0, 900 * ms, 0},
		{"to the end of what is kept back", 1000 * ms, 0, 985 * ms, 0},
		{"a little beyond it", 1000 * ms, 0, 995 * ms, 10 * ms},
		{"at the limit", 1000 * ms, 0, 1000 * ms, 15 * ms},
		{"late", 1000 * ms, 0, 1200 * ms, 215 * ms},
		{"far too late", 1000 * ms, 0, 9000 * ms, 500 * ms},
		{"late by more than before", 1000 * ms, 100 * ms, 1200 * ms, 215 * ms},
		{"late by less than before", 1000 * ms, 400 * ms, 1100 * ms, 300 * ms},
		{"punctual again", 1000 * ms, 400 * ms, 500 * ms, 300 * ms},
		{"the last of it", 1000 * ms, ms, 500 * ms, 0},
		{"in a short turn", 40 * ms, 0, 60 * ms, 20 * ms},
		{"as fast as possible", 0, 0, 60 * ms, 0},
		{"without a limit", unlimited, 400 * ms, 9000 * ms, 300 * ms},
	} {
		s := newTiming()
		s.turn, s.slack = c.turn, c.slack
		if s.spend(c.took); s.slack != c.want {
			t.Errorf("%s: %v is kept back, want %v", c.name, s.slack, c.want)
		}
		if s.left != unlimited {
			t.Errorf("%s: %v left of a game without a limit", c.name, s.left)
		}
	}
}

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
	select {
	case h.asked <- struct{}{}:
	default:
	}
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
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"\n", "\r\n", "TURN 7,7", "x", "\x00\xff"}), 0, 30)
		text := strings.Join(parts.Draw(t, "text"), "")
		in := io.Reader(strings.NewReader(text))
		if rapid.Bool().Draw(t, "slow") {
			in = iotest.OneByteReader(in)
		}
		q := &queue{clock: newHand(), changed: make(chan struct{}, 1)}
		q.read(t.Context(), in)
		for i, want := range strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == '\r' }) {
			l, _, _ := q.next()
			if l.text != want {
				t.Fatalf("line %d is %q; want %q", i, l.text, want)
			}
		}
		if l, ok, said := q.next(); ok || !said.closed || said.err != nil {
			t.Fatalf("more than there is: %q, %v", l.text, said.err)
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

// leave connects a client to an engine that thinks until it is stopped, says
// something, and closes the input.
func leave(t *testing.T, clock engine.Time, engine *fake, text string) (answers *strings.Builder, ended chan error) {
	t.Helper()
	answers, ended = new(strings.Builder), make(chan error, 1)
	go func() {
		ended <- Serve(t.Context(), engine.open, Options{Time: clock}, strings.NewReader(text), answers)
	}()
	return answers, ended
}

// An END, or the end of the input, in the same write as other commands comes after them.
func TestEndInTheSameWrite(t *testing.T) {
	for _, end := range []string{"", "END", "END\nBEGIN\n", "end\r\n"} {
		for _, mark := range []string{"", "\ufeff"} {
			var out strings.Builder
			in := strings.NewReader(mark + "START 15\nBEGIN\nTURN 7,7\n" + end)
			if err := Serve(t.Context(), (&fake{}).open, Options{}, in, &out); err != nil ||
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
	for range 2 { // searches
		<-clock.asked
		clock.pass(lastSearch)
	}
	if err := <-ended; err != nil || out.String() != "OK\n0,14\n1,14\n" {
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
	if err := Serve(t.Context(), slow, Options{Time: clock}, strings.NewReader("START 15\nBEGIN\n"), &out); err != nil ||
		out.String() != "OK\n0,14\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
