package generate

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// SelfplayOptions configure a self-play run.
type SelfplayOptions struct {
	Seed        uint64 // of the evaluators' symmetries
	Capacity    int    // positions that may wait for one worker's network at once
	CacheBytes  int    // of the table that all workers share; 0: none
	SolverNodes int    // budget of the solver at each leaf, or ByNetwork; 0: no solver

	PolicyTemperature float32 // divides the network's policy logits, besides its own temperature; 0: 1

	Version, Commit string // of the program, for the shards

	Follow *Following // nil: the network stays the same
}

// SelfplaySetup returns what package selfplay needs to play a variant with a
// network. Each worker computes its own batches on one thread.
func SelfplaySetup(n *networks.Net, o SelfplayOptions) (selfplay.Setup, error) {
	v := n.Variant()
	o.SolverNodes = n.Leaf(o.SolverNodes)
	setup, err := newSetup(v, n.Form(games.SolverNodes{Leaf: o.SolverNodes}))
	if err != nil {
		return setup, err
	}
	fields := samples.Fields{
		{Key: "symmetry", Value: "random"},
		{Key: "symmetry_seed", Value: o.Seed},
		{Key: "solver_nodes", Value: int64(o.SolverNodes)},
	}
	if t := cmp.Or(o.PolicyTemperature, 1); t != 1 {
		more, err := samples.FieldsOf(policyField{t})
		if err != nil {
			return setup, err
		}
		fields = append(fields, more...)
	}
	if setup.Header, err = newHeader(v, o, fields); err != nil {
		return setup, err
	}
	setup.Header.Model, setup.Header.ModelSHA256 = n.Name, n.SHA256
	var cache *nn.CacheTable
	if o.CacheBytes > 0 {
		cache = nn.NewCacheTable(o.CacheBytes, setup.Start.MaxMoves())
	}
	evaluators := func(n *networks.Net) func(int) (nn.Evaluator, error) {
		return func(int) (nn.Evaluator, error) {
			return n.Evaluator(nn.EvaluatorOptions{Capacity: o.Capacity, Threads: 1, Seed: o.Seed, Cache: cache, Temperature: o.PolicyTemperature})
		}
	}
	setup.Evaluator = evaluators(n)
	if o.Follow != nil {
		if err := o.Follow.follow(&setup, n, evaluators); err != nil {
			return setup, err
		}
	}
	setup.Solver = func(int) mcts.Solver { return v.Solvers(games.SolverNodes{Leaf: o.SolverNodes}) }
	return setup, nil
}

// policyField is in a header's search map if the policy's temperature is not 1.
type policyField struct{ PolicyTemperature float32 }

// newSetup returns the part of a setup that does not depend on what evaluates; form is as
// in Net.Form.
func newSetup(v games.Variant, form func(game.Position) game.Position) (selfplay.Setup, error) {
	start, err := v.Start()
	if err != nil {
		return selfplay.Setup{}, err
	}
	enc, err := v.Encoder("")
	if err != nil {
		return selfplay.Setup{}, fmt.Errorf("no samples can be made: %w", err)
	}
	return selfplay.Setup{
		Start: form(start),
		Deal: func(rng *rand.Rand) (game.Position, error) {
			pos, err := v.Deal(rng)
			if err != nil {
				return nil, err
			}
			return form(pos), nil
		},
		Format:  v.FormatGame,
		Encoder: enc,
		Columns: v.Columns(),
	}, nil
}

// newHeader returns the shard header of a variant, without the model.
func newHeader(v games.Variant, o SelfplayOptions, search samples.Fields) (samples.Header, error) {
	rule, err := samples.FieldsOf(v.Of().Parameters(v))
	if err != nil {
		return samples.Header{}, err
	}
	inputs := v.Of().Inputs[0]
	return samples.Header{
		Game:    v.Game,
		Rule:    rule,
		Size:    v.Size,
		Planes:  samples.Planes{Version: inputs.Version, Names: inputs.Planes},
		Globals: inputs.Globals,
		Engine:  samples.Engine{Version: o.Version, Commit: o.Commit},
		Search:  search,
	}, nil
}
