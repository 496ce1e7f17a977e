package mcts

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/carozero/carozero/game"
)

// Child is one legal move of the root.
type Child struct {
	Move   game.Move
	Visits uint32      // raw visits, inherited ones included
	Prior  float32     // as the evaluator gave it, without noise
	Error  float32     // standard error of Q; 0 if it is proven or has no visits
	Q      float32     // mean value in -1..1 for the side to move at the root; without visits the root's own mean
	Proven game.Result // for the side to move at the root
	Plies  int         // length of the proof, this move included, or Endless; 0 if Proven is Unproven

	Resistance int8 // of a proven loss, by Options.Resistance
}

// Result is the state of a search's root. Values are in -1..1; values and proofs are
// for the side to move at the root.
type Result struct {
	Move       game.Move   // best move: Children[0].Move where there are children
	Value      float32     // value of Move, or the proven value of the root
	RootQ      float32     // mean over all visits of the root
	Error      float32     // standard error of RootQ; 0 if the root is proven or was not visited
	NetValue   float32     // evaluator's own value of the root; 0 if it was not evaluated
	Proven     game.Result // of the root
	ProofPlies int         // plies to the end of the game by the proof that was found, or Endless

	Playouts    int   // playouts of the last search
	Visits      int   // visits of the root, inherited ones included
	Evals       int   // positions the last search gave to the evaluator, answers from a cache included
	Nodes       int   // nodes of the tree
	Depth       int   // mean length of the last search's playouts, rounded down
	SelDepth    int   // length of its longest playout
	Full        bool  // the memory bound stopped the tree's growth
	Stopped     bool  // Options.EarlyStop ended the last search before its budget was spent
	SolverCalls int   // calls of the solver by the last search
	SolverNanos int64 // time spent in them; 0 without Options.Clock
	SolverNodes int   // moves that the solver played at the root

	PV       []game.Move // principal variation, from the root
	Children []Child     // every legal move once the root is expanded, best first
}

// Result fills r, reusing its slices. It may be called at any time after
// SetPosition, in the middle of a search too.
//
// Children are sorted, the best first: proven wins, the shortest first; then open and
// drawn moves by visits and prior, with the one that Options.LCB chooses in front; then
// proven losses, the longest first, of equal ones those that resist most
// (Options.Resistance). If there is a proven draw, open moves with a negative mean come
// just before the losses. Move is a legal move even if nothing has been searched, and
// NoMove only if the game is over.
func (s *Searcher) Result(r *Result) {
	*r = Result{PV: r.PV[:0], Children: r.Children[:0], Move: game.NoMove}
	if s.pos == nil {
		return
	}
	s.compact()
	nd := &s.tree.nodes[0]
	r.NetValue, r.Proven, r.ProofPlies = nd.value, nd.proof(), nd.plies()
	r.Visits, r.Nodes = int(nd.visits), len(s.tree.nodes)
	r.SolverNodes = s.solver.RootNodes() - s.run.nodesYet
	s.run.report(r)
	if nd.visits > 0 {
		r.RootQ = nd.mean()
	}
	r.Value = r.RootQ
	if nd.n > 0 {
		s.children(r)
		best := &r.Children[0]
		r.Move, r.Value = best.Move, best.Q
	} else {
		r.Move = s.anyMove()
	}
	if r.Move != game.NoMove {
		s.variation(r)
	}
}

// anyMove returns a move of a root that is not expanded: one that wins by
// proof or at once, else the first legal one.
func (s *Searcher) anyMove() game.Move {
	if s.root.win != game.NoMove {
		return s.root.win
	}
	if s.pos.Outcome() != game.Undecided {
		return game.NoMove
	}
	restrict, side := s.run.limits.Restrict, s.pos.ToMove()
	if s.moves = restrict.permitted(0, side, s.pos.Wins(s.moves[:0])); len(s.moves) == 0 {
		s.moves = restrict.permitted(0, side, s.pos.Moves(s.moves))
	}
	if len(s.moves) == 0 {
		s.moves = s.pos.Moves(s.moves)
	}
	return s.moves[0]
}

