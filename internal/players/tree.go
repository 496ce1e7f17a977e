package players

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/gomocup"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/search"
	"github.com/carozero/carozero/nn"
)

// treeSetup holds the options of an mcts player.
type treeSetup struct {
	search.TreeSettings

	playouts, visits     int
	model, bitbase, book string
	reuse, guard, noise  bool
	temperature          float64 // of the choice of moves
}

// playerMemory is the default limit on a player's tree, in MiB.
const playerMemory = 512

// playerPlayouts is the default budget of a move.
const playerPlayouts = 400

// newTreeSetup returns the setup of an empty description.
func newTreeSetup() treeSetup {
	return treeSetup{TreeSettings: search.DefaultTreeSettings(playerMemory), reuse: true}
}

// treeArguments are the arguments of an mcts player.
var treeArguments = append([]option.Setting[treeSetup]{
	option.NumVar(option.Playouts.ZeroMeans("none").With(0, "playouts of a search; 400 without any budget"),
		func(s *treeSetup) *int { return &s.playouts }),
	option.NumVar(option.Visits.ZeroMeans("none"), func(s *treeSetup) *int { return &s.visits }),
	option.StringVar(modelOption, func(s *treeSetup) *string { return &s.model }),
	option.StringVar(bitbaseOption, func(s *treeSetup) *string { return &s.bitbase }),
	option.BoolVar(option.Switch("reuse", "keep the part of the tree that the game has moved into", true),
		func(s *treeSetup) *bool { return &s.reuse }),
	option.BoolVar(option.Switch("guard", "add a one-ply rule: win at once, or block", false),
		func(s *treeSetup) *bool { return &s.guard }),
	option.BoolVar(option.Switch("noise", "noise at the root, from the game's seed", false),
		func(s *treeSetup) *bool { return &s.noise }),
	option.NumVar(option.Temperature, func(s *treeSetup) *float64 { return &s.temperature }),
	option.StringVar(bookOption, func(s *treeSetup) *string { return &s.book }),
	readBefore[treeSetup](nameOption), readBefore[treeSetup](tcOption), readBefore[treeSetup](timeOption),
}, treeSettings()...)

// treeSettings are [search.TreeSettingsList] as arguments of a player, with a player's defaults.
func treeSettings() []option.Setting[treeSetup] {
	setup := newTreeSetup()
	return option.Defaulting(option.Within(search.TreeSettingsList,
		func(s *treeSetup) *search.TreeSettings { return &s.TreeSettings }), &setup)
}

// modelOption names a network.
var modelOption = option.Text{Key: "model", Help: "network: a shipped name, a path, or uniform", Sample: "NAME|PATH"}

// parseTree reads the description of an mcts player.
func parseTree(spec Spec) (*treeSetup, error) {
	s := newTreeSetup()
	if err := ReadArgs(treeArguments, spec.Args, &s); err != nil {
		return nil, err
	}
	_, asked := spec.Args.Get("playouts")
	if !asked && s.visits == 0 && !spec.Control.Limited() {
		s.playouts = playerPlayouts
	}
	if s.playouts == 0 && s.visits == 0 && !spec.Control.Limited() {
		return nil, errors.New("it has no budget: give playouts, visits, time or tc")
	}
	return &s, nil
}

// tree returns the setup as a Tree takes it, with an evaluator's options.
func (s *treeSetup) tree(eval nn.EvaluatorOptions) search.TreeOptions {
	o := s.TreeSettings.Options(eval)
	o.Reuse, o.Temperature = s.reuse, s.temperature
	return o
}

// prepare implements playerSetup.
func (s *treeSetup) prepare(p *Players) (func(context.Context) (arena.Player, error), error) {
	net, table, err := p.net(s.model)
	if err != nil {
		return nil, err
	}
	solved, err := p.endgames(s.bitbase)
	if err != nil {
		return nil, err
	}
	b, err := p.book(s.book)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (arena.Player, error) {
		o := s.tree(nn.EvaluatorOptions{Threads: 1, Seed: p.seed, Cache: table})
		o.Endgames = solved
		tree, err := search.NewTree(net, o)
		if err != nil {
			return nil, err
		}
		player := newPlayer(b.before(tree), engine.Limits{Nodes: int64(s.playouts), Visits: int64(s.visits), Noise: s.noise})
		player.prepare = tree.Prepare
		if s.guard {
			return arena.NewGuard(player), nil
		}
		return player, nil
	}, nil
}

// parts implements playerSetup.
func (s *treeSetup) parts(p *Players) ([]arena.Part, error) {
	net, _, err := p.net(s.model)
	if err != nil {
		return nil, err
	}
	parts := []arena.Part{{What: "network", Name: net.Name, SHA256: net.SHA256}}
	if leaf := net.Settled(s.Solvers).Leaf; s.Solvers.Leaf == games.ByNetwork && leaf != games.LeafNodes {
		parts = append(parts, arena.Part{What: "solver", Name: strconv.Itoa(leaf)})
	}
	return fileParts(parts, s.bitbase, s.book)
}

// addMemory implements playerSetup.
func (s *treeSetup) addMemory(m *option.Memory, v games.Variant, workers int) {
	m.Add(fmt.Sprintf("memory=%d", s.MemoryMiB()), s.Bytes(v, max(s.playouts, s.visits)), workers)
}

// execSetup holds the options of an exec player.
type execSetup struct {
	command          []string
	control          arena.TimeControl
	nodes, mebibytes int // 0: none
}

// foreignNodes is a budget in nodes that fits an engine with 32-bit counters.
var foreignNodes = option.Int{
	Key: "nodes", Help: "budget of a move that the engine is told", Min: 1, Max: 1_000_000_000,
}

// execArguments are the arguments of an exec player.
var execArguments = []option.Setting[execSetup]{
	option.NumVar(foreignNodes, func(s *execSetup) *int { return &s.nodes }),
	option.NumVar(option.EngineMemory, func(s *execSetup) *int { return &s.mebibytes }),
	readBefore[execSetup](nameOption), readBefore[execSetup](tcOption), readBefore[execSetup](timeOption),
}

// parseExec reads the description of an exec player.
func parseExec(spec Spec) (*execSetup, error) {
	s := &execSetup{command: spec.Command, control: spec.Control}
	return s, ReadArgs(execArguments, spec.Args, s)
}

// prepare implements playerSetup.
func (s *execSetup) prepare(p *Players) (func(context.Context) (arena.Player, error), error) {
	rule := p.variant.Rule()
	if _, ok := gomocup.RuleMask(rule); !ok {
		return nil, fmt.Errorf("the Gomocup protocol knows the rules freestyle, standard, renju, caro and caro-overline, "+
			"not %s", rule)
	}
	if _, err := exec.LookPath(s.command[0]); err != nil {
		return nil, fmt.Errorf("no such program: %w", err)
	}
	opts := gomocup.PlayerOptions{
		Command: s.command,
		Rule:    rule,
		Size:    p.variant.Size,
		Nodes:   s.nodes,
		Memory:  int64(s.mebibytes) << 20,
		Control: s.control,
	}
	return func(context.Context) (arena.Player, error) { return gomocup.NewPlayer(opts) }, nil
}

// parts implements playerSetup.
func (s *execSetup) parts(*Players) ([]arena.Part, error) { return programs(s.command) }

// addMemory implements playerSetup.
func (s *execSetup) addMemory(m *option.Memory, _ games.Variant, workers int) {
	m.Add("exec", foreignBytes, workers)
}
