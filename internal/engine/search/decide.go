package search

import (
	"context"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/support/exactmath"
	"github.com/carozero/carozero/mcts"
)

// weights are the numbers of the rule by which two different moves are weighed, and the
// share of the budget that goes with them. With Q the tree's mean of a move, V the classical
// half's value of it, and n its visits, t being the tree's move and c the classical half's,
// the classical half's is played if
//
//	bias + value*(V(c)-V(t)) - mean*(Q(t)-Q(c)) - visits*ln((1+n(t))/(1+n(c))) > 0
type weights struct {
	share                     float64
	bias, value, mean, visits float64
}

// tactical are the weights where the classical half is the stronger: it gets most of the
// budget and its move is played unless a proof or a claim is against it.
var tactical = weights{share: 0.8, bias: 1}

// fitted are the weights of the rule sets where the tree is the stronger, from "weigh fit"
// over rows of 2,500 playouts of caro.
var fitted = weights{share: 0.2, bias: 0.471, value: 1.566, mean: 2.376, visits: 1.081}

// weightsFor returns the weights of a variant: under the rules of caro, where a blocked five
// does not win, threats count for less.
func weightsFor(v games.Variant) weights {
	if rules, ok := v.Gomoku(); ok && rules.OpponentBlocks {
		return fitted
	}
	return tactical
}

// mostChecks bounds the moves of the tree that are checked.
const mostChecks = 3

// decide checks the tree's move, chooses between the halves, and returns the answer.
func (r *rounds) decide(ctx context.Context) (*engine.Answer, error) {
	t, h := r.both.tree, &r.classical
	t.searcher.Result(&t.result)
	best := t.result.Move
	if r.both.settings.Check && !r.settled() && best == h.latest.Move {
		r.deepen()
	}
	found, err := h.end()
	if err != nil {
		return nil, err
	}
	var c *check
	if r.both.settings.Check && !r.settled() && best != found.Move {
		c = r.check(ctx)
	}
	v := r.weigh(found, c)
	if r.both.settings.Check && v.Decided == engine.ClassicalHalf && v.Reason != engine.Claimed && r.loses(ctx, found.Move) {
		v = r.weigh(found, c)
	}
	a := r.answer(v)
	t.played = a.Move
	return a, nil
}

// loses asks the tree's solver about the classical half's move that is about to be played,
// as the tree asks about its own, and reports whether the move is proven to lose.
func (r *rounds) loses(ctx context.Context, m game.Move) bool {
	after := r.pos.Clone()
	if after.Play(m); after.Outcome() != game.Undecided {
		return false
	}
	t := r.both.tree
	if t.searcher.AuditMove(ctx, m).Proof == mcts.Win {
		r.lost = true
		t.searcher.Result(&t.result)
	}
	return r.lost
}

// settled reports whether proofs or claims decide without a check.
func (r *rounds) settled() bool {
	t, h := r.both.tree, &r.classical
	return r.interrupted && r.ends.IsZero() || t.result.Proven != mcts.Unknown || len(t.result.Children) == 0 ||
		h.wins() || len(h.latest.Lines) == 0
}

// deepen spends the check's budget on the classical half's own search, which has the
// tree's move too.
func (r *rounds) deepen() {
	h := &r.classical
	if r.ends.IsZero() {
		h.target = r.nodes + 1 // it ends at r.nodes
		h.run(0)
		return
	}
	if left := r.left(); left > 0 {
		h.run(left)
	}
}

// check is what the classical half found about moves of the tree.
type check struct {
	of      engine.Finding // the first that was not refuted, or the last one checked
	refuted []engine.Finding
	nodes   int64 // moves played
}

// holds reports whether some move was checked and not refuted.
func (c *check) holds() bool {
	return c.of.Move != game.NoMove && c.of.Proof.Result != engine.Loss
}

// check searches the positions after the tree's moves, the best first, until one is not
// refuted. It stops at the classical half's own move, which that has searched.
func (r *rounds) check(ctx context.Context) *check {
	t, h := r.both.tree, &r.classical
	c := &check{of: engine.Finding{Move: game.NoMove}}
	left := r.nodes - h.latest.Stats.Nodes
	for i := range t.result.Children {
		child := &t.result.Children[i]
		if i == mostChecks || child.Proven == mcts.Loss || i > 0 && (child.Visits == 0 || child.Move == h.latest.Move) {
			break
		}
		l := alphabeta.Limits{Nodes: max(1, left*2/3)}
		if r.nodes == 0 {
			l.Nodes = 0
		} else if left < 1 {
			break
		}
		if !r.ends.IsZero() {
			if l.Time = r.left() * 2 / 3; l.Time <= 0 {
				break
			}
		}
		after := r.pos.Clone()
		after.Play(child.Move)
		if after.Outcome() != game.Undecided {
			break
		}
		found, err := r.both.classical.Search(ctx, after, l)
		if err != nil {
			break
		}
		left -= found.Stats.Nodes
		c.nodes += found.Stats.Nodes
		c.of = engine.Finding{
			Move: child.Move, Value: -r.both.classical.variant.Curve().Value(found.Score), Proof: claim(found.Score).Before(), Depth: found.Depth,
		}
		if c.of.Proof.Result != engine.Loss {
			break
		}
		c.refuted = append(c.refuted, c.of)
	}
	return c
}

