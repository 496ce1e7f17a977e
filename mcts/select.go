package mcts

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
)

// forbidden is the value of a child that is proven lost for the parent: no prior
// outweighs it.
var forbidden = float32(math.Inf(-1))

// exploration holds the constants of the selection formula.
type exploration struct {
	init, base  float64
	fpu, fpuTop float32 // reduction below the root and at the root
	spread      float64 // of width; 0: every node's is 1
}

// scale returns c(N) * sqrt(N), the part of the exploration term that the
// edges of a node with N visits share, with
//
//	c(N) = ln((1 + N + base) / base) + init
//
// (Silver et al., "A general reinforcement learning algorithm that masters
// chess, shogi, and Go through self-play", 2018, supplementary pseudocode).
func (x *exploration) scale(visits uint32) float32 {
	n := float64(visits)
	c := nn.Ln((1+n+x.base)/x.base) + x.init
	return float32(c * math.Sqrt(n))
}

// width returns the factor on a node's exploration term, 1 for none: with d the
// standard deviation of the values backed up there and d0 a usual one,
//
//	1 + spread * (d/d0 - 1)
//
// (Wu, "Other methods implemented in KataGo", 2020, "Dynamic variance-scaled
// cPUCT").
func (x *exploration) width(nd *node) float32 {
	if x.spread == 0 || nd.proof() != game.Unproven {
		return 1
	}
	return float32(1 + float64(x.spread*(nd.deviation()/usualDeviation-1)))
}

// choose returns the edge of an expanded node to follow: the one with the largest
// score
//
//	Q + w * c(N) * P * sqrt(N) / (1 + n)
//
// where P is the edge's prior, n its visits and N the node's, all in-flight
// playouts counted, w the node's width, and Q the child's mean for this node. An
// unvisited edge takes for Q the first-play value: the node's own mean q less the
// reduction times the root of the prior mass that has been visited. All unvisited
// edges share it, so the first of them in prior order beats the others, and
// looking at the visited edges and one more is exact. Ties go to the lower edge.
//
// With grow false, unvisited edges don't count.
func (t *tree) choose(nd *node, visits uint32, q, reduction float32, x *exploration, grow bool) choice {
	c := choice{edge: -1, second: forbidden, scale: x.width(nd) * x.scale(visits)}
	kids := t.kids[nd.kids:][:nd.nKids]
	priors := t.priors[nd.edges:][:nd.reach()]
	best, mass := forbidden, float32(0)
	for i := range kids {
		k := &kids[i]
		p := priors[i]
		mass += p
		if score := k.q + float32(c.scale*p)/float32(1+k.visits); score > best {
			c.second, best, c.edge = best, score, i
		} else if score > c.second {
			c.second = score
		}
	}
	c.firstPlay = q - float32(reduction*float32(math.Sqrt(float64(mass))))
	if grow && len(kids) < len(priors) {
		if score := c.firstPlay + float32(c.scale*priors[len(kids)]); score > best {
			c.second, c.edge = best, len(kids)
		} else if score > c.second {
			c.second = score
		}
	}
	return c
}

// A choice is what selection finds at a node.
type choice struct {
	edge      int     // to follow, -1 if none can be
	firstPlay float32 // the value that unvisited edges share
	second    float32 // the second-best score, forbidden if there is none
	scale     float32 // w * c(N) * sqrt(N)
}

// chooseOpen returns the edge of nd with the best score, as choose defines it, among
// those to open children, and the score; -1 and forbidden if there is none.
func (t *tree) chooseOpen(nd *node, visits uint32, firstPlay float32, x *exploration, grow bool) (edge int,
	best float32) {
	scale := x.width(nd) * x.scale(visits)
	kids := t.kids[nd.kids:][:nd.nKids]
	priors := t.priors[nd.edges:][:nd.reach()]
	edge, best = -1, forbidden
	for i := range kids {
		k := &kids[i]
		score := k.q + float32(scale*priors[i])/float32(1+k.visits)
		if score <= best {
			continue
		}
		if t.nodes[k.node].proof() == game.Unproven {
			edge, best = i, score
		}
	}
	if grow && len(kids) < len(priors) {
		if score := firstPlay + float32(scale*priors[len(kids)]); score > best {
			edge, best = len(kids), score
		}
	}
	return edge, best
}

