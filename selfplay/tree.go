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

// treePlayer plays with the network's tree search.
type treePlayer struct {
	opts     *Options
	eval     nn.Evaluator
	searcher *mcts.Searcher
	root     mcts.RootPolicy // of full searches

	seed uint64 // of the game
	pcg  rand.PCG
	rng  *rand.Rand
	full bool // the search under way is a full one

	result mcts.Result // scratch
	answer decision
	policy policy
}

func newTreePlayer(opts *Options, eval nn.Evaluator, solver mcts.Solver) *treePlayer {
	j := &treePlayer{opts: opts, eval: eval, root: opts.Targets.root()}
	j.searcher = mcts.New(opts.Search, eval, solver)
	j.rng = rand.New(&j.pcg)
	return j
}

// balance is the network's value.
func (j *treePlayer) balance(ctx context.Context, pos game.Position) (float64, error) {
	legal := pos.Moves(nil)
	answer := nn.Result{Priors: make([]float32, len(legal))}
	if !j.eval.Add(pos, j.eval.Tag(pos), legal, &answer) {
		if err := j.wait(ctx); err != nil {
			return 0, err
		}
	}
	return float64(answer.Value()), nil
}

// wait returns when the evaluator has answered all.
func (j *treePlayer) wait(ctx context.Context) error {
	if err := j.eval.Wait(ctx, nn.All); err != nil {
		return fmt.Errorf("selfplay: evaluation: %w", &BrokenNetwork{error: err})
	}
	return nil
}

func (j *treePlayer) start(pos game.Position, seed uint64) error {
	j.seed = seed
	return j.searcher.SetPosition(pos)
}

func (j *treePlayer) search(ctx context.Context, ply int) (*decision, error) {
	j.pcg.Seed(j.seed^moveStream, uint64(ply))
	j.full = j.opts.CheapPlayouts == 0 || j.rng.Float64() < j.opts.FullShare
	limits := mcts.Limits{Playouts: j.opts.CheapPlayouts}
	if j.full {
		limits = j.opts.Targets.limits(j.opts.Playouts, samples.GameSeed(j.seed^noiseStream, uint64(ply)), j.root)
	}
	j.searcher.Begin(context.Background(), limits)
	for !j.searcher.Done() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if j.searcher.Select() {
			if err := j.wait(ctx); err != nil {
				return nil, err
			}
			j.searcher.Backup(nn.All)
		}
	}
	return j.decision(ply)
}

// decision draws the move with the next random number of the stream that chose a full
// or a cheap search, unless sequential halving has chosen it.
func (j *treePlayer) decision(ply int) (*decision, error) {
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
		j.policy.pruned(j.searcher, mcts.Forced(j.opts.Targets.Forced), r.Children)
	default:
		j.policy.visits(r.Children)
	}
	return v, j.enter(v)
}

// enter adds the moves that have visits or a share of the target to v.
func (j *treePlayer) enter(v *decision) error {
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
	if !visits && r.Proven == game.Unproven {
		return fmt.Errorf("selfplay: a search of %d playouts visited no move", r.Playouts)
	}
	return nil
}

func (j *treePlayer) advance(m game.Move, pos game.Position) error {
	if j.opts.DropTree {
		return j.searcher.SetPosition(pos)
	}
	return j.searcher.Advance(m)
}

// leastShare is the share of an improved policy below which a move without visits is left
// out of the target.
const leastShare = 1e-5

// policy turns the children of a search into a target. Its slices are scratch.
type policy struct {
	shares []float64 // of the children
	kept   []uint32  // of their visits
}

// ready makes room for n children.
func (p *policy) ready(n int) {
	for len(p.shares) < n {
		p.shares, p.kept = append(p.shares, 0), append(p.kept, 0)
	}
	p.shares, p.kept = p.shares[:n], p.kept[:n]
}

// visits sets the shares to those of the visits. Without visits the first child, which a
// proof has chosen, gets all.
func (p *policy) visits(children []mcts.Child) {
	p.ready(len(children))
	for i := range children {
		p.kept[i] = children[i].Visits
	}
	p.ofKept()
}

// pruned sets the shares to those of the visits that were not forced. If children are
// proven to win, they share equally and the others get nothing.
func (p *policy) pruned(s *mcts.Searcher, forced mcts.Forced, children []mcts.Child) {
	p.ready(len(children))
	wins := false
	for i := range children {
		p.kept[i] = 0
		if children[i].Proven == game.Won {
			p.kept[i], wins = 1, true
		}
	}
	if !wins {
		forced.Prune(s, children, p.kept)
	}
	p.ofKept()
}

// ofKept sets the shares to those of kept.
func (p *policy) ofKept() {
	sum := uint64(0)
	for _, n := range p.kept {
		sum += uint64(n)
	}
	for i, n := range p.kept {
		p.shares[i] = 0
		if sum > 0 {
			p.shares[i] = float64(n) / float64(sum)
		}
	}
	if sum == 0 {
		p.shares[0] = 1
	}
}

// improved sets the shares to the improved policy without negligible shares, and returns
// the root's value under it.
func (p *policy) improved(g mcts.Gumbel, r *mcts.Result) (value float32) {
	p.ready(len(r.Children))
	worth := g.Improve(r, p.shares)
	sum := 0.0
	for i := range r.Children {
		if r.Children[i].Visits == 0 && p.shares[i] < leastShare {
			p.shares[i] = 0
		}
		sum += p.shares[i]
	}
	for i := range p.shares {
		p.shares[i] /= sum
	}
	return float32(max(-1, min(1, worth)))
}
