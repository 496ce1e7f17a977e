package gomocup

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
)

func programOptions(character string) PlayerOptions {
	return PlayerOptions{Command: []string{os.Args[0], "-child=" + character}, Size: 5}
}

func beginPlayer(t *testing.T, opts PlayerOptions) *Player {
	t.Helper()
	p, err := NewPlayer(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	if err := p.NewGame(t.Context(), arena.Start{}); err != nil {
		t.Fatal(err)
	}
	return p
}

func small(t *testing.T, text string) *gomoku.Board {
	t.Helper()
	rules, err := gomoku.Lookup("freestyle")
	if err != nil {
		t.Fatal(err)
	}
	b, err := gomoku.ParsePosition(rules, 5, text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFaultsAreOneLine(t *testing.T) {
	for _, c := range []struct{ character, want string }{
		{"dies", "exit status 139); its last words were \"segmentation fault\""},
		{"nonsense", "answered nonsense to BEGIN: \"I RESIGN!\": want x,y"},
		{"outside", "15,3 is off the board"},
		{"error", "answered \"ERROR I am lost\" to BEGIN"},
		{"mute", "closed its standard input or output"},
		{"endless", "wrote a line of more than 65536 bytes"},
	} {
		p := beginPlayer(t, programOptions(c.character))
		_, err := p.Think(t.Context(), small(t, ""), engine.Limits{})
		if err == nil || !strings.Contains(strings.ToUpper(err.Error()), strings.ToUpper(c.want)) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", c.character, err, c.want)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestFaultsAtTheStart(t *testing.T) {
	for _, c := range []struct{ character, want string }{
		{"dead", "exit status 3); its last words were \"no such library\""},
		{"deaf", "did not answer START within 50ms"},
		{"refuses", "answered \"ERROR only 20x20\" to START 5"},
	} {
		p, err := NewPlayer(programOptions(c.character))
		if err != nil {
			t.Fatal(err)
		}
		if c.character == "deaf" {
			p.startLimit = 50 * time.Millisecond
		}
		err = p.NewGame(t.Context(), arena.Start{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.character, err, c.want)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := NewPlayer(PlayerOptions{Command: []string{"./no-such-program"}, Size: 15}); err == nil {
		t.Error("a program that is not there is no error")
	}
}

// A program that hangs is left alone when the context ends, and killed.
func TestAStuckProgramIsKilled(t *testing.T) {
	p := beginPlayer(t, programOptions("hangs"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.Think(ctx, small(t, ""), engine.Limits{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if p.child.cmd.ProcessState == nil {
		t.Error("the program was not waited for")
	}
}

// The whole process group dies, so that no grandchild holds the pipes.
func TestGrandchildrenDieToo(t *testing.T) {
	p, err := NewPlayer(programOptions("immortal"))
	if err != nil {
		t.Fatal(err)
	}
	if line, err := p.child.receive(t.Context(), nil); line != "MESSAGE ready" {
		t.Fatalf("%q, %v", line, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.NewGame(ctx, arena.Start{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func TestMoves(t *testing.T) {
	clock := engine.Clock{Turn: 20 * time.Millisecond}
	for _, c := range []struct {
		character, position, want string
		clock                     engine.Clock
	}{
		{"corner", "", "a1", engine.Clock{}},
		{"suggests", "a1b1", "c3", engine.Clock{}},
		{"obedient", "a1", "d2", clock},
	} {
		p := beginPlayer(t, programOptions(c.character))
		a, err := p.Think(t.Context(), small(t, c.position), engine.Limits{Clock: c.clock})
		if err != nil {
			t.Fatalf("%s: %v", c.character, err)
		}
		if got := (gomoku.Notation{Size: 5}).FormatMove(a.Move); got != c.want {
			t.Errorf("%s: played %s, want %s", c.character, got, c.want)
		}
	}
}

// What is written behind a move is no part of it, nor is a byte-order mark.
func TestAnswers(t *testing.T) {
	for answer, want := range map[string]string{
		"2,2": "c3", "0,0 (eval 0.1)": "a5", "0,0;": "a5", "1, 4 ; best": "b1", "3,3\teval -2,5": "d2",
		"2,2,2": "nonsense", "2,2 3,3": "nonsense", "2,2x": "nonsense", "2 2": "nonsense", "(2,2)": "nonsense",
	} {
		p, read := answering("\ufeffOK\n" + answer + "\n")
		err := p.NewGame(t.Context(), arena.Start{})
		var a *engine.Answer
		if err == nil {
			a, err = p.Think(t.Context(), small(t, "a1"), engine.Limits{})
		}
		close(p.child.done)
		<-read
		got := "nonsense"
		if err == nil {
			got = gomoku.Notation{Size: 5}.FormatMove(a.Move)
		}
		if got != want {
			t.Errorf("%q is read as %s, %v", answer, got, err)
		}
	}
}

func TestRequests(t *testing.T) {
	p := &Player{opts: PlayerOptions{Size: 5}}
	for _, c := range []struct{ known, position, want string }{
		{"", "", "BEGIN"},
		{"", "c3", "TURN 2,2"},
		{"", "c3a1", "BOARD 2,2,1 0,4,2 DONE"},
		{"c3", "c3a1", "TURN 0,4"},
		{"c3a1b1", "c3a1b1e5", "TURN 4,0"},
		{"c3", "c3a1b1e5", "BOARD 2,2,1 0,4,2 1,4,1 4,0,2 DONE"},
		{"c3", "a1", "BOARD 0,4,2 DONE"},
		{"c3a1", "c3b1", "BOARD 2,2,1 1,4,2 DONE"},
	} {
		p.known = nil
		if c.known != "" {
			p.known = small(t, c.known).History()
		}
		if got := strings.Join(p.request(small(t, c.position)), " "); got != c.want {
			t.Errorf("%s after %q: %q, want %q", c.position, c.known, got, c.want)
		}
	}
	setup, err := gomoku.NewSetup(small(t, "").Rules(), 5,
		gomoku.Setup{Stones: slices.Concat([]gomoku.Stone{1, 2}, make([]gomoku.Stone, 23))})
	if err != nil {
		t.Fatal(err)
	}
	setup.Play(12)
	p.known = nil
	if got := strings.Join(p.request(setup), " "); got != "BOARD 0,4,2 1,4,1 2,2,2 DONE" {
		t.Errorf("a setup and a move: %q", got)
	}
}

func TestInfo(t *testing.T) {
	for _, c := range []struct {
		opts PlayerOptions
		want string
	}{
		{PlayerOptions{}, ""},
		{PlayerOptions{Nodes: 500, Memory: 1 << 20}, "max_memory 1048576; max_node 500"},
		{PlayerOptions{Control: arena.TimeControl{Turn: time.Second}}, "timeout_turn 1000; timeout_match 0"},
		{PlayerOptions{Control: arena.TimeControl{Base: time.Minute, Increment: time.Second / 2}},
			"timeout_turn 60500; timeout_match 60000; time_increment 500"},
	} {
		c.opts.Rule = 9
		p := &Player{opts: c.opts}
		want := "INFO game_type 1; INFO rule 9"
		for _, part := range strings.Split(c.want, "; ") {
			if part != "" {
				want += "; INFO " + part
			}
		}
		if got := strings.Join(p.info(), "; "); got != want {
			t.Errorf("%+v: %s, want %s", c.opts, got, want)
		}
	}
}

// lowest plays the legal move of the lowest number.
type lowest struct{}

func (lowest) NewGame(context.Context, arena.Start) error { return nil }

func (lowest) Think(_ context.Context, pos game.Position, _ engine.Limits) (*engine.Answer, error) {
	return &engine.Answer{Move: pos.Moves(nil)[0]}, nil
}

func (lowest) Close() error { return nil }

// The engine as a program of its own meets a simple player; the referee's clock is more
// generous than the one that the program is told of.
func TestTheEnginePlaysItsOwnServer(t *testing.T) {
	for _, c := range []struct{ told, generous arena.TimeControl }{
		{},
		{arena.TimeControl{Turn: 100 * time.Millisecond, Base: time.Minute},
			arena.TimeControl{Turn: time.Minute, Base: time.Hour}},
	} {
		opts := programOptions("engine")
		opts.Control = c.told
		m, err := arena.New(arena.Options{
			Entrants: [2]arena.Entrant{
				{Name: "program", Control: c.generous, New: func() (arena.Player, error) { return NewPlayer(opts) }},
				{Name: "simple", New: func() (arena.Player, error) { return lowest{}, nil }},
			},
			Games: 4, Start: small(t, ""), Notation: gomoku.Notation{Size: 5}, Workers: 2, HangLimit: 30 * time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := m.Run(t.Context()); err != nil || r.Games != 4 || r.Forfeits != 0 {
			t.Errorf("%v: %+v, %v", c, r, err)
		}
	}
}
