package loophost

import (
	"fmt"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/selfplay/loop"
)

// player holds the settings of a table's player.
type player struct {
	text     string
	teaching *generate.Teaching // nil: the tree search plays

	playouts int
	tree     search.TreeSettings
}

// Defaults of the tree search's games, those of the command selfplay.
const (
	gamePlayouts = 200
	gameTreeMiB  = 16
)

// readPlayer reads the description of a table's player.
func readPlayer(g *loop.Games) (player, error) {
	p := player{text: g.Player, playouts: gamePlayouts, tree: search.DefaultTreeSettings(gameTreeMiB)}
	spec, err := players.ParseSpec(g.Player)
	if err != nil {
		return p, err
	}
	switch spec.Kind {
	case players.AlphaBeta:
		t, err := generate.ParseTeaching(spec)
		if err == nil && (g.Targets.Forced > 0 || g.Targets.Gumbel.Considered > 0) {
			err = fmt.Errorf("%q: forced_playouts and gumbel are of mcts", g.Player)
		}
		p.teaching = &t
		return p, err
	case players.MCTS:
		return p, p.readTree(spec)
	}
	return p, fmt.Errorf("%q: want mcts or alphabeta", g.Player)
}

// treeSettings are what an mcts player of a table may set.
var treeSettings = append(
	[]option.Setting[player]{option.NumVar(option.Playouts.Above(2), func(p *player) *int { return &p.playouts })},
	option.Within(search.GameSettings, func(p *player) *search.TreeSettings { return &p.tree })...)

// readTree reads the arguments of an mcts player.
func (p *player) readTree(spec players.Spec) error {
	if err := players.ReadArgs(treeSettings, spec.Args, p); err != nil {
		return fmt.Errorf("%q: %w; the network is the loop's best", p.text, err)
	}
	p.tree.Search = p.tree.Search.WithDefaults() // of what was set to 0
	return nil
}

// checkMemory refuses more games at once than there is memory for.
func (p *player) checkMemory(v games.Variant, workers, atOnce, cacheMiB int) error {
	var m option.Memory
	if p.teaching != nil {
		m.Add(fmt.Sprintf("workers %d, player %s", workers, p.text), p.teaching.Bytes(v), workers)
		return m.Check(option.Machine())
	}
	m.Add(fmt.Sprintf("workers %d, at_once %d, player %s", workers, atOnce, p.text), v.TreeBytes(p.playouts, p.tree.MemoryMiB()), workers, atOnce)
	m.Add("", v.RowBytes(), workers, atOnce, p.tree.Search.InFlight)
	m.Add(fmt.Sprintf("cache_mib %d", cacheMiB), int64(cacheMiB)<<20)
	return m.Check(option.Machine())
}
