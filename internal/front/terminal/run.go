package terminal

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
)

// Options describe a game at a terminal.
type Options struct {
	Variant  games.Variant
	Start    game.Position // left alone
	Moves    []game.Move   // that were played from Start, all legal
	Human    Sides
	Strength Strength

	// Opponent is an engine of Strength for Variant, which Run closes; nil: it is
	// opened when it is to move.
	Opponent *Player

	// Open and Observe set up engines for other games and strengths, and those
	// whose opinion is shown, which think until their limits or until they are not
	// asked any more. They are called by one goroutine at a time, not always the
	// same.
	Open    func(v games.Variant, s Strength) (*Player, error)
	Observe func(v games.Variant, kind players.PlayerKind) (*Player, error)

	// Endgames say how positions end that they have, beside the opinions; nil: none. The
	// engines are as they are set up.
	Endgames games.Endgames

	ASCII    bool   // no other letters
	NoMouse  bool   // the terminal keeps the mouse
	Quiet    bool   // begin without the opinions
	NoPonder bool   // the opponent does not think while a person does
	Folder   string // of games that are saved without a name
	Program  string // that writes SGF, "name:version"; "": not told

	In, Out  *os.File // the terminal
	Messages io.Writer
	Environ  []string         // of the terminal: TERM, COLORTERM, NO_COLOR and so on; nil: the process's
	Now      func() time.Time // nil: time.Now
}

// Result is the game that was on the screen at the end.
type Result struct {
	Variant  games.Variant
	Start    game.Position
	Moves    []game.Move
	Human    Sides
	Strength Strength
	Outcome  game.Outcome // Undecided: it goes on
	Text     string       // the outcome in a line, "" while it goes on
}

// ErrInterrupted says that a person pressed Ctrl-C.
var ErrInterrupted = fmt.Errorf("interrupted at the keyboard: %w", context.Canceled)

// Screen is a terminal that shows a game. Make one with New.
type Screen struct {
	model   *model
	desk    *desk
	opts    *Options
	program *tea.Program
}

// New returns the screen of a game, not shown yet.
func New(o Options) *Screen {
	if o.Messages == nil {
		o.Messages = io.Discard
	}
	s := &Screen{desk: newDesk(&o), opts: &o}
	s.model = newModel(&o, s.desk)
	set := []tea.ProgramOption{
		tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond),
	}
	if o.Environ != nil {
		set = append(set, tea.WithEnvironment(o.Environ))
	}
	guarded := &guard{model: s.model}
	s.program = tea.NewProgram(guarded, set...)
	guarded.quit = s.program.Quit
	s.desk.send = s.program.Send
	return s
}

// framesPerSecond bounds how often the screen is drawn: a slow line has time for
// keys too.
const framesPerSecond = 30

// Notice shows a line to the person while Run shows the screen. It does not
// block.
func (s *Screen) Notice(text string) { go s.program.Send(notice(text)) }

// Run shows the screen until the person leaves, which is no error, ctx ends, or
// something fails; whatever happens, the terminal is as it was before. The result
// is that of the game so far in any case. The engines are closed.
func (s *Screen) Run(ctx context.Context) (Result, error) {
	thinking, cancel := context.WithCancel(ctx)
	var desk sync.WaitGroup
	desk.Go(func() { s.desk.run(thinking) })
	desk.Go(func() {
		<-thinking.Done()
		s.program.Quit() // does nothing once it has ended
	})
	_, err := s.program.Run()
	cancel()
	desk.Wait()
	m := s.model
	switch {
	case m.fault != nil:
		fmt.Fprintln(s.opts.Messages, m.fault.stack)
		err = fmt.Errorf("the program itself failed: %s", m.fault.text)
	case ctx.Err() != nil:
		err = ctx.Err()
	case err == nil && m.interrupted:
		err = ErrInterrupted
	}
	return m.result(), err
}

// result returns the game so far.
func (m *model) result() Result {
	r := Result{
		Variant: m.record.variant, Start: m.record.start, Moves: m.record.played(), Human: m.people, Strength: m.strength,
		Outcome: m.record.outcome(),
	}
	if m.over() {
		m.announce()
		r.Text = m.message
	}
	return r
}

// guard is the model as Bubble Tea has it: a panic of the model ends the program
// in the usual way, which leaves the terminal as it was.
type guard struct {
	*model
	quit func()
}

// Update implements [tea.Model].
func (g *guard) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = g
	defer func() {
		if r := recover(); r != nil {
			g.failed(r)
			cmd = tea.Quit
		}
	}()
	_, cmd = g.model.Update(msg)
	return next, cmd
}

// View implements [tea.Model].
func (g *guard) View() (v tea.View) {
	defer func() {
		if r := recover(); r != nil {
			g.failed(r)
			v = tea.View{AltScreen: true}
			go g.quit()
		}
	}()
	return g.model.View()
}

// failed takes note of the first panic.
func (g *guard) failed(r any) {
	if g.model.fault == nil {
		g.model.fault = &fault{fmt.Sprint(r), string(debug.Stack())}
	}
}
