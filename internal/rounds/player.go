package rounds

import (
	"fmt"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/selfplay/loop"
)

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
	spec, err := engine.ParseSpec(g.Player)
	if err != nil {
		return p, err
	}
	switch spec.Kind {
	case engine.AlphaBeta:
		t, err := engine.ParseTeaching(spec)
		if err == nil && (g.ForcedPlayouts > 0 || g.Gumbel > 0 || g.SurpriseWeight > 0 || g.ForkShare > 0) {
			err = fmt.Errorf("%q: forced_playouts, gumbel, surprise_weight and fork_share are of mcts", g.Player)
		}
		p.teaching = &t
		return p, err
	case engine.MCTS:
		return p, p.readTree(spec)
	}
	return p, fmt.Errorf("%q: want mcts or alphabeta: other programs give neither visits nor scores", g.Player)
}

// readTree reads the arguments of an mcts player.
func (p *player) readTree(spec engine.Spec) error {
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
