package client

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

	"go.uber.org/goleak"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/front/gomocup"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
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

// open is a gomocup.Open.
func open(gomocup.Settings) (engine.Engine, error) { return searcher{}, nil }

// play is the main function of a program.
func play(character string) int {
	switch character {
	case "engine":
		if err := gomocup.New(open, gomocup.Options{Nodes: 30}).Run(context.Background(), os.Stdin, os.Stdout); err != nil {
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
	p, err := New(options("immortal"))
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
	moves, starts := 0, 0
	for scanner.Scan() {
		switch verb, _, _ := strings.Cut(scanner.Text(), " "); verb {
		case "START":
			if character == "refuses" {
				fmt.Println("ERROR only 20x20")
				continue
			}
			starts++
			if character == "drowsy" && starts == 2 || character == "asleep" && starts > 1 {
				fmt.Println("ERROR Unknown command: 5") // it has not heard the first word
				continue
			}
			fmt.Print("MESSAGE hello\r\n\r\nDEBUG 1\nOK\r\n")
		case "INFO":
			fmt.Println("UNKNOWN what?")
		case "END":
			return 0
		case "BEGIN", "TURN", "DONE":
			moves++
			switch character {
			case "grumbles": // about its clock, and the third time about the move too
				fmt.Print(strings.Repeat("ERROR time_left\n", []int{0, 3, 4}[moves-1]))
				fmt.Printf("%d,0\n", moves)
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
			case "drowsy", "asleep":
				fmt.Println("4,4")
			case "corner":
				fmt.Print("MESSAGE thinking\n\nDEBUG x\n0,4\n")
			case "suggests":
				fmt.Println("SUGGEST 2,2")
			case "obedient": // moves when it is stopped
			case "endless":
				fmt.Println(strings.Repeat("x", 2*longestLine))
			}
		case "PLAY":
			fmt.Println(strings.TrimPrefix(scanner.Text(), "PLAY "))
		case "YXSTOP":
			fmt.Println("3,3")
		}
	}
	return 0
}