// weigh decides between the halves. found is the classical one's result; c may be nil.
func (r *rounds) weigh(found alphabeta.Result, c *check) *engine.Halves {
	t := r.both.tree
	res := &t.result
	curve := r.both.classical.variant.Curve()
	v := &engine.Halves{
		Tree:     engine.Finding{Move: res.Move, Value: res.Value, Proof: treeProof(res.Proven, res.ProofPlies)},
		Other:    engine.Finding{Move: game.NoMove},
		Checked:  engine.Finding{Move: game.NoMove},
		Playouts: int64(res.Playouts), Nodes: found.Stats.Nodes,
	}
	own := childOf(res, res.Move)
	if own != nil {
		v.Tree.Visits, v.Tree.Proof = int(own.Visits), treeProof(own.Proven, own.Plies)
	}
	if len(found.Lines) == 0 {
		return v
	}
	v.Other = engine.Finding{Move: found.Move, Value: curve.Value(found.Score), Proof: claim(found.Score), Depth: found.Lines[0].Depth}
	if c != nil {
		v.Checked, v.Refuted = c.of, c.refuted
		v.Nodes += c.nodes
	}
	other := childOf(res, found.Move)
	if other != nil {
		v.Other.Visits = int(other.Visits)
	}
	lost := r.lost || other != nil && other.Proven == mcts.Loss
	switch {
	case res.Proven == mcts.Win:
		v.Reason = engine.Proven
	case v.Other.Proof.Result == engine.Win && !lost:
		v.Decided, v.Reason = engine.ClassicalHalf, engine.Claimed
	case found.Move == res.Move:
		v.Reason = engine.Agreed
	case res.Proven != mcts.Unknown, own == nil:
		v.Reason = engine.Proven
	case c != nil && len(c.refuted) > 0 && (c.holds() || !lost):
		v.Reason = engine.Refuted
		if !lost && (!c.holds() || !lossOf(&found)) {
			v.Decided = engine.ClassicalHalf
		}
	case lost:
		v.Reason = engine.Proven
	case lossOf(&found), other == nil:
		v.Reason = engine.Weighed
	default:
		v.Reason = engine.Weighed
		if r.prefersOther(v, own, other) {
			v.Decided = engine.ClassicalHalf
		}
	}
	return v
}

// prefersOther applies the settings, or the weights.
func (r *rounds) prefersOther(v *engine.Halves, own, other *mcts.Child) bool {
	switch r.both.settings.Decides {
	case DecidesMCTS:
		return false
	case DecidesAlphaBeta:
		return true
	}
	w := &r.both.weights
	ahead := float64(0)
	if v.Checked.Move == own.Move {
		ahead = float64(v.Other.Value - v.Checked.Value)
	} else if l, known := r.classical.values[own.Move]; known {
		ahead = float64(v.Other.Value - r.both.classical.variant.Curve().Value(l.Score))
	}
	visits := exactmath.Ln(float64(1+own.Visits) / float64(1+other.Visits))
	return w.bias+float64(w.value*ahead)-float64(w.mean*float64(own.Q-other.Q))-float64(w.visits*visits) > 0
}

// believe enters a claim of the classical half for a move of which the tree has no proof.
func believe(o *engine.Opinion, f *engine.Finding) {
	if o.Proof.Result == engine.Unknown && f.Proof.Result != engine.Unknown {
		o.Proof, o.Value = f.Proof, f.Value
	}
}

// played returns the move that the halves come to: after refutations that of the check.
func (r *rounds) played(v *engine.Halves) game.Move {
	switch {
	case v.Decided == engine.ClassicalHalf:
		return v.Other.Move
	case v.Reason == engine.Refuted:
		return v.Checked.Move
	}
	return v.Tree.Move
}

// answer returns the answer of both halves, with the move of the one that decided.
func (r *rounds) answer(v *engine.Halves) *engine.Answer {
	t, h := r.both.tree, &r.classical
	a := t.answer(r.limits.Detail)
	a.Halves = v
	s := &h.latest.Stats
	a.Stats.Nodes = r.both.spent(v.Playouts, v.Nodes)
	a.Stats.QuiescenceNodes, a.Stats.Leaves = s.QuiescenceNodes, s.Leaves
	a.Stats.TableProbes, a.Stats.TableHits, a.Stats.TableFill = s.TableProbes, s.TableHits, s.TableFill
	a.Stats.Cutoffs, a.Stats.FirstCutoffs = s.Cutoffs, s.FirstCutoffs
	for i := range a.Moves {
		o := &a.Moves[i]
		if v.Other.Move == o.Move {
			o.Depth, o.Score = v.Other.Depth, int(h.latest.Score)
			o.Line, o.LineVisits = h.latest.Lines[0].Moves, []int{o.Visits}
			believe(o, &v.Other)
		}
		for j := range v.Refuted {
			if v.Refuted[j].Move == o.Move {
				believe(o, &v.Refuted[j])
			}
		}
	}
	played := r.played(v)
	switch {
	case v.Decided == engine.ClassicalHalf:
		a.Value = v.Other.Value
	case v.Reason == engine.Refuted:
		a.Value = v.Checked.Value
	}
	if p := v.Other.Proof; a.Proof.Result == engine.Unknown && played == v.Other.Move && !(p.Result == engine.Loss && r.limits.Restrict != nil) {
		if a.Proof = p; p.Result != engine.Unknown {
			a.Value = v.Other.Value
		}
	}
	a = withMove(a, played)
	if i := slices.IndexFunc(a.Moves, func(o engine.Opinion) bool { return o.Move == played }); i > 0 {
		o := a.Moves[i]
		copy(a.Moves[1:i+1], a.Moves[:i])
		a.Moves[0] = o
	}
	return a
}
