package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// treeSearcher searches with the network's tree search.
type treeSearcher struct {
	opts     *Options
	searcher *mcts.Searcher

	seed uint64 // of the game
	pcg  rand.PCG
	rng  *rand.Rand
	full bool // the search under way is a full one

	result mcts.Result // scratch
	answer decision
	policy policy
}

func newTreeSearcher(opts *Options, eval nn.Evaluator, solver mcts.Solver) *treeSearcher {
	j := &treeSearcher{opts: opts, searcher: mcts.New(opts.Search, eval, solver)}
	j.rng = rand.New(&j.pcg)
	return j
}

func (j *treeSearcher) start(pos game.Position, seed uint64) error {
	j.seed = seed
	return j.searcher.SetPosition(pos)
}

func (j *treeSearcher) begin(ply int) {
	j.pcg.Seed(j.seed^moveStream, uint64(ply))
	j.full = j.opts.CheapPlayouts == 0 || j.rng.Float64() < j.opts.FullShare
	limits := mcts.Limits{Playouts: j.opts.CheapPlayouts}
	if j.full {
		limits = j.opts.Targets.limits(j.opts.Playouts, samples.GameSeed(j.seed^noiseStream, uint64(ply)))
	}
	j.searcher.Begin(context.Background(), limits)
}

func (j *treeSearcher) step(ctx context.Context) (waits bool, err error) {
	for !j.searcher.Done() {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if j.searcher.Select() {
			return true, nil
		}
	}
	return false, nil
}

func (j *treeSearcher) absorb() { j.searcher.Backup(nn.All) }

// decision draws the move with the next random number of the stream that chose a full
// or a cheap search, unless sequential halving has chosen it.
func (j *treeSearcher) decision(ply int) (*decision, error) {
	r, v := &j.result, &j.answer
	halved := j.full && j.opts.Targets.Gumbel.Considered > 0
	if halved {
		v.move = j.searcher.Choice(r)
	} else {
		j.searcher.Result(r)
		v.move = mcts.Pick(r.Children, j.opts.Temperature.At(ply), j.rng)
	}
	v.rootQ, v.netQ, v.proven, v.full = r.RootQ, r.NetValue, r.Proven, j.full
	v.weight = j.opts.CheapWeight
	if j.full {
		v.weight = 1
	}
	if v.move == game.NoMove || len(r.Children) == 0 {
		return nil, fmt.Errorf("selfplay: a search of %d playouts found no move", r.Playouts)
	}
	switch {
	case halved:
		v.rootQ = j.policy.improved(j.opts.Targets.Gumbel, r)
	case j.full && j.opts.Targets.Forced > 0:
		j.policy.pruned(j.searcher, r.Children)
	default:
		j.policy.visits(r.Children)
	}
	return v, j.enter(v)
}

// enter adds the moves that have visits or a share of the target to v.
func (j *treeSearcher) enter(v *decision) error {
	r := &j.result
	v.moves = v.moves[:0]
	visits := false
	for i := range r.Children {
		c := &r.Children[i]
		if share := float32(j.policy.shares[i]); c.Visits > 0 || share > 0 {
			v.moves = append(v.moves, searchedMove{move: c.Move, visits: c.Visits, target: share})
			visits = visits || c.Visits > 0
		}
	}
	if !visits && r.Proven == mcts.Unknown {
		return fmt.Errorf("selfplay: a search of %d playouts visited no move", r.Playouts)
	}
	return nil
}

func (j *treeSearcher) advance(m game.Move, pos game.Position) error {
	if j.opts.DropTree {
		return j.searcher.SetPosition(pos)
	}
	return j.searcher.Advance(m)
}
