package selfplay

import (
	"fmt"

	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay/samples"
)

// Targets say how full searches distribute the playouts at their roots and what the policy
// target is. The zero value means PUCT with noise and the shares of the visits. They do
// not apply to cheap searches.
type Targets struct {
	// Forced is the k of forced playouts, [mcts.Limits].Forced: the target has the
	// visits that are left once they are pruned. Zero means none; KataGo has 2.
	Forced float32

	// Gumbel, with Considered above 0, distributes the playouts by sequential halving.
	// The target is the improved policy, root_q the root's value under it, and the
	// move played is Searcher.Choice; noise, Forced and Options.Temperature are unused.
	Gumbel mcts.Gumbel
}

// check returns an error for the first invalid value.
func (t Targets) check() error {
	switch {
	case !(t.Forced >= 0 && t.Forced <= mostForced):
		return fmt.Errorf("selfplay: forced playouts: %v, want 0 for none, to %v", t.Forced, mostForced)
	case t.Gumbel.Considered < 0 || t.Gumbel.Considered == 1:
		return fmt.Errorf("selfplay: moves considered: %d, want 0 for all, or at least 2", t.Gumbel.Considered)
	case !(t.Gumbel.Scale >= 0) || !(t.Gumbel.Visits >= 0):
		return fmt.Errorf("selfplay: scale of values: %v, want above 0", t.Gumbel.Scale)
	case t.Gumbel.Considered > 0 && t.Forced > 0:
		return fmt.Errorf("selfplay: forced playouts: %v, want none where sequential halving shares the playouts out", t.Forced)
	}
	return nil
}

// mostForced bounds Targets.Forced.
const mostForced = 100

// rule names the rule that makes the policy target, as the header has it.
func (t Targets) rule() string {
	switch {
	case t.Gumbel.Considered > 0:
		return samples.TargetImproved
	case t.Forced > 0:
		return samples.TargetPruned
	}
	return samples.TargetVisits
}

// fields returns the settings that are on, as the header's search map has them.
func (t Targets) fields() (f samples.Fields) {
	if t.Forced > 0 {
		f = append(f, samples.Field{Key: "forced_playouts", Value: float64(t.Forced)})
	}
	if t.Gumbel.Considered > 0 {
		g := t.Gumbel.WithDefaults()
		f = append(f, samples.Field{Key: "gumbel", Value: samples.Fields{
			{Key: "considered", Value: int64(g.Considered)}, {Key: "visits", Value: g.Visits}, {Key: "scale", Value: g.Scale},
		}})
	}
	return f
}

// limits returns the limits of a full search with that many playouts.
func (t Targets) limits(playouts int, seed uint64) mcts.Limits {
	l := mcts.Limits{Playouts: playouts, Noise: true, Seed: seed, Forced: t.Forced, Gumbel: t.Gumbel}
	if t.Gumbel.Considered > 0 {
		l.Noise = false
	}
	return l
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
func (p *policy) pruned(s *mcts.Searcher, children []mcts.Child) {
	p.ready(len(children))
	wins := false
	for i := range children {
		p.kept[i] = 0
		if children[i].Proven == mcts.Win {
			p.kept[i], wins = 1, true
		}
	}
	if !wins {
		s.Prune(children, p.kept)
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
