// Package rounds does the work of package selfplay/loop with this program's games
// and engines: it plays the games of rounds, tries the networks that trainers
// write, and referees and examines candidates.
package rounds

import (
	"fmt"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/selfplay/loop"
)

// Worker does the work of a loop, one thing at a time.
type Worker struct {
	Loader          *engine.Loader
	Version, Commit string // of the program, for the samples
	Program         string // names this build: matches and cross-checks go on only with the same
}

// Host returns a loop's host that works with w.
func (w *Worker) Host() loop.Host {
	return loop.Host{Player: w, Networks: w, Referee: w, Examiner: w, Program: w.Program}
}

// variantOf returns the variant of a board.
func variantOf(b loop.Board) (engine.Variant, error) {
	return engine.NewVariant(engine.VariantOptions{Game: b.Game, Rule: b.Rule, Size: b.Size, OpenRule: b.OpenRule})
}

// settle fills in what a board leaves open.
func settle(b *loop.Board, at string) (engine.Variant, error) {
	v, err := variantOf(*b)
	if err != nil {
		return v, &loop.KeyError{Key: at + "rule", Err: err}
	}
	b.Game, b.Rule, b.Size = v.Game, v.Rule(), v.Size
	return v, nil
}

// Check implements [loop.Player].
func (w *Worker) Check(c *loop.Config) error {
	for i := range c.Games {
		g := &c.Games[i]
		at := fmt.Sprintf("games[%d].", i+1)
		v, err := settle(&g.Board, at)
		if err != nil {
			return err
		}
		p, err := readPlayer(g)
		if err != nil {
			return &loop.KeyError{Key: at + "player", Err: err}
		}
		opts := p.options(g, v, 0)
		if err := opts.Check(); err != nil {
			return &loop.KeyError{Key: at + "games", Err: err}
		}
		if err := p.checkMemory(v, workers(c.Workers), c.AtOnce, c.Cache); err != nil {
			return &loop.KeyError{Key: at + "player", Err: err}
		}
	}
	for i := range c.Gate.Boards {
		f := &c.Gate.Boards[i]
		at := fmt.Sprintf("gate.boards[%d].", i+1)
		v, err := settle(&f.Board, at)
		if err == nil && f.Openings != "" {
			if _, err = readOpenings(v, f.Openings); err != nil {
				err = &loop.KeyError{Key: at + "openings", Err: err}
			}
		}
		if err != nil {
			return err
		}
	}
	if err := checkMatch(c); err != nil {
		return err
	}
	return checkCrossCheck(c)
}

// checkMatch refuses a match for which there is not enough memory.
func checkMatch(c *loop.Config) error {
	for _, f := range c.Fields() {
		v, err := variantOf(f.Board)
		if err != nil {
			return err
		}
		specs := []arena.Spec{treeSpec(c.Gate.Playouts, "candidate"), treeSpec(c.Gate.Playouts, nameBest)}
		if err := engine.CheckPlayers(v, specs, workers(c.Workers), c.Cache); err != nil {
			return &loop.KeyError{Key: "gate.playouts", Err: err}
		}
	}
	return nil
}

// checkCrossCheck checks what the cross-check asks of the engines.
func checkCrossCheck(c *loop.Config) error {
	x := &c.Gate.CrossCheck
	if x.Positions == 0 {
		return nil
	}
	setup, err := crosscheck.ParseSetup(x.MCTS, x.AlphaBeta)
	if err == nil && setup.Model != "" {
		err = fmt.Errorf("mcts: model=%s: it is the loop's networks that are judged", setup.Model)
	}
	if err != nil {
		return &loop.KeyError{Key: "gate.crosscheck.mcts", Err: err}
	}
	for i := range c.Games {
		v, err := variantOf(c.Games[i].Board)
		if err != nil {
			return err
		}
		var m option.Memory
		n := workers(c.Workers)
		m.Add(fmt.Sprintf("workers %d", n), setup.Bytes(v, deeper), n)
		m.Add(fmt.Sprintf("cache_mib %d", c.Cache), int64(c.Cache)<<20)
		if err := m.Check(option.Machine()); err != nil {
			return &loop.KeyError{Key: "gate.crosscheck.mcts", Err: err}
		}
	}
	if len(x.Input) > 0 {
		for _, path := range x.Input {
			if _, err := settleInput(path); err != nil {
				return &loop.KeyError{Key: "gate.crosscheck.input", Err: err}
			}
		}
	}
	return nil
}

// player is what a table's player says.
type player struct {
	text     string
	teaching *engine.Teaching // nil: the tree search plays

	playouts, inFlight, solver, memory int
}

// Defaults of the tree search's games, those of the command selfplay.
const (
	gamePlayouts = 200
	gameTreeMiB  = 16
	gameInFlight = 2
)

// readPlayer reads the description of a table's player.
func readPlayer(g *loop.Games) (player, error) {
	p := player{text: g.Player, playouts: gamePlayouts, inFlight: gameInFlight, solver: engine.DefaultSolvers().Leaf, memory: gameTreeMiB}
	spec, err := arena.ParseSpec(g.Player)
	if err != nil {
		return p, err
	}
	switch spec.Kind {
	case arena.AlphaBeta:
		t, err := engine.ParseTeaching(spec)
		p.teaching = &t
		return p, err
	case arena.MCTS:
		return p, p.readTree(spec)
	}
	return p, fmt.Errorf("%q: want mcts or alphabeta: other programs give neither visits nor scores", g.Player)
}

// readTree reads the arguments of an mcts player.
func (p *player) readTree(spec arena.Spec) error {
	fields := map[string]struct {
		of    option.Int
		field *int
	}{
		"playouts":  {option.Playouts.Above(2), &p.playouts},
		"in-flight": {option.InFlight, &p.inFlight},
		"solver":    {option.SolverNodes, &p.solver},
		"memory":    {option.TreeMemory, &p.memory},
	}
	if err := spec.Args.Only("playouts", "in-flight", "solver", "memory"); err != nil {
		return fmt.Errorf("%q: %w; the network is the loop's best", p.text, err)
	}
	for _, a := range spec.Args {
		f := fields[a.Key]
		n, err := f.of.Parse(a.Value)
		if err != nil {
			return fmt.Errorf("%q: %s=%s: %w", p.text, a.Key, a.Value, err)
		}
		*f.field = int(n)
	}
	if p.inFlight == 0 {
		p.inFlight = gameInFlight
	}
	return nil
}

// checkMemory refuses more games at once than there is memory for.
func (p *player) checkMemory(v engine.Variant, workers, atOnce, cacheMiB int) error {
	var m option.Memory
	if p.teaching != nil {
		m.Add(fmt.Sprintf("workers %d, player %s", workers, p.text), p.teaching.Bytes(), workers)
		return m.Check(option.Machine())
	}
	m.Add(fmt.Sprintf("workers %d, at_once %d, player %s", workers, atOnce, p.text), v.TreeBytes(p.playouts, p.memory), workers, atOnce)
	m.Add("", v.RowBytes(), workers, atOnce, p.inFlight)
	m.Add(fmt.Sprintf("cache_mib %d", cacheMiB), int64(cacheMiB)<<20)
	return m.Check(option.Machine())
}
