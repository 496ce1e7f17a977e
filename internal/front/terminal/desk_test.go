package terminal

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"go.uber.org/goleak"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// thinker is an engine that tells a test what is asked of it and answers when
// the test wants it to, or when it is cancelled.
type thinker struct {
	mu      sync.Mutex
	calls   []string
	began   chan struct{}
	release chan game.Move

	entered, left func() // are called at both ends of Think
}

func newThinker() *thinker {
	return &thinker{began: make(chan struct{}, 100), release: make(chan game.Move, 100), entered: func() {}, left: func() {}}
}

func (e *thinker) note(call string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls = append(e.calls, call)
}

func (e *thinker) noted() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.calls)
}

func (e *thinker) Think(ctx context.Context, _ game.Position, l engine.Limits) (*engine.Answer, error) {
	e.note("think")
	e.entered()
	defer e.left()
	e.began <- struct{}{}
	l.Report(&engine.Answer{})
	select {
	case m := <-e.release:
		if m == game.NoMove {
			panic("an engine's own mistake")
		}
		return &engine.Answer{Move: m}, nil
	case <-ctx.Done():
		return &engine.Answer{}, nil
	}
}

func (e *thinker) Ponder(ctx context.Context, _ game.Position) {
	e.note("ponder")
	e.began <- struct{}{}
	<-ctx.Done()
	e.note("pondered")
}

func (e *thinker) Forget()      { e.note("forget") }
func (e *thinker) Close() error { return nil }

// player returns the engine as a Player.
func (e *thinker) player() *Player { return &Player{Engine: e, Close: func() { e.note("close") }} }

// served is a desk that runs, with what it has sent.
type served struct {
	*desk
	sent   chan tea.Msg
	finish func()
}

