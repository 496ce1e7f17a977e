package mcts

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
)

// gumbelStream separates the Gumbel numbers from other uses of the same seed.
const gumbelStream = 0x67756d62656c

// halving distributes a search's playouts over the moves of the root (algorithm 2 of
// the paper that [Gumbel] names). Each legal move gets a Gumbel number g, and the
// m = Considered moves with the largest g + logit are the candidates. There are
// ceil(log2 m) phases; in each every candidate gets the same number of playouts,
// so that the phases take about equally many; after it the half with the largest
//
//	g + logit + sigma(completed q)
//
// stays. The last two candidates stay until the budget is spent. Since candidates take
// turns, the search waits for playouts in flight only at the end of a phase.
//
// Candidates that are proven lost are dropped; when none is left, the next ones in the
// order of g + logit follow. Inherited visits count for the values, not for the
// distribution.
type halving struct {
	Gumbel
	begun  bool
	budget int       // playouts to share out
	phases int       // ceil(log2 m)
	scores []float64 // g + logit, in the order of root.moves
	order  []int     // indices of scores, the largest first
	next   int       // how many of order have been candidates
	field  []candidate
	share  int // playouts of each candidate in this phase
	seen   completion
}

// candidate is a move that still gets playouts.
type candidate struct {
	index int // in root.moves
	edge  int // of the root, -1 until it is visited
	turns int // playouts in this phase, those in flight included
	all   int // in all phases
	score float64
}

// begin implements [RootPolicy].
func (h *halving) begin() {
	h.begun, h.next, h.phases = false, 0, 0
	h.field = h.field[:0]
}

// allots implements [RootPolicy].
func (*halving) allots() bool { return true }

// choose implements [RootPolicy]. An edge without visits is moved to the front of the
// unvisited ones.
func (h *halving) choose(s *Searcher, fallback int, _ uint32, grow bool) (edge int, ok bool) {
	if !h.begun {
		h.draw(s)
	}
	for {
		h.dropLost(&s.tree)
		if len(h.field) == 0 && !h.nominate(s) {
			return fallback, true
		}
		c := h.turn()
		if c == nil {
			if s.queue.pending > 0 {
				return -1, false
			}
			h.rank(s)
			h.field = h.field[:min(len(h.field), max(2, len(h.field)/2))]
			h.beginPhase()
			continue
		}
		if c.edge < 0 {
			if c.edge = s.tree.raise(s.root.moves[c.index], grow); c.edge < 0 {
				return fallback, true // memory stops the tree from growing
			}
		}
		return c.edge, true
	}
}

// count implements [RootPolicy].
func (h *halving) count(edge int) {
	for i := range h.field {
		if c := &h.field[i]; c.edge == edge {
			c.turns++
			c.all++
		}
	}
}

// turn returns the candidate that the next playout belongs to, nil at the end of a
// phase.
func (h *halving) turn() *candidate {
	var least *candidate
	for i := range h.field {
		if c := &h.field[i]; c.turns < h.share && (least == nil || c.turns < least.turns) {
			least = c
		}
	}
	return least
}

// beginPhase starts a phase with the current candidates.
func (h *halving) beginPhase() {
	h.share = max(1, h.budget/max(1, h.phases*len(h.field)))
	for i := range h.field {
		h.field[i].turns = 0
	}
}

// draw draws a number for each legal move, from the search's seed and the
// moves alone, and puts the moves in order.
func (h *halving) draw(s *Searcher) {
	r := &s.root
	h.begun, h.budget = true, max(0, s.run.left())
	h.scores, h.order = h.scores[:0], h.order[:0]
	s.source.Seed(s.run.limits.Seed, gumbelStream)
	for i, p := range r.priors {
		g := -nn.Ln(-nn.Ln(uniform(&s.source)))
		h.scores = append(h.scores, g+logit(p))
		h.order = append(h.order, i)
	}
	slices.SortFunc(h.order, func(a, b int) int {
		switch {
		case h.scores[a] > h.scores[b]:
			return -1
		case h.scores[a] < h.scores[b]:
			return 1
		}
		return a - b
	})
}

