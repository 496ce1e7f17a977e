package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/selfplay/arena"
)

// classicalArgs are the arguments of an alphabeta player beside techniques.
var classicalArgs = []string{"nodes", "depth", "level", "threads", "table", "ponder", "weights", "name", "tc", "time"}

// defaultNodes is the budget of a move where a description names none.
const defaultNodes = 100_000

// playerTableMiB is the size of a player's table where a description names none.
const playerTableMiB = 16

// MaxThreads bounds the threads of one search.
const MaxThreads = 256

// classicalSetup is what an alphabeta player's description says.
type classicalSetup struct {
	engine ClassicalOptions
	limits alphabeta.Limits // Nodes and Depth
	ponder bool
}

// classicalOptions reads the arguments of an alphabeta player.
func classicalOptions(spec arena.Spec) (s classicalSetup, err error) {
	if err := spec.Args.Only(append(Techniques(), classicalArgs...)...); err != nil {
		return s, err
	}
	nodes := 0
	for _, read := range []func() error{
		func() (err error) { nodes, err = spec.Args.Int("nodes", 0, 1, maxBudget); return },
		func() (err error) { s.limits.Depth, err = spec.Args.Int("depth", 0, 1, alphabeta.MaxDepth); return },
		func() (err error) { s.engine.Search.Threads, err = spec.Args.Int("threads", 1, 1, MaxThreads); return },
		func() (err error) {
			s.engine.Search.TableMiB, err = spec.Args.Int("table", playerTableMiB, 1, maxMemory)
			return
		},
		func() (err error) { s.ponder, err = spec.Args.Bool("ponder", false); return },
		func() (err error) { s.engine.Weights, err = readWeights(spec.Args); return },
		func() error { return readTechniques(spec.Args, &s.engine.Search) },
	} {
		if err := read(); err != nil {
			return s, err
		}
	}
	s.limits.Nodes = int64(nodes)
	bounded := nodes > 0 || s.limits.Depth > 0 || spec.Control.Limited()
	if name, ok := spec.Args.Get("level"); ok {
		if bounded {
			return s, errors.New("a level has a budget of its own: leave out nodes, depth, time and tc")
		}
		s.engine.Level, err = ParseLevel(name)
		return s, err
	}
	if !bounded {
		s.limits.Nodes = defaultNodes
	}
	return s, nil
}

// CheckTables returns an error if the tables of all the alphabeta players that
// so many workers make for a match are larger, together, than the memory.
func CheckTables(specs []arena.Spec, workers int) error {
	total := 0
	for _, spec := range specs {
		if spec.Kind != arena.AlphaBeta {
			continue
		}
		setup, err := classicalOptions(spec)
		if err != nil {
			return err
		}
		total += workers * setup.engine.Search.TableMiB
	}
	if err := alphabeta.CheckTable(total); err != nil {
		return fmt.Errorf("the tables of all players of %d workers: %w", workers, err)
	}
	return nil
}

// readWeights reads which weights of the evaluation a player uses.
func readWeights(args arena.Args) (Weights, error) {
	text, ok := args.Get("weights")
	switch {
	case !ok || text == "fitted":
		return FittedWeights, nil
	case text == "hand":
		return HandWeights, nil
	}
	return FittedWeights, fmt.Errorf("weights=%s: want fitted or hand", text)
}

// classicalEntrant builds a player that plays by alpha-beta.
func (p *Players) classicalEntrant(spec arena.Spec) (arena.Entrant, error) {
	setup, err := classicalOptions(spec)
	if err != nil {
		return arena.Entrant{}, err
	}
	return arena.Entrant{
		Name:    spec.Name(),
		Control: spec.Control,
		New: func(context.Context) (arena.Player, error) {
			c, err := NewClassical(p.variant, setup.engine)
			if err != nil {
				return nil, err
			}
			return &classicalPlayer{setup: setup, engine: c}, nil
		},
	}, nil
}

// classicalPlayer plays by alpha-beta. With one thread, without a clock and
// without pondering its moves are a function of the game's seed and moves.
type classicalPlayer struct {
	setup  classicalSetup
	engine *Classical
	seed   uint64
	moves  int // own moves of this game
}

// NewGame implements [arena.Player].
func (p *classicalPlayer) NewGame(_ context.Context, start arena.Start) error {
	p.engine.Forget()
	p.seed, p.moves = start.Seed, 0
	return nil
}

// Move implements [arena.Player].
func (p *classicalPlayer) Move(ctx context.Context, pos game.Position, clock arena.Clock) (game.Move, error) {
	limits := p.timing(clock).Limits()
	limits.Nodes, limits.Depth = p.setup.limits.Nodes, p.setup.limits.Depth
	m, r, err := p.engine.Choose(ctx, pos, limits, p.seed)
	if err != nil {
		return game.NoMove, fmt.Errorf("searching: %w", err)
	}
	p.moves++
	if p.setup.ponder {
		p.engine.Ponder(pos, &r)
	}
	return m, nil
}

// arenaOverhead is what passes on a move outside the search: the way to the
// referee, within the program.
const arenaOverhead = 5 * time.Millisecond

// timing returns what a clock says.
func (p *classicalPlayer) timing(clock arena.Clock) alphabeta.Timing {
	t := alphabeta.Timing{Turn: clock.Control.Turn, Moves: p.moves, Overhead: arenaOverhead}
	if clock.Control.Base > 0 || clock.Control.Increment > 0 {
		t.Left, t.Increment = max(clock.Left, 1), clock.Control.Increment
	}
	return t
}

// Close implements [arena.Player].
func (p *classicalPlayer) Close() error {
	p.engine.Quiet()
	return nil
}