// descend walks from the root to a leaf and records the path in p. It may add the leaf
// and changes nothing else. It reports false, without adding a leaf, if every path
// leads to a node whose evaluation is pending.
func (s *Searcher) descend(p *playout) bool {
	t := &s.tree
	p.fresh = false
	root := &t.nodes[0]
	if root.n == 0 {
		p.path, p.leaf, p.fresh = p.path[:0], 0, true
		return s.queue.pending == 0
	}
	grow := s.roomToGrow()
	id, visits, q, reduction := uint32(0), root.visits+uint32(s.queue.pending), root.mean(), s.explore.fpuTop
	p.path = append(p.path[:0], s.resume()...)
	resumed := len(p.path)
	if resumed > 0 {
		k := t.kidOf(p.path[resumed-1])
		id, visits, q, reduction = k.node, k.visits, s.meanOf(k), s.explore.fpu
	}
	for {
		nd := &t.nodes[id]
		if nd.lazy() {
			if !grow {
				p.leaf = id
				return true
			}
			s.expandLazy(id, p.path)
		}
		c := t.choose(nd, visits, q, reduction, &s.explore, grow)
		edge, firstPlay := c.edge, c.firstPlay
		if policy := s.run.limits.Root; id == 0 && policy != nil {
			var ok bool
			if edge, ok = policy.choose(s, edge, visits, grow); !ok {
				return false
			}
		}
		if edge < 0 {
			p.leaf = id // memory stops it from growing
			return true
		}
		st := step{node: id, edge: uint16(edge)}
		if edge < int(nd.nKids) && t.childOf(nd, edge).proof() == game.Drawn {
			st = s.lookBeyond(p, st, visits, firstPlay, grow)
		}
		if st.edge < nd.nKids && t.waits(nd, int(st.edge)) {
			s.sticky.reset(resumed)
			return false
		}
		p.path = append(p.path, st)
		if s.sticks {
			s.sticky.add(st, s.run.launched+s.times(nd, st, &c))
		}
		if st.edge == nd.nKids {
			p.leaf, p.fresh = t.addKid(id, firstPlay), true
			s.complete(id, p.path[:len(p.path)-1])
			return true
		}
		k := &t.kids[nd.kids+uint32(st.edge)]
		child := &t.nodes[k.node]
		if child.proof() != game.Unproven {
			p.leaf = k.node
			return true
		}
		id, visits, q, reduction = k.node, k.visits, s.meanOf(k), s.explore.fpu
	}
}

// meanOf returns the mean value of the child of k, for its side to move, without what is
// in flight.
func (s *Searcher) meanOf(k *kid) float32 {
	if child := &s.tree.nodes[k.node]; s.loss > 0 && child.visits > 0 {
		return child.mean()
	}
	return -k.q
}

// lookBeyond returns the step that replaces st, which leads to a proven draw and has
// nothing left to explore. The new step follows the best open edge: as an ordinary step
// if its score is above the draw's 0, else as a held one. It returns st if no edge is
// open, and at a root whose policy allots the playouts.
func (s *Searcher) lookBeyond(p *playout, st step, visits uint32, firstPlay float32, grow bool) step {
	if st.node == 0 && s.allotted() {
		return st
	}
	edge, score := s.tree.chooseOpen(&s.tree.nodes[st.node], visits, firstPlay, &s.explore, grow)
	if edge < 0 {
		return st
	}
	if st.node == 0 {
		p.drawn = int(st.edge)
	}
	return step{node: st.node, edge: uint16(edge), held: score <= 0}
}

// roomToGrow makes room for what the playouts in flight may add to the tree. It reports
// whether the memory bound allows that, and records if it does not.
func (s *Searcher) roomToGrow() bool {
	room := s.tree.admit(len(s.queue.slots), s.pos.MaxMoves())
	s.run.full = s.run.full || !room
	return room
}

// expect makes the edge k count what is in flight below it as values that are
// Options.VirtualLoss below the mean of the others.
func (s *Searcher) expect(k *kid) {
	child := &s.tree.nodes[k.node]
	if s.loss > 0 && child.visits > 0 && child.proof() == game.Unproven {
		k.q = -child.mean() - float32(s.loss*float32(k.visits-child.visits))/float32(k.visits)
	}
}

// waits reports whether the evaluation of an edge's child is pending.
func (t *tree) waits(nd *node, edge int) bool {
	child := t.childOf(nd, edge)
	return child.visits == 0 && child.proof() == game.Unproven
}

// Schedule is a temperature that falls exponentially with the plies played, from Start
// towards End; the difference halves every HalfLife plies. With a HalfLife of zero it
// is always End.
type Schedule struct {
	Start, End float64
	HalfLife   float64 // in plies
}

// At returns the temperature after ply plies.
func (s Schedule) At(ply int) float64 {
	if s.HalfLife <= 0 {
		return s.End
	}
	left := nn.Exp(max(-700, -float64(nn.Ln(2)*float64(ply))/s.HalfLife))
	return s.End + float64((s.Start-s.End)*left)
}

