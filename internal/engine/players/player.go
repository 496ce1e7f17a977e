package players

import (
	"context"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/front/arena"
)

// player plays with an engine as an [arena.Player]. Without a clock and without pondering
// its moves are a function of the game's seed and moves if the engine's are.
type player struct {
	engine  engine.Engine
	limits  engine.Limits // of every move, besides the clock
	ponders bool          // during the opponent's turn

	// ponderOut means that pondering always uses up a budget of its own, so that moves do
	// not depend on the opponent's time.
	ponderOut bool

	quiet func() // stops pondering and waits for it

	// prepare, unless it is nil, is called before the first game, while no clock runs.
	prepare func() error
}

func newPlayer(e engine.Engine, l engine.Limits) *player {
	return &player{engine: e, limits: l, quiet: func() {}}
}

// NewGame implements [arena.Player].
func (p *player) NewGame(_ context.Context, start arena.Start) error {
	p.quiet()
	p.engine.Forget()
	if prepare := p.prepare; prepare != nil {
		p.prepare = nil
		if err := prepare(); err != nil {
			return err
		}
	}
	p.limits.Seed = start.Seed
	return nil
}

// Think implements [arena.Player].
func (p *player) Think(ctx context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	p.quiet()
	limits := p.limits
	limits.Clock = l.Clock
	a, err := p.engine.Think(ctx, pos, limits)
	if err == nil && p.ponders {
		pos = pos.Clone()
		pos.Play(a.Move)
		p.ponder(pos)
	}
	return a, err
}

// ponder starts pondering on pos, unless that is decided, until quiet is called.
func (p *player) ponder(pos game.Position) {
	if pos.Outcome() != game.Undecided {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.engine.Ponder(ctx, pos) })
	p.quiet = func() {
		if !p.ponderOut {
			cancel()
		}
		running.Wait()
		cancel()
	}
}

// Close implements [arena.Player].
func (p *player) Close() error {
	p.quiet()
	return p.engine.Close()
}
