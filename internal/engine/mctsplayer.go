package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/think"
	"github.com/carozero/carozero/mcts"
)

// treeSetup is what an mcts player's description says.
type treeSetup struct {
	playouts, visits, memory int
	model                    string
	reuse, guard, noise      bool
	temperature              float64 // of the choice of moves
	policyTemperature        float32
	solvers                  SolverNodes
	search                   mcts.Options
}

// playerMemory is the bound on a player's tree where a description names none,
// in MiB.
const playerMemory = 512

// playerPlayouts is the budget of a move where a description names none.
const playerPlayouts = 400

// newTreeSetup returns the setup of an empty description.
func newTreeSetup() treeSetup {
	return treeSetup{memory: playerMemory, reuse: true, policyTemperature: 1, solvers: DefaultSolvers()}
}

// treeArguments are the arguments of an mcts player.
var treeArguments = []argument[treeSetup]{
	whole(option.Playouts.Or0("none").With(0, "playouts of a search; 400 without any budget"), func(s *treeSetup) *int { return &s.playouts }),
	whole(option.Visits.Or0("none"), func(s *treeSetup) *int { return &s.visits }),
	word(option.Text{Key: "model", Help: "network: a shipped name, a path, or uniform", Sample: "NAME|PATH"}, func(s *treeSetup) *string { return &s.model }),
	whole(option.InFlight, func(s *treeSetup) *int { return &s.search.InFlight }),
	truth(option.Switch("reuse", "keep the part of the tree that the game has moved into", true), func(s *treeSetup) *bool { return &s.reuse }),
	truth(option.Switch("guard", "add a one-ply rule: win at once, or block", false), func(s *treeSetup) *bool { return &s.guard }),
	truth(option.Switch("noise", "noise at the root, from the game's seed", false), func(s *treeSetup) *bool { return &s.noise }),
	number(option.Temperature, func(s *treeSetup) *float64 { return &s.temperature }),
	whole(option.TreeMemory.With(playerMemory, "bound on the memory of the search tree"), func(s *treeSetup) *int { return &s.memory }),
	whole(option.SolverNodes.Named("solver").With(0, "budget of the solver of fours at each leaf, by default "+LeafDefault), func(s *treeSetup) *int { return &s.solvers.Leaf }),
	whole(option.SolverNodes.Named("vct").With(int64(DefaultSolvers().Root), "budget of the solvers of fours and threes at the root"), func(s *treeSetup) *int { return &s.solvers.Root }),
	whole(option.SolverNodes.Named("parries").With(int64(DefaultSolvers().Defences), "budget of the solver of the opponent's fours after each move of the root"), func(s *treeSetup) *int { return &s.solvers.Defences }),
	number(option.LCB, func(s *treeSetup) *float32 { return &s.search.LCB }),
	truth(option.Switch("earlystop", "stop when the most visited move is certain", false), func(s *treeSetup) *bool { return &s.search.EarlyStop }),
	number(option.CPUCT, func(s *treeSetup) *float32 { return &s.search.CInit }),
	number(option.Spread, func(s *treeSetup) *float32 { return &s.search.Spread }),
	number(option.PolicyTemperature, func(s *treeSetup) *float32 { return &s.policyTemperature }),
	{Option: nameOption}, {Option: tcOption}, {Option: timeOption},
}

// parseTree reads the description of an mcts player.
func parseTree(spec Spec) (*treeSetup, error) {
	s := newTreeSetup()
	if err := read(treeArguments, spec.Args, &s); err != nil {
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
func (s *treeSetup) tree(eval EvalOptions) TreeOptions {
	eval.Temperature = s.policyTemperature
	o := TreeOptions{Search: s.search, Solvers: s.solvers, Reuse: s.reuse, Temperature: s.temperature, Eval: eval}
	o.Search.Memory = int64(s.memory) << 20
	return o
}

// prepare implements playerSetup.
func (s *treeSetup) prepare(p *Players) (func(context.Context) (arena.Player, error), error) {
	net, table, err := p.net(s.model)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (arena.Player, error) {
		tree, err := NewTree(net, s.tree(EvalOptions{Threads: 1, Seed: p.seed, Cache: table}))
		if err != nil {
			return nil, err
		}
		player := newPlayer(tree, think.Limits{Nodes: int64(s.playouts), Visits: int64(s.visits), Noise: s.noise})
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
	if s.solvers.Leaf == ByNetwork && net.line != nil {
		parts = append(parts, arena.Part{What: "solver", Name: strconv.Itoa(net.Leaf(ByNetwork))})
	}
	return parts, nil
}

// addMemory implements playerSetup.
func (s *treeSetup) addMemory(m *option.Memory, v Variant, workers int) {
	m.Add(fmt.Sprintf("memory=%d", s.memory), v.TreeBytes(max(s.playouts, s.visits), s.memory)+MaxInFlight*v.RowBytes(), workers)
}
