package gomocup

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"go.uber.org/goleak"
)

// The test binary is its own opponent: with this flag it is a program of the
// named character.
var character = flag.String("child", "", "play a program of this character instead of testing")

func TestMain(m *testing.M) {
	flag.Parse()
	if *character != "" {
		os.Exit(play(*character))
	}
	goleak.VerifyTestMain(m)
}

// searcher is an engine without knowledge.
type searcher struct{}

func (searcher) Forget()                               {}
func (searcher) Ponder(context.Context, game.Position) {}
func (searcher) Close() error                          { return nil }

func (searcher) Think(ctx context.Context, pos game.Position, limits engine.Limits) (*engine.Answer, error) {
	s := mcts.New(mcts.Options{}, nn.NewUniform(8), nil)
	if err := s.SetPosition(pos); err != nil {
		return nil, err
	}
	if err := s.Search(ctx, mcts.Limits{Playouts: int(limits.Nodes)}); err != nil && ctx.Err() == nil {
		return nil, err
	}
	var r mcts.Result
	s.Result(&r)
	return &engine.Answer{Move: r.Move}, nil
}

// openSearcher is an Open.
func openSearcher(Settings) (engine.Engine, error) { return searcher{}, nil }

// play is the main function of a program.
func play(character string) int {
	switch character {
	case "engine":
		if err := Serve(context.Background(), openSearcher, Options{Nodes: 30}, os.Stdin, os.Stdout); err != nil {
			return 1
		}
		return 0
	case "dead":
		fmt.Fprintln(os.Stderr, "loading\nno such library")
		return 3
	case "deaf":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case "immortal":
		// Its own child keeps the pipes open too.
		cmd := exec.Command(os.Args[0], "-child=deaf-forever")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return 1
		}
		fmt.Println("MESSAGE ready")
		waitForever()
	case "deaf-forever":
		waitForever()
	case "owner":
		return own()
	}
	return script(character)
}

// own starts a program that has started another one, says so, and waits to be
// killed.
func own() int {
	p, err := NewPlayer(programOptions("immortal"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	line, err := p.child.receive(context.Background(), nil)
	fmt.Println(line, err)
	waitForever()
	return 0
}

// waitForever ends with the process only, and is no deadlock to the runtime.
func waitForever() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	for range c {
	}
}

// script answers START, and a move with whatever the character says.
func script(character string) int {
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		switch verb, _, _ := strings.Cut(scanner.Text(), " "); verb {
		case "START":
			if character == "refuses" {
				fmt.Println("ERROR only 20x20")
				continue
			}
			fmt.Print("MESSAGE hello\r\n\r\nDEBUG 1\nOK\r\n")
		case "INFO":
			fmt.Println("UNKNOWN what?")
		case "END":
			return 0
		case "BEGIN", "TURN", "DONE":
			switch character {
			case "dies":
				fmt.Fprintln(os.Stderr, "segmentation fault")
				return 139
			case "hangs":
				waitForever()
			case "nonsense":
				fmt.Println("I resign!")
			case "outside":
				fmt.Println("15,3")
			case "error":
				fmt.Println("ERROR I am lost")
			case "mute":
				os.Stdout.Close()
			case "corner":
				fmt.Print("MESSAGE thinking\n\nDEBUG x\n0,4\n")
			case "suggests":
				fmt.Println("SUGGEST 2,2")
			case "obedient": // moves when it is stopped
			case "endless":
				fmt.Println(strings.Repeat("x", 2*longestAnswer))
			}
		case "PLAY":
			fmt.Println(strings.TrimPrefix(scanner.Text(), "PLAY "))
		case "YXSTOP":
			fmt.Println("3,3")
		}
	}
	return 0
}

// answering returns a player whose program writes that and ends, whatever it is
// told. The caller waits for the channel at last, after it has closed the
// child's done.
func answering(text string) (*Player, chan struct{}) {
	c := &process{
		name: "program", cmd: &exec.Cmd{}, stdin: discard{}, stderr: &tail{},
		lines: make(chan string), done: make(chan struct{}), exited: make(chan struct{}),
	}
	close(c.exited)
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.scan(strings.NewReader(text))
	}()
	return &Player{opts: PlayerOptions{Command: []string{"program"}, Size: 5}, startLimit: startLimit, child: c}, read
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
		"", "OK\n2,2\n", "OK\r\n\r\nMESSAGE hello\r\nDEBUG\n0,4", "ERROR no\n", "UNKNOWN", "OK\nERROR lost",
		"OK\nSUGGEST 2,2\n1,1\n",
		"OK\n5,5", "OK\n-1,2", "OK\n2,2,2", "OK\n2", "OK\n , ", "OK\n99999999999999999999,0", "OK\n+1,1", "OK\nI resign!",
		"OK\n\x1b[2J\x1b]0;owned\a", "ok\n\u202e2,2", "OK\n\xff\xfe,\x00", "ERROR \x1b[31m\u0085\u009b", "OK\n\u00a0" + "1,1",
		"OK\nFORBID .\n3,3",
		"OK\n" + strings.Repeat("MESSAGE x\n", 100) + "4,4\n", "OK\n" + strings.Repeat("9", longestAnswer+1),
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
			if a, err = p.Think(context.Background(), small(t, "a1"), l); err == nil {
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