// Pick chooses a move among the children of a Result: the shortest proven win if there
// is one, the longest proven loss only if all moves lose. Otherwise it draws a move with
// probability proportional to visits^(1/temperature), or to the priors in the same way
// if no child has visits. A temperature of 0 takes the child with most visits; rng is
// then unused and may be nil. It returns NoMove without children.
func Pick(children []Child, temperature float64, rng *rand.Rand) game.Move {
	if len(children) == 0 {
		return game.NoMove
	}
	best := slices.MinFunc(children, comparison(children))
	if temperature <= 0 || best.Proven == game.Won || best.Proven == game.Lost {
		return best.Move
	}
	most := Child{}
	for _, c := range children {
		most.Visits, most.Prior = max(most.Visits, c.Visits), max(most.Prior, c.Prior)
	}
	weight := func(c *Child) float64 {
		switch {
		case c.Proven == game.Lost:
			return 0
		case most.Visits == 0:
			return power(float64(c.Prior), float64(most.Prior), temperature)
		}
		return power(float64(c.Visits), float64(most.Visits), temperature)
	}
	sum := 0.0
	for i := range children {
		sum += weight(&children[i])
	}
	mark := float64(rng.Float64() * sum)
	for i := range children {
		if mark -= weight(&children[i]); mark < 0 {
			return children[i].Move
		}
	}
	return best.Move
}

// power returns (x/most)^(1/temperature) for 0 <= x <= most.
func power(x, most, temperature float64) float64 {
	switch x {
	case 0:
		return 0
	case most:
		return 1
	}
	return nn.Exp(max(-701, (nn.Ln(x)-nn.Ln(most))/temperature))
}

// A playout of a network that answers at once costs less than the way to its leaf: at
// every node on it all visited edges are scored, and nearly always the same one wins as
// the playout before. So playouts in a row keep to a choice, as long as
//
//   - they are at most Options.Stride times as many as the visits of the chosen move
//     before them,
//   - the move's score would still be the best if its mean and all other scores stayed
//     as they were, and
//   - nothing on the way was proven meanwhile.
//
// A choice that is made below another one holds no longer than that one. Which path a
// playout takes is a function of the tree and of the number of playouts launched, as
// ever. Rapfi's tree search (commit af7013f) backs up several visits of one descent
// likewise.

// stickyPath is the path of the last playout, with how long each of its choices holds.
type stickyPath struct {
	path   []step
	until  []int // the run.launched at which a choice must be made anew; never grows with the depth
	proofs int   // tree.proofs when the path was last searched for proven nodes
}

// reset leaves the first n steps; with none the next playout starts at the root.
func (y *stickyPath) reset(n int) { y.path, y.until = y.path[:n], y.until[:n] }

// add appends a step that holds until so many playouts have been launched.
func (y *stickyPath) add(st step, until int) {
	if n := len(y.until); n > 0 {
		until = min(until, y.until[n-1])
	}
	y.path, y.until = append(y.path, st), append(y.until, until)
}

// resume returns the beginning of the last playout's path that the next one follows
// too. All its nodes are visited and unproven.
func (s *Searcher) resume() []step {
	y, t := &s.sticky, &s.tree
	n := len(y.path)
	for n > 0 && y.until[n-1] <= s.run.launched {
		n--
	}
	if t.proofs != y.proofs {
		y.proofs = t.proofs
		for i, st := range y.path[:n] {
			if t.nodes[t.kidOf(st).node].proof() != game.Unproven {
				n = i
				break
			}
		}
	}
	y.reset(n)
	return y.path
}

// times returns how many playouts in a row, the present one included, may follow st,
// which was chosen at nd. It is 1 where something other than the scores has chosen.
func (s *Searcher) times(nd *node, st step, c *choice) int {
	if int(st.edge) != c.edge || st.edge >= nd.nKids || st.node == 0 && s.run.limits.Root != nil {
		return 1
	}
	k := s.tree.kidOf(st)
	if s.tree.nodes[k.node].proof() != game.Unproven {
		return 1
	}
	most := float32(s.stride * float32(k.visits))
	if gap := c.second - k.q; gap > 0 {
		// The score is q + scale*P/(1+n), at least the second up to this n.
		bonus := float32(c.scale * s.tree.priors[nd.edges+uint32(st.edge)])
		most = min(most, float32(bonus/gap)-float32(k.visits))
	}
	return int(max(1, most))
}

// kidOf returns the record of the edge that a step follows, which has been visited.
func (t *tree) kidOf(st step) *kid {
	return &t.kids[t.nodes[st.node].kids+uint32(st.edge)]
}

// A Searcher's board stays where the last playout left it, because the next one usually
// begins with the same moves. Select brings it back to the root before it returns.

// walkTo brings the board to the end of a path.
func (s *Searcher) walkTo(path []step) {
	t := &s.tree
	same := 0
	for same < len(path) && same < len(s.path) && t.moveAt(path[same]) == s.path[same] {
		same++
	}
	s.undoTo(same)
	for _, st := range path[same:] {
		m := t.moveAt(st)
		s.pos.Play(m)
		s.path = append(s.path, m)
	}
}

// toRoot brings the board back to the root.
func (s *Searcher) toRoot() { s.undoTo(0) }

// undoTo undoes moves until that many plies are left.
func (s *Searcher) undoTo(plies int) {
	for range len(s.path) - plies {
		s.pos.Undo()
	}
	s.path = s.path[:plies]
}

// moveAt returns the move of a step.
func (t *tree) moveAt(st step) game.Move {
	return t.moves[t.nodes[st.node].edges+uint32(st.edge)]
}