// children fills r.Children from the root, which is expanded.
func (s *Searcher) children(r *Result) {
	t := &s.tree
	nd := &t.nodes[0]
	s.moves = s.pos.Wins(s.moves[:0])
	r.Error = nd.standardError()
	for i, m := range t.moves[nd.edges:][:nd.n] {
		c := Child{Move: m, Prior: s.root.prior(m), Q: r.RootQ}
		if i < int(nd.nKids) {
			t.childOf(nd, i).report(&c)
			c.Visits = uint32(int32(c.Visits) - s.root.owed(i))
		}
		if slices.Contains(s.moves, m) {
			c.Proven, c.Plies, c.Q = game.Won, 1, 1
		} else if m == s.root.win {
			c.Proven, c.Plies, c.Q = game.Won, r.ProofPlies, 1
		}
		r.Children = append(r.Children, c)
	}
	if s.opts.Resistance != nil {
		s.rateResistance(r.Children)
	}
	slices.SortFunc(r.Children, comparison(r.Children))
	if s.opts.LCB > 0 {
		s.preferSure(r.Children)
	}
}

// rateResistance sets the Resistance of the proven losses.
func (s *Searcher) rateResistance(children []Child) {
	s.moves = s.moves[:0]
	for i := range children {
		if children[i].Proven == game.Lost {
			s.moves = append(s.moves, children[i].Move)
		}
	}
	if len(s.moves) == 0 {
		return
	}
	s.ranks = slices.Grow(s.ranks[:0], len(s.moves))[:len(s.moves)]
	clear(s.ranks)
	s.opts.Resistance(s.pos, s.moves, s.ranks)
	n := 0
	for i := range children {
		if children[i].Proven == game.Lost {
			children[i].Resistance = s.ranks[n]
			n++
		}
	}
}

// lcbShare is the part of the most visits that a move needs to be chosen by
// its lower confidence bound.
const lcbShare = 1.0 / 7

// preferSure moves the child with the highest lower confidence bound to the front,
// unless the best one by visits is proven or some child is a proven draw.
func (s *Searcher) preferSure(children []Child) {
	t := &s.tree
	nd := &t.nodes[0]
	if children[0].Proven != game.Unproven || slices.ContainsFunc(children, isDraw) {
		return
	}
	best, bound := 0, math.Inf(-1)
	for i, c := range children {
		if c.Proven != game.Unproven || c.Visits == 0 || float64(c.Visits) < lcbShare*float64(children[0].Visits) {
			break
		}
		child := t.childBy(nd, c.Move)
		low := float64(c.Q) - float64(float64(s.opts.LCB)*child.deviation())/math.Sqrt(float64(child.visits))
		if low > bound {
			best, bound = i, low
		}
	}
	chosen := children[best]
	copy(children[1:best+1], children[:best])
	children[0] = chosen
}

// report fills c from its node nd, with values for the side to move at the root.
func (nd *node) report(c *Child) {
	if nd.visits > 0 {
		c.Visits, c.Q, c.Error = nd.visits, 0-nd.mean(), nd.standardError()
	}
	if nd.proof() != game.Unproven {
		c.Q = 0 - nd.proof().Value()
		c.Proven, c.Plies = nd.proof().Flip(), min(nd.plies()+1, Endless)
	}
}

// variation fills r.PV: r.Move and then the best children below it.
func (s *Searcher) variation(r *Result) {
	r.PV, s.visits = s.Line(r.Move, r.PV, s.visits[:0])
}

// Line appends the expected line after m, a legal move of the root: m and then the best
// children below it. To visits it appends the visits of the position after each move, 0
// for a move known from a proof only. Call it after Result.
func (s *Searcher) Line(m game.Move, line []game.Move, visits []int) ([]game.Move, []int) {
	t := &s.tree
	nd := t.childBy(&t.nodes[0], m)
	if nd == nil {
		return append(line, m), append(visits, 0)
	}
	for next := nd; next != nil; m, next = t.bestKid(nd) {
		line, visits = append(line, m), append(visits, int(next.visits))
		nd = next
	}
	if m := nd.winningMove(); m != game.NoMove {
		line, visits = append(line, m), append(visits, 0)
	}
	return line, visits
}

// edgeOf returns the visited edge of nd by m, -1 if it has none.
func (t *tree) edgeOf(nd *node, m game.Move) int {
	if nd.nKids == 0 {
		return -1
	}
	return slices.Index(t.moves[nd.edges:][:nd.nKids], m)
}

