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

// treeJudge is the judge that the network's own tree search is. Its targets are
// the shares of the visits.
type treeJudge struct {
	opts     *Options
	searcher *mcts.Searcher

	seed uint64 // of the game
	pcg  rand.PCG
	rng  *rand.Rand
	full bool // the search under way is a full one

	result mcts.Result // scratch
	answer verdict
	counts []uint32
	target []float32
}

func newTreeJudge(opts *Options, eval nn.Evaluator, solver mcts.Solver) *treeJudge {
	j := &treeJudge{opts: opts, searcher: mcts.New(opts.Search, eval, solver)}
	j.rng = rand.New(&j.pcg)
	return j
}

func (j *treeJudge) start(pos game.Position, seed uint64) error {
	j.seed = seed
	return j.searcher.SetPosition(pos)
}

func (j *treeJudge) begin(ply int) {
	j.pcg.Seed(j.seed^moveStream, uint64(ply))
	j.full = j.opts.CheapPlayouts == 0 || j.rng.Float64() < j.opts.FullShare
	limits := mcts.Limits{Playouts: j.opts.CheapPlayouts}
	if j.full {
		limits = mcts.Limits{Playouts: j.opts.Playouts, Noise: true,
			Seed: samples.GameSeed(j.seed^noiseStream, uint64(ply))}
	}
	j.searcher.Begin(context.Background(), limits)
}

func (j *treeJudge) step(ctx context.Context) (waits bool, err error) {
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

func (j *treeJudge) absorb() { j.searcher.Backup(nn.All) }

// verdict draws the move with the next number of the stream that decided the
// kind of search.
func (j *treeJudge) verdict(ply int) (*verdict, error) {
	r := &j.result
	j.searcher.Result(r)
	v := &j.answer
	v.rootQ, v.netQ, v.proven, v.full = r.RootQ, r.NetValue, r.Proven, j.full
	v.weight = j.opts.CheapWeight
	if j.full {
		v.weight = 1
	}
	if v.move = mcts.Pick(r.Children, j.opts.Temperature.At(ply), j.rng); v.move == game.NoMove {
		return nil, fmt.Errorf("selfplay: a search of %d playouts found no move", r.Playouts)
	}
	return v, j.visits(v)
}

// visits enters the visited moves or, if a proof made visits unnecessary, the
// proven move alone.
func (j *treeJudge) visits(v *verdict) error {
	v.moves, j.counts, j.target = v.moves[:0], j.counts[:0], j.target[:0]
	add := func(c *mcts.Child) {
		v.moves = append(v.moves, judged{move: c.Move, visits: c.Visits})
		j.counts, j.target = append(j.counts, c.Visits), append(j.target, 0)
	}
	r := &j.result
	for i := range r.Children {
		if c := &r.Children[i]; c.Visits > 0 {
			add(c)
		}
	}
	if len(v.moves) == 0 {
		if r.Proven == mcts.Unknown || len(r.Children) == 0 {
			return fmt.Errorf("selfplay: a search of %d playouts visited no move", r.Playouts)
		}
		add(&r.Children[0])
	}
	samples.VisitTarget(j.target, j.counts)
	for i := range v.moves {
		v.moves[i].target = j.target[i]
	}
	return nil
}

func (j *treeJudge) advance(m game.Move, pos game.Position) error {
	if j.opts.DropTree {
		return j.searcher.SetPosition(pos)
	}
	return j.searcher.Advance(m)
}
