package engine

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay/arena"
)

// searchArgs are the arguments of an mcts player.
var searchArgs = []string{"playouts", "visits", "model", "in-flight", "reuse", "guard", "noise", "temperature", "memory", "solver", "vct", "parries", "lcb", "earlystop", "cpuct", "spread", "ptemp", "name", "tc", "time"}

// checkSearch returns an error if the arguments of an mcts player make no sense.
func checkSearch(spec arena.Spec) error {
	_, _, err := searchOptions(spec)
	if err != nil {
		return err
	}
	if _, err = solverNodes(spec); err != nil {
		return err
	}
	_, err = policyTemperature(spec)
	return err
}

// policyTemperature reads what divides the network's policy logits.
func policyTemperature(spec arena.Spec) (float32, error) {
	t, err := spec.Args.Float("ptemp", 1, 0.1, 10)
	return float32(t), err
}

// solverNodes reads the budgets of the solvers.
func solverNodes(spec arena.Spec) (n SolverNodes, err error) {
	standard := DefaultSolvers()
	if n.Leaf, err = spec.Args.Int("solver", standard.Leaf, 0, maxBudget); err != nil {
		return n, err
	}
	if n.Root, err = spec.Args.Int("vct", standard.Root, 0, maxBudget); err != nil {
		return n, err
	}
	n.Parries, err = spec.Args.Int("parries", standard.Parries, 0, maxBudget)
	return n, err
}

// searchEntrant builds a player that plays by Monte Carlo tree search.
func (p *Players) searchEntrant(spec arena.Spec) (arena.Entrant, error) {
	opts, guard, err := searchOptions(spec)
	if err != nil {
		return arena.Entrant{}, err
	}
	nodes, err := solverNodes(spec)
	if err != nil {
		return arena.Entrant{}, err
	}
	if nodes != (SolverNodes{}) {
		opts.Form = p.variant.Searchable
	}
	temperature, err := policyTemperature(spec)
	if err != nil {
		return arena.Entrant{}, err
	}
	model, _ := spec.Args.Get("model")
	net, table, err := p.net(model)
	if err != nil {
		return arena.Entrant{}, err
	}
	return arena.Entrant{
		Name:    spec.Name(),
		Control: spec.Control,
		New: func(context.Context) (arena.Player, error) {
			eval, err := net.Evaluator(EvalOptions{Capacity: MaxInFlight, Threads: 1, Seed: p.seed, Cache: table, Temperature: temperature})
			if err != nil {
				return nil, err
			}
			player := arena.NewSearchPlayer(opts, eval, p.variant.Solvers(nodes), nil)
			if guard {
				return arena.NewGuard(player), nil
			}
			return player, nil
		},
	}, nil
}

// searchOptions reads the arguments that steer the search.
func searchOptions(spec arena.Spec) (o arena.SearchOptions, guard bool, err error) {
	if err := spec.Args.Only(searchArgs...); err != nil {
		return o, false, err
	}
	fallback := 0
	if _, ok := spec.Args.Get("visits"); !ok && !spec.Control.Limited() {
		fallback = 400
	}
	var memory int
	var temperature, lcb, cpuct, spread float64
	for _, read := range []func() error{
		func() (err error) { o.Playouts, err = spec.Args.Int("playouts", fallback, 0, maxBudget); return },
		func() (err error) { o.Visits, err = spec.Args.Int("visits", 0, 0, maxBudget); return },
		func() (err error) {
			o.Search.InFlight, err = spec.Args.Int("in-flight", 0, 0, MaxInFlight)
			return
		},
		func() (err error) { o.Reuse, err = spec.Args.Bool("reuse", true); return },
		func() (err error) { o.Noise, err = spec.Args.Bool("noise", false); return },
		func() (err error) { guard, err = spec.Args.Bool("guard", false); return },
		func() (err error) { temperature, err = spec.Args.Float("temperature", 0, 0, 10); return },
		func() (err error) { lcb, err = spec.Args.Float("lcb", 0, -1, 100); return },
		func() (err error) { cpuct, err = spec.Args.Float("cpuct", 0, 0, 100); return },
		func() (err error) { spread, err = spec.Args.Float("spread", 0, -1, 1); return },
		func() (err error) { o.Search.EarlyStop, err = spec.Args.Bool("earlystop", false); return },
		func() (err error) { memory, err = spec.Args.Int("memory", 512, 1, 1<<20); return },
	} {
		if err := read(); err != nil {
			return o, false, err
		}
	}
	if o.Playouts == 0 && o.Visits == 0 && !spec.Control.Limited() {
		return o, false, fmt.Errorf("it has no budget: give playouts, visits, time or tc")
	}
	o.Search.LCB, o.Search.CInit, o.Search.Spread = float32(lcb), float32(cpuct), float32(spread)
	o.Search.Memory = int64(memory) << 20
	if temperature > 0 {
		o.Temperature = mcts.Schedule{Start: temperature, End: temperature, HalfLife: 1}
	}
	return o, guard, nil
}
