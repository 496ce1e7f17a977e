package players

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/gomocup"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/nn"
)

// Tree describes an mcts player, or a tree search of one position.
type Tree struct {
	engine.TreeSettings
	files
	Playouts, Visits int
	Model            string // "": the shipped network
	Reuse, Noise     bool
	Temperature      float64 // of the choice of moves
}

// playerMemory is the default limit on a player's tree, in MiB.
const playerMemory = 512

// playerPlayouts is the default budget of a move.
const playerPlayouts = 400

// newTree returns the player of an empty description.
func newTree() Tree {
	return Tree{TreeSettings: engine.DefaultTreeSettings(playerMemory), Reuse: true}
}

// treeArguments are the arguments of an mcts player.
var treeArguments = append(withEvery([]option.Setting[Tree]{
	option.NumVar(option.Playouts.ZeroMeans("none").With(0, "playouts of a search; 400 without any budget"),
		func(s *Tree) *int { return &s.Playouts }),
	option.NumVar(option.Visits.ZeroMeans("none"), func(s *Tree) *int { return &s.Visits }),
	option.StringVar(modelOption, func(s *Tree) *string { return &s.Model }),
	option.StringVar(bitbaseOption, func(s *Tree) *string { return &s.Bitbase }),
	option.BoolVar(option.Switch("reuse", "keep the part of the tree that the game has moved into", true),
		func(s *Tree) *bool { return &s.Reuse }),
	option.BoolVar(option.Switch("noise", "noise at the root, from the game's seed", false),
		func(s *Tree) *bool { return &s.Noise }),
	option.NumVar(option.Temperature, func(s *Tree) *float64 { return &s.Temperature }),
	option.StringVar(bookOption, func(s *Tree) *string { return &s.Book }),
}), option.Defaulting(option.Within(engine.TreeSettingsList,
	func(s *Tree) *engine.TreeSettings { return &s.TreeSettings }), new(newTree()))...)

// modelOption names a network.
var modelOption = option.Text{Key: "model", Help: "network: a shipped name, a path, or uniform", Sample: "NAME|PATH"}

// parseTree reads the description of an mcts player.
func parseTree(spec Spec) (*Tree, error) {
	s := newTree()
	if err := ReadArgs(treeArguments, spec.Args, &s); err != nil {
		return nil, err
	}
	if s.Playouts == 0 && s.Visits == 0 && !spec.Control.Limited() {
		if _, asked := spec.Args.Get("playouts"); asked {
			return nil, errors.New("it has no budget: give playouts, visits, time or tc")
		}
		s.Playouts = playerPlayouts
	}
	return &s, nil
}

// enter implements playerSetup.
func (s *Tree) enter(p *Players, e *arena.Entrant) error {
	net, err := p.net(s.Model)
	if err != nil {
		return err
	}
	solved, b, err := s.open(p)
	if err != nil {
		return err
	}
	e.New = func() (arena.Player, error) {
		o := s.Options(nn.EvaluatorOptions{Threads: 1, Seed: p.seed, Cache: net.table})
		o.Endgames, o.Reuse, o.Temperature = solved, s.Reuse, s.Temperature
		tree, err := engine.NewTree(net.Net, o)
		if err != nil {
			return nil, err
		}
		limits := engine.Limits{Nodes: int64(s.Playouts), Visits: int64(s.Visits), Noise: s.Noise}
		return &player{engine: before(tree, b), limits: limits, prepare: tree.Prepare}, nil
	}
	e.Parts = func() ([]arena.Part, error) {
		parts := []arena.Part{{What: "network", Name: net.Name, SHA256: net.SHA256}}
		settled := net.Settled(s.Solvers)
		if s.Solvers.Leaf == games.ByNetwork && settled.Leaf != games.LeafNodes {
			parts = append(parts, arena.Part{What: "solver", Name: strconv.Itoa(settled.Leaf)})
		}
		if s.Solvers.Threes == games.ByNetwork && settled.Threes > 0 {
			parts = append(parts, arena.Part{What: "solver of threes", Name: strconv.Itoa(settled.Threes)})
		}
		if s.Solvers.Audit == games.ByNetwork && settled.Audit > 0 {
			parts = append(parts, arena.Part{What: "solver of threes, audit", Name: strconv.Itoa(settled.Audit)})
		}
		return s.files.parts(parts)
	}
	return nil
}

func (s *Tree) arguments() []argument { return argumentsOf(treeArguments, s) }

// addMemory implements playerSetup.
func (s *Tree) addMemory(m *option.Memory, v games.Variant, workers int) {
	m.Add(fmt.Sprintf("memory=%d", s.MemoryMiB()), s.Bytes(v, max(s.Playouts, s.Visits)), workers)
}

// A fixed search has the options of a player, except those that make sense only in a game
// or make results depend on more than position and budget: clocks, reuse, randomness,
// threads.

// FixedTreeSettings are [engine.TreeSettingsList] without noise and early stop.
var FixedTreeSettings = option.Without(engine.TreeSettingsList, "noise-total", "noise-share", "early-stop")

// fixedTree are the settings of a fixed tree search.
var fixedTree = append([]option.Setting[Tree]{
	option.NumVar(option.Playouts, func(s *Tree) *int { return &s.Playouts }),
	option.StringVar(modelOption, func(s *Tree) *string { return &s.Model }),
}, option.Within(FixedTreeSettings, func(s *Tree) *engine.TreeSettings { return &s.TreeSettings })...)

// FixedTreeArgs returns the keys of a fixed tree search.
func FixedTreeArgs() []string { return option.Keys(fixedTree) }

// ParseFixedTree reads the description of a fixed tree search.
func ParseFixedTree(spec Spec) (Tree, error) {
	s := newTree()
	s.Playouts = playerPlayouts
	return s, ReadArgs(fixedTree, spec.Args, &s)
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
var execArguments = withEvery([]option.Setting[execSetup]{
	option.NumVar(foreignNodes, func(s *execSetup) *int { return &s.nodes }),
	option.NumVar(option.EngineMemory, func(s *execSetup) *int { return &s.mebibytes }),
})

// parseExec reads the description of an exec player.
func parseExec(spec Spec) (*execSetup, error) {
	s := &execSetup{command: spec.Command, control: spec.Control}
	return s, ReadArgs(execArguments, spec.Args, s)
}

// enter implements playerSetup.
func (s *execSetup) enter(p *Players, e *arena.Entrant) error {
	rule := p.variant.Rule()
	number, ok := gomocup.RuleMask(rule)
	if !ok {
		return fmt.Errorf("the Gomocup protocol knows the rules freestyle, standard, renju, caro and caro-overline, "+
			"not %s", rule)
	}
	if _, err := exec.LookPath(s.command[0]); err != nil {
		return fmt.Errorf("no such program: %w", err)
	}
	opts := gomocup.PlayerOptions{
		Command: s.command, Rule: number, Size: p.variant.Size, Nodes: s.nodes, Memory: int64(s.mebibytes) << 20,
		Control: s.control,
	}
	e.New = func() (arena.Player, error) { return gomocup.NewPlayer(opts) }
	e.Parts = func() ([]arena.Part, error) { return programs(s.command) }
	return nil
}

func (s *execSetup) arguments() []argument { return argumentsOf(execArguments, s) }

// addMemory implements playerSetup.
func (s *execSetup) addMemory(m *option.Memory, _ games.Variant, workers int) {
	m.Add("exec", foreignBytes, workers)
}