// nominate selects the next candidates when none is left, and reports whether there are
// any.
func (h *halving) nominate(s *Searcher) bool {
	t := &s.tree
	nd := &t.nodes[0]
	m := h.Considered
	if s.run.bounded() {
		m = min(m, max(1, h.budget))
	}
	for h.next < len(h.order) && len(h.field) < m {
		i := h.order[h.next]
		h.next++
		edge := t.edgeOf(nd, s.root.moves[i])
		if edge < 0 || t.childOf(nd, edge).proof() != game.Won {
			h.field = append(h.field, candidate{index: i, edge: edge, score: h.scores[i]})
		}
	}
	if h.phases == 0 {
		h.phases = bits.Len(uint(max(1, len(h.field)) - 1))
	}
	h.beginPhase()
	return len(h.field) > 0
}

// dropLost drops the candidates that are proven lost.
func (h *halving) dropLost(t *tree) {
	nd := &t.nodes[0]
	h.field = slices.DeleteFunc(h.field, func(c candidate) bool {
		return c.edge >= 0 && c.edge < int(nd.nKids) && t.childOf(nd, c.edge).proof() == game.Won
	})
}

// rank orders the candidates by g + logit + sigma(completed q), the best first.
func (h *halving) rank(s *Searcher) {
	t, g := &s.tree, h.WithDefaults()
	nd := &t.nodes[0]
	h.seen = completion{}
	for i, k := range t.kids[nd.kids:][:nd.nKids] {
		if child := &t.nodes[k.node]; child.visits > 0 && child.proof() != game.Won {
			h.seen.add(s.root.prior(t.moves[nd.edges+uint32(i)]), 0-child.mean(), child.visits)
		}
	}
	mixed := h.seen.mixed(nd.value)
	for i := range h.field {
		c := &h.field[i]
		q := mixed
		if c.edge >= 0 && c.edge < int(nd.nKids) { // after an error its first playout may have been taken back
			if child := t.childOf(nd, c.edge); child.visits > 0 {
				q = float64(0 - child.mean())
			}
		}
		c.score = h.scores[c.index] + g.sigma(q, h.seen.most)
	}
	slices.SortStableFunc(h.field, func(a, b candidate) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
}

// best implements [RootPolicy]: among the candidates with the most playouts the one with the
// largest g + logit + sigma(completed q), or what the Result has for its best where a proof
// decides. Since the Gumbel numbers took part, it is a draw from a policy that is no worse
// than the priors.
func (h *halving) best(s *Searcher, r *Result) game.Move {
	if !h.begun || r.Proven != game.Unproven {
		return bestOf(r)
	}
	h.dropLost(&s.tree)
	if len(h.field) == 0 {
		return bestOf(r)
	}
	h.rank(s)
	best := &h.field[0]
	for i := range h.field {
		if c := &h.field[i]; c.all > best.all {
			best = c
		}
	}
	return s.root.moves[best.index]
}

// raise moves the root's unvisited edge of m to the front of the unvisited ones and
// keeps the others in order. It returns -1 if the tree may not grow.
func (t *tree) raise(m game.Move, grow bool) int {
	if !grow {
		return -1
	}
	nd := &t.nodes[0]
	moves, priors := t.moves[nd.edges:][nd.nKids:nd.n], t.priors[nd.edges:][nd.nKids:nd.n]
	at := slices.Index(moves, m)
	p := priors[at]
	copy(moves[1:at+1], moves[:at])
	copy(priors[1:at+1], priors[:at])
	moves[0], priors[0] = m, p
	return int(nd.nKids)
}

// Gumbel configures the root search of Danihelka, Guez, Schrittwieser and Silver,
// "Policy improvement by planning with Gumbel", ICLR 2022: a few moves are drawn from
// the priors without replacement, sequential halving distributes the playouts over
// them ([Gumbel.Policy]), and [Gumbel.Improve] computes the improved policy. It is meant
// for few playouts, 16 to 64. Below the root the search is PUCT as always; the paper's
// rule for interior nodes is not implemented.
type Gumbel struct {
	// Considered is how many moves are drawn, 2 or more; fewer if there are fewer
	// moves or playouts. Zero means that there is no such policy. The paper has 16.
	Considered int

	// Visits and Scale are c_visit and c_scale of
	//
	//	sigma(q) = (c_visit + max N(b)) * c_scale * q
	//
	// Zero means 50 and 0.1, with q in -1..1. The paper has 50 and, for Go, 1 with q
	// in 0..1, which is 0.5 here; TECHNIQUES.md says which is better for play.
	Visits, Scale float64
}

// Defaults of the zero Gumbel.
const (
	defaultGumbelVisits = 50
	defaultGumbelScale  = 0.1
)

// WithDefaults returns g with each zero but Considered replaced by what it stands
// for.
func (g Gumbel) WithDefaults() Gumbel {
	g.Visits = cmp.Or(g.Visits, defaultGumbelVisits)
	g.Scale = cmp.Or(g.Scale, defaultGumbelScale)
	return g
}

// Policy returns a root policy that distributes the playouts by sequential halving, with
// numbers drawn from Limits.Seed, nil if g considers no moves. [Searcher.Choice] returns its
// move. It needs a bound on playouts or visits, ignores Options.EarlyStop, and excludes
// Limits.Noise.
func (g Gumbel) Policy() RootPolicy {
	if g.Considered == 0 {
		return nil
	}
	return &halving{Gumbel: g}
}

// sigma returns the sigma(q) that is added to a logit, where the most visited move has
// most visits.
func (g *Gumbel) sigma(q float64, most uint32) float64 {
	return float64(float64(float64(g.Visits+float64(most))*g.Scale) * q)
}

// completion computes the value of the root's moves without visits from the visited
// ones (section 4 and appendix D of the paper):
//
//	v_mix = (v + sum N / sum P * sum P*q) / (1 + sum N)
//
// where v is the network's value and the sums go over the visited moves. Moves that
// are proven lost are left out as if the rules forbade them.
type completion struct {
	visits uint64
	most   uint32
	mass   float64 // of the priors
	value  float64 // sum of priors times values
}

// add adds a visited move.
func (c *completion) add(prior, q float32, visits uint32) {
	c.visits += uint64(visits)
	c.most = max(c.most, visits)
	c.mass += float64(prior)
	c.value += float64(float64(prior) * float64(q))
}

// mixed returns v_mix.
func (c *completion) mixed(netValue float32) float64 {
	v := float64(netValue)
	if c.mass == 0 {
		return v
	}
	n := float64(c.visits)
	return (v + float64(float64(n/c.mass)*c.value)) / (1 + n)
}

// leastPrior is the least prior whose logarithm is taken; smaller ones count as it.
const leastPrior = 1e-30

// logit returns the logarithm of a prior.
func logit(prior float32) float64 { return nn.Ln(max(float64(prior), leastPrior)) }

// Improve fills shares with the improved policy over the children of a Result and
// returns the root's value under it, -1..1:
//
//	softmax(logits + sigma(completed q))
//
// where a visited or proven move has its own value and any other v_mix. If some moves
// are proven to win, they share equally and the others get nothing; moves proven to
// lose get nothing unless all are. Shares sum to 1. len(shares) must be the number of
// children, at least one.
func (g Gumbel) Improve(r *Result, shares []float64) (value float64) {
	g = g.WithDefaults()
	top := game.Lost
	var seen completion
	for i := range r.Children {
		c := &r.Children[i]
		top = better(top, c.Proven)
		if c.Visits > 0 && c.Proven != game.Lost {
			seen.add(c.Prior, c.Q, c.Visits)
		}
	}
	mixed := seen.mixed(r.NetValue)
	q := func(c *Child) float64 {
		if c.Visits > 0 || c.Proven != game.Unproven {
			return float64(c.Q)
		}
		return mixed
	}
	most := math.Inf(-1)
	for i := range r.Children {
		c := &r.Children[i]
		shares[i] = math.Inf(-1)
		if inRunning(top, c.Proven) {
			shares[i] = logit(c.Prior) + g.sigma(q(c), seen.most)
		}
		most = max(most, shares[i])
	}
	sum := 0.0
	for i := range r.Children {
		if math.IsInf(shares[i], -1) {
			shares[i] = 0
		} else if top == game.Won {
			shares[i] = 1
		} else {
			shares[i] = nn.Exp(shares[i] - most)
		}
		sum += shares[i]
	}
	for i := range r.Children {
		shares[i] /= sum
		value += float64(shares[i] * q(&r.Children[i]))
	}
	return value
}

// better returns Won if either proof is one, Lost if both are, else Unproven.
func better(a, b game.Result) game.Result {
	switch {
	case a == game.Won || b == game.Won:
		return game.Won
	case a == game.Lost && b == game.Lost:
		return game.Lost
	}
	return game.Unproven
}

// inRunning reports whether a move with the proof p can have a share if the best proof
// is top: only wins if there is a win, and losses only if all moves lose.
func inRunning(top, p game.Result) bool {
	switch top {
	case game.Won:
		return p == game.Won
	case game.Lost:
		return true
	}
	return p != game.Lost
}