// childBy returns the child of nd by m, nil if it has none.
func (t *tree) childBy(nd *node, m game.Move) *node {
	if i := t.edgeOf(nd, m); i >= 0 {
		return t.childOf(nd, i)
	}
	return nil
}

// bestKid returns the best visited move of nd and its node, which is nil if there
// is none.
func (t *tree) bestKid(nd *node) (game.Move, *node) {
	compare := compareChildren
	kids := t.kids[nd.kids:][:nd.nKids]
	for _, k := range kids {
		if t.nodes[k.node].proof() == game.Drawn {
			compare = compareAboveDraw
		}
	}
	var best Child
	var next *node
	for i, k := range kids {
		e := nd.edges + uint32(i)
		c := Child{Move: t.moves[e], Prior: t.priors[e]}
		child := &t.nodes[k.node]
		child.report(&c)
		if c.Visits > 0 && (next == nil || compare(c, best) < 0) {
			best, next = c, child
		}
	}
	return best.Move, next
}

// comparison returns the comparison that orders the given children.
func comparison(children []Child) func(a, b Child) int {
	if slices.ContainsFunc(children, isDraw) {
		return compareAboveDraw
	}
	return compareChildren
}

// compareChildren is negative if a is better than b, as Result orders them
// without a proven draw.
func compareChildren(a, b Child) int { return compareRanked(a, b, rank(a.Proven), rank(b.Proven)) }

// compareAboveDraw is compareChildren where some child is a proven draw, which is
// better than open moves of negative value.
func compareAboveDraw(a, b Child) int {
	return compareRanked(a, b, rankAboveDraw(a), rankAboveDraw(b))
}

// compareRanked compares by rank, by the length of proofs (losses of equal length by
// resistance), by visits, and by prior.
func compareRanked(a, b Child, rankA, rankB int) int {
	plies := 0
	switch a.Proven {
	case game.Won:
		plies = cmp.Compare(a.Plies, b.Plies)
	case game.Lost:
		plies = cmp.Or(cmp.Compare(b.Plies, a.Plies), cmp.Compare(b.Resistance, a.Resistance))
	}
	return cmp.Or(cmp.Compare(rankA, rankB),
		plies,
		cmp.Compare(b.Visits, a.Visits),
		cmp.Compare(b.Prior, a.Prior),
		cmp.Compare(a.Move, b.Move))
}

// rank orders proofs: wins, open or drawn moves, losses.
func rank(p game.Result) int {
	switch p {
	case game.Won:
		return 0
	case game.Lost:
		return 3
	}
	return 1
}

// rankAboveDraw is rank with open moves of negative value behind the draws.
func rankAboveDraw(c Child) int {
	if c.Proven == game.Unproven && c.Q < 0 {
		return 2
	}
	return rank(c.Proven)
}

// isDraw reports whether c is a proven draw.
func isDraw(c Child) bool { return c.Proven == game.Drawn }

// meter is a Solver that counts and times the calls of another one.
type meter struct {
	Solver
	clock func() int64 // nil: no time is measured
	usage *usage
}

// usage is the number of calls of a Solver and the time that they took.
type usage struct {
	calls int
	nanos int64
}

// Leaf implements [Solver].
func (m *meter) Leaf(ctx context.Context, pos game.Position) Solution {
	begin := m.now()
	w := m.Solver.Leaf(ctx, pos)
	m.add(begin)
	return w
}

// Root implements [Solver].
func (m *meter) Root(ctx context.Context, pos game.Position) Solution {
	begin := m.now()
	w := m.Solver.Root(ctx, pos)
	m.add(begin)
	return w
}

// Refute implements [Solver].
func (m *meter) Refute(ctx context.Context, pos game.Position, moves []game.Move, after []Solution) {
	begin := m.now()
	m.Solver.Refute(ctx, pos, moves, after)
	m.add(begin)
}

// Audit implements [Solver].
func (m *meter) Audit(ctx context.Context, pos game.Position, move game.Move) Solution {
	begin := m.now()
	w := m.Solver.Audit(ctx, pos, move)
	m.add(begin)
	return w
}

// now reads the clock, if there is one.
func (m *meter) now() int64 {
	if m.clock == nil {
		return 0
	}
	return m.clock()
}

// add counts a call that began at a time.
func (m *meter) add(begin int64) {
	m.usage.calls++
	m.usage.nanos += m.now() - begin
}
