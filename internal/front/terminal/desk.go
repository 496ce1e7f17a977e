package terminal

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
)

// role is what an engine is asked for.
type role int

// The roles: who plays, and who only gives an opinion.
const (
	opponent role = iota
	treeObserver
	classicalObserver
	roles
)

// question is what an engine is asked.
type question struct {
	id       int // of its answers
	game     int // of the session: what was learned in another one is forgotten
	variant  games.Variant
	strength Strength // of the opponent
	pos      game.Position
	ponder   bool // nothing is asked: the opponent thinks on a person's time
}

// thought is a message: what an engine says to a question.
type thought struct {
	role   role
	id     int
	answer *engine.Answer
	done   bool // it is the last word
	err    error
}

// tick is a message: a second has passed.
type tick struct{}

// fault is a message: an engine has panicked.
type fault struct{ text, stack string }

// How often an engine says what it knows so far.
const (
	opinionEvery = 200 * time.Millisecond
	second       = time.Second
)

// PonderTime bounds how long an opponent ponders in one turn of a person, who may have left.
const PonderTime = 5 * time.Minute

// desk is where engines think. ask and stop return at once and may be called by
// any goroutine; run starts the goroutines, one for each role, and joins them.
type desk struct {
	open    func(games.Variant, Strength) (*Player, error)
	observe func(games.Variant, players.PlayerKind) (*Player, error)
	send    func(tea.Msg)

	opening sync.Mutex   // open and observe are not called at once
	silence sync.RWMutex // held for writing while the opponent thinks
	places  [roles]place
}

// place is what the engine of a role has to do.
type place struct {
	mu     sync.Mutex
	next   *question          // that was asked and not begun
	cancel context.CancelFunc // of what goes on; nil: nothing
	hurry  context.CancelFunc // ends its search, which is then answered; nil: nothing
	hasty  bool               // next is to be answered at once
	wake   chan struct{}

	// Of the goroutine alone.
	player   *Player
	variant  games.Variant
	strength Strength
	game     int
}

// newDesk returns a desk at which the opponent sits already, unless it is nil.
func newDesk(o *Options) *desk {
	d := &desk{open: o.Open, observe: o.Observe}
	for s := range d.places {
		d.places[s].wake = make(chan struct{}, 1)
	}
	p := &d.places[opponent]
	p.player, p.variant, p.strength = o.Opponent, o.Variant, o.Strength
	return d
}

// ask has the engine of a role think about q instead of what it thinks about.
func (d *desk) ask(s role, q question) { d.places[s].put(&q) }

// stop ends the search of a role.
func (d *desk) stop(s role) { d.places[s].put(nil) }

// hurry has a role answer soon, with what it knows by then, also what it has not begun yet.
func (d *desk) hurry(s role) {
	p := &d.places[s]
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hasty = p.next != nil
	if !p.hasty && p.hurry != nil {
		p.hurry()
	}
}

func (p *place) put(q *question) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next, p.hasty = q, false
	if p.cancel != nil {
		p.cancel()
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// take returns the next question, the context of all that concerns it, and within that the
// context of the search.
func (p *place) take(ctx context.Context) (q *question, asked, searching context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q = p.next
	p.next, p.cancel, p.hurry = nil, nil, nil
	if q != nil {
		asked, p.cancel = context.WithCancel(ctx)
		searching, p.hurry = context.WithCancel(asked)
		if p.hasty {
			p.hurry()
		}
	}
	return q, asked, searching
}

// run serves the roles until ctx ends, and frees the engines.
func (d *desk) run(ctx context.Context) {
	var all sync.WaitGroup
	for s := range d.places {
		all.Go(func() { d.serve(ctx, role(s)) })
	}
	all.Go(func() {
		clock := time.NewTicker(second)
		defer clock.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-clock.C:
				d.send(tick{})
			}
		}
	})
	all.Wait()
}

// serve is the goroutine of a role.
func (d *desk) serve(ctx context.Context, s role) {
	p := &d.places[s]
	defer func() {
		if p.player != nil {
			p.player.Close()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		if q, asked, searching := p.take(ctx); q != nil {
			d.think(asked, searching, s, q)
			p.done()
		}
	}
}

// done frees the context of the last question.
func (p *place) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cancel != nil {
		p.cancel()
	}
}

// think answers one question, with what is known when searching ends. What was cancelled
// is not answered, and the opponent keeps nothing of it: its moves are a function of what
// it was asked and has answered, unless it ponders.
func (d *desk) think(ctx, searching context.Context, s role, q *question) {
	defer func() {
		if r := recover(); r != nil {
			d.send(fault{fmt.Sprint(r), string(debug.Stack())})
		}
	}()
	if s == opponent && !q.ponder {
		d.silence.Lock()
		defer d.silence.Unlock()
	} else {
		d.silence.RLock()
		defer d.silence.RUnlock()
	}
	if ctx.Err() != nil {
		return
	}
	player, err := d.engineOf(s, q)
	if err != nil && !q.ponder {
		d.send(thought{role: s, id: q.id, done: true, err: err})
	}
	if err != nil {
		return
	}
	if q.ponder {
		thinking, stop := context.WithTimeout(ctx, PonderTime)
		defer stop()
		player.Engine.Ponder(thinking, q.pos)
		return
	}
	limits := player.Limits
	limits.Every = opinionEvery
	limits.Report = func(a *engine.Answer) {
		if ctx.Err() == nil {
			d.send(thought{role: s, id: q.id, answer: a})
		}
	}
	a, err := player.Engine.Think(searching, q.pos, limits)
	switch {
	case ctx.Err() == nil:
		d.send(thought{role: s, id: q.id, answer: a, done: true, err: err})
	case s == opponent:
		player.Engine.Forget()
	}
}

// engineOf returns the engine of a role as q wants it.
func (d *desk) engineOf(s role, q *question) (*Player, error) {
	p := &d.places[s]
	if p.player != nil && p.variant == q.variant && p.strength == q.strength {
		if p.game != q.game {
			p.player.Engine.Forget()
		}
		p.game = q.game
		return p.player, nil
	}
	if p.player != nil {
		p.player.Close()
		p.player = nil
	}
	d.opening.Lock()
	defer d.opening.Unlock()
	var err error
	switch s {
	case opponent:
		p.player, err = d.open(q.variant, q.strength)
	case treeObserver:
		p.player, err = d.observe(q.variant, players.MCTS)
	default:
		p.player, err = d.observe(q.variant, players.AlphaBeta)
	}
	if err != nil {
		p.player = nil
		return nil, err
	}
	p.variant, p.strength, p.game = q.variant, q.strength, q.game
	return p.player, nil
}