// serve runs a desk at which engines sit that open and observe give.
func serve(o *Options) *served {
	s := &served{desk: newDesk(o), sent: make(chan tea.Msg, 1000)}
	s.desk.send = func(m tea.Msg) {
		if _, ok := m.(tick); !ok {
			s.sent <- m
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.desk.run(ctx)
	}()
	s.finish = func() { cancel(); <-done }
	return s
}

// last returns the next final answer of a role, or the next fault.
func (s *served) last() tea.Msg {
	for m := range s.sent {
		if word, ok := m.(thought); !ok || word.done {
			return m
		}
	}
	return nil
}

// A question takes the place of the one before, which is not answered and leaves
// nothing in the opponent's memory.
func TestQuestionsThatAreOutOfDate(t *testing.T) {
	e := newThinker()
	s := serve(&Options{Opponent: e.player()})
	s.ask(opponent, question{id: 1})
	<-e.began
	s.ask(opponent, question{id: 2})
	<-e.began
	e.release <- 7
	if w := s.last().(thought); w.id != 2 || w.answer.Move != 7 || w.err != nil {
		t.Errorf("answered %+v", w)
	}
	s.ask(opponent, question{id: 3})
	<-e.began
	s.stop(opponent)
	s.ask(opponent, question{id: 4, game: 1})
	<-e.began
	e.release <- 8
	if w := s.last().(thought); w.id != 4 {
		t.Errorf("answered %+v", w)
	}
	s.finish()
	want := []string{"think", "forget", "think", "think", "forget", "forget", "think", "close"}
	if got := e.noted(); !slices.Equal(got, want) {
		t.Errorf("the engine was asked to %v, want %v", got, want)
	}
}

// The opponent begins when the observers have ended, and they not before it has.
func TestTheOpponentThinksAlone(t *testing.T) {
	player, watcher := newThinker(), newThinker()
	var order []string // locked by the silence that the desk keeps, which is what the race detector sees
	player.entered = func() { order = append(order, "opponent") }
	watcher.left = func() {
		for range 10_000 { // a desk that does not wait has time to show it
			runtime.Gosched()
		}
		order = append(order, "observer ends")
	}
	s := serve(&Options{
		Opponent: player.player(),
		Observe: func(games.Variant, players.PlayerKind) (*Player, error) {
			return watcher.player(), nil
		},
	})
	s.ask(treeObserver, question{id: 1})
	<-watcher.began
	s.ask(opponent, question{id: 2})
	s.stop(treeObserver)
	<-player.began
	s.ask(classicalObserver, question{id: 3})
	player.release <- 1
	if w := s.last().(thought); w.id != 2 || w.role != opponent {
		t.Errorf("answered %+v", w)
	}
	<-watcher.began
	s.finish()
	if got, want := watcher.noted(), []string{"think", "think", "close", "close"}; !slices.Equal(got, want) {
		t.Errorf("the observers were asked to %v, want %v", got, want)
	}
	if want := []string{"observer ends", "opponent", "observer ends"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
}

// Another strength is another engine; one that cannot be opened is an answer.
func TestAnotherStrength(t *testing.T) {
	first, next := newThinker(), newThinker()
	next.release <- 5
	s := serve(&Options{
		Opponent: first.player(), Strength: easy(),
		Open: func(_ games.Variant, s Strength) (*Player, error) {
			if s.Nodes == 1 {
				return nil, errors.New("no such engine")
			}
			return next.player(), nil
		},
	})
	s.ask(opponent, question{id: 1, strength: Strength{Nodes: 1}})
	if w := s.last().(thought); w.err == nil || !w.done {
		t.Errorf("answered %+v", w)
	}
	s.ask(opponent, question{id: 2, strength: Strength{Nodes: 2}})
	if w := s.last().(thought); w.err != nil || w.answer.Move != 5 {
		t.Errorf("answered %+v", w)
	}
	s.finish()
	if got := first.noted(); !slices.Equal(got, []string{"close"}) {
		t.Errorf("the first engine was asked to %v", got)
	}
	if got := next.noted(); !slices.Equal(got, []string{"think", "close"}) {
		t.Errorf("the next engine was asked to %v", got)
	}
}

// A panic of an engine is shown, and the desk can still be left.
func TestAnEngineThatPanics(t *testing.T) {
	e := newThinker()
	e.release <- game.NoMove
	s := serve(&Options{Opponent: e.player()})
	s.ask(opponent, question{id: 1})
	if f, ok := s.last().(fault); !ok || f.text != "an engine's own mistake" || f.stack == "" {
		t.Errorf("told %+v", f)
	}
	s.finish()
}

// What is hurried before its engine takes it is answered at once too, and no question after it.
func TestHurriedBeforeItBegins(t *testing.T) {
	d := newDesk(&Options{})
	p := &d.places[opponent]
	for _, c := range []struct {
		name         string
		hurry, again bool
		want         bool
	}{
		{name: "not hurried"},
		{name: "hurried", hurry: true, want: true},
		{name: "hurried and asked something else", hurry: true, again: true},
	} {
		d.ask(opponent, question{id: 1})
		if c.hurry {
			d.hurry(opponent)
		}
		if c.again {
			d.ask(opponent, question{id: 2})
		}
		_, asked, searching := p.take(t.Context())
		if asked.Err() != nil || (searching.Err() != nil) != c.want {
			t.Errorf("%s: the question ends with %v, its search with %v", c.name, asked.Err(), searching.Err())
		}
		p.done()
	}
}

// Who is hurried answers, with what is known; pondering ends with the next question and is
// not forgotten.
func TestHurriedAndPondering(t *testing.T) {
	e := newThinker()
	s := serve(&Options{Opponent: e.player()})
	s.ask(opponent, question{id: 1})
	<-e.began
	s.hurry(opponent)
	if w := s.last().(thought); w.id != 1 || w.answer == nil || w.err != nil {
		t.Errorf("answered %+v", w)
	}
	s.hurry(opponent) // of whom nothing is wanted
	s.ask(opponent, question{id: 2, ponder: true})
	<-e.began
	s.ask(opponent, question{id: 3})
	<-e.began
	e.release <- 5
	if w := s.last().(thought); w.id != 3 || w.answer.Move != 5 {
		t.Errorf("answered %+v", w)
	}
	s.finish()
	if got, want := e.noted(), []string{"think", "ponder", "pondered", "think", "close"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
