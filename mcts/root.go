package mcts

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
)

// root holds what the search needs of the root beyond its node: the priors as
// the evaluator gave them, since noise replaces those of the edges.
type root struct {
	moves  []game.Move // legal moves, ascending; empty until the root is expanded
	priors []float32   // without noise, in the order of moves
	win    game.Move   // first move of a win that was proven without children
	noisy  bool        // the edges' priors carry noise or advice
	lent   []int32     // by edge: held visits, which belong to a drawn edge; negative at that edge
	sample []float64   // scratch

	asked bool       // the solver has searched the root completely
	after []Solution // of the positions after the moves; scratch
}

// clear forgets the root.
func (r *root) clear() {
	r.moves, r.priors, r.lent = r.moves[:0], r.priors[:0], r.lent[:0]
	r.win, r.noisy, r.asked = game.NoMove, false, false
}

// credit notes a held playout, which followed the edge open in place of the edge drawn.
func (r *root) credit(drawn, open int) {
	if len(r.lent) == 0 {
		r.lent = slices.Grow(r.lent, len(r.moves))[:len(r.moves)]
		clear(r.lent)
	}
	r.lent[drawn]--
	r.lent[open]++
}

// owed returns how many visits of an edge are held ones that belong to proven draws.
func (r *root) owed(edge int) int32 {
	if edge >= len(r.lent) {
		return 0
	}
	return r.lent[edge]
}

// prior returns the prior of m without noise.
func (r *root) prior(m game.Move) float32 {
	i, _ := slices.BinarySearch(r.moves, m)
	return r.priors[i]
}

// solution returns what the solver knows of the position after m.
func (r *root) solution(m game.Move) Solution {
	i, _ := slices.BinarySearch(r.moves, m)
	return r.after[i]
}

// expandRoot expands the root with the result of the playout p.
func (s *Searcher) expandRoot(p *playout) {
	s.toRoot()
	if p.proof == game.Won {
		s.root.win = p.move
	}
	s.tree.expand(0, p.moves, p.result.Priors, p.result.Value())
	s.adoptRoot()
	s.proveRoot()
}

// adoptRoot records the moves and priors of an expanded root and adds the noise that
// this search asks for to its edges.
func (s *Searcher) adoptRoot() {
	t, r := &s.tree, &s.root
	nd := &t.nodes[0]
	if nd.n == 0 {
		return
	}
	moves := t.moves[nd.edges:][:nd.n]
	priors := t.priors[nd.edges:][:nd.n]
	if len(r.moves) == 0 {
		r.moves = append(r.moves, moves...)
		slices.Sort(r.moves)
		r.priors = append(r.priors, priors...)
		for i, m := range moves {
			j, _ := slices.BinarySearch(r.moves, m)
			r.priors[j] = priors[i]
		}
	}
	if !r.noisy && !s.run.limits.Noise {
		return
	}
	for i, m := range moves {
		priors[i] = r.prior(m)
	}
	if s.run.limits.Noise {
		s.addNoise(moves, priors)
	}
	r.noisy = s.run.limits.Noise
	t.sortEdges(moves[nd.nKids:], priors[nd.nKids:])
}

// addNoise mixes Dirichlet noise into the root's priors. The noise of a move
// depends on the seed and the legal moves alone.
func (s *Searcher) addNoise(moves []game.Move, priors []float32) {
	r := &s.root
	r.sample = slices.Grow(r.sample[:0], len(r.moves))[:len(r.moves)]
	s.source.Seed(s.run.limits.Seed, noiseStream)
	dirichlet(r.sample, s.opts.NoiseTotal, &s.source)
	fraction := max(0, min(1, s.opts.NoiseFraction))
	for i, m := range moves {
		j, _ := slices.BinarySearch(r.moves, m)
		p := float64((1-fraction)*float64(priors[i])) + float64(fraction*r.sample[j])
		priors[i] = float32(p)
	}
}

// noiseStream separates the noise from other uses of the same seed.
const noiseStream = 0x6e6f697365

// leastShape is the smallest shape of a gamma distribution of whose samples the logarithms are
// finite numbers.
const leastShape = 1e-300

// dirichlet fills out with a sample of the symmetric Dirichlet distribution
// whose parameters sum to total, so that each is total/len(out) (KataGo: Wu,
// "Accelerating Self-Play Learning in Go", 2019, appendix D, with a total of
// 10.83). It is a function of src's state alone.
func dirichlet(out []float64, total float64, src *rand.PCG) {
	alpha := max(leastShape, total/float64(len(out)))
	most := math.Inf(-1)
	for i := range out {
		out[i] = lnGamma(alpha, src)
		most = max(most, out[i])
	}
	sum := 0.0
	for i, x := range out {
		out[i] = nn.Exp(x - most)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
}

// lnGamma returns the logarithm of a sample of the gamma distribution with
// shape a > 0 and scale 1, by Marsaglia and Tsang, "A simple method for
// generating gamma variables", 2000: a sample for a+1 times U^(1/a). The
// logarithm survives the small shapes that underflow.
func lnGamma(a float64, src *rand.PCG) float64 {
	d := a + 2.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := normal(src)
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = v * v * v
		lnV := nn.Ln(v)
		if nn.Ln(uniform(src)) < float64(0.5*x*x)+d-float64(d*v)+float64(d*lnV) {
			return nn.Ln(d) + lnV + nn.Ln(uniform(src))/a
		}
	}
}

// normal returns a standard normal sample by Marsaglia's polar method.
func normal(src *rand.PCG) float64 {
	for {
		x, y := 2*uniform(src)-1, 2*uniform(src)-1
		if s := float64(x*x) + float64(y*y); s > 0 && s < 1 {
			return x * math.Sqrt(-2*nn.Ln(s)/s)
		}
	}
}

// uniform returns a uniform sample of (0, 1).
func uniform(src *rand.PCG) float64 {
	return (float64(src.Uint64()>>12) + 0.5) / (1 << 52)
}

// Restriction excludes moves from a search, for example to find the best alternative
// to a move. Moves may be barred in the nodes less than Plies below the root; if all
// moves of a node are barred, all are searched.
//
// Proofs still hold in the unrestricted game. So in nodes where moves may be missing a
// loss or a draw is never proven, the solver is not asked, and only an immediate win by
// a move that is not barred counts. If only the root is restricted (Plies is 1) the
// solver is asked about it, but a win by a barred move is ignored.
type Restriction struct {
	Plies int

	// Barred reports whether a move of side is barred so many plies below the
	// root. It is a pure function.
	Barred func(ply int, side game.Side, m game.Move) bool
}

// at reports whether moves may be barred in nodes ply plies below the root.
func (r *Restriction) at(ply int) bool { return r != nil && ply < r.Plies }

// permits reports whether m is not barred.
func (r *Restriction) permits(ply int, side game.Side, m game.Move) bool {
	return !r.at(ply) || !r.Barred(ply, side, m)
}

// filter drops the barred moves and their priors, in place, and scales the other priors
// to the same sum. Nothing is dropped if all moves are barred.
func (r *Restriction) filter(ply int, side game.Side, moves []game.Move, priors []float32) ([]game.Move, []float32) {
	if !r.at(ply) {
		return moves, priors
	}
	n, all, kept := 0, float32(0), float32(0)
	for i, m := range moves {
		all += priors[i]
		if !r.Barred(ply, side, m) {
			n++
			kept += priors[i]
		}
	}
	if n == 0 || n == len(moves) {
		return moves, priors
	}
	n = 0
	for i, m := range moves {
		if r.Barred(ply, side, m) {
			continue
		}
		p := all / float32(len(moves))
		if kept > 0 {
			p = float32(priors[i]*all) / kept
		}
		moves[n], priors[n] = m, p
		n++
	}
	return moves[:n], priors[:n]
}

// permitted returns the moves of a list that are not barred, in place.
func (r *Restriction) permitted(ply int, side game.Side, moves []game.Move) []game.Move {
	if !r.at(ply) {
		return moves
	}
	return slices.DeleteFunc(moves, func(m game.Move) bool { return r.Barred(ply, side, m) })
}

// RootPolicy chooses the edges of the root; below it PUCT does. One policy serves one
// search at a time.
type RootPolicy interface {
	// begin readies the policy for another search.
	begin()

	// choose returns the edge of the expanded root that the next playout follows, or false
	// if it must wait for those in flight. edge is what PUCT chooses, visits are the root's,
	// playouts in flight included; with grow false the tree may not grow.
	choose(s *Searcher, edge int, visits uint32, grow bool) (int, bool)

	// count counts a playout that follows an edge of the root.
	count(edge int)

	// allots reports whether the policy says how many playouts each move gets, so that the
	// search neither replaces its choice nor stops early.
	allots() bool

	// best returns the move to play by a Result of s.
	best(s *Searcher, r *Result) game.Move
}

// allotted reports whether the root's policy says how many playouts each move gets.
func (s *Searcher) allotted() bool {
	policy := s.run.limits.Root
	return policy != nil && policy.allots()
}

// Choice returns the move that the search ends with by the root's policy, NoMove only if the
// game is over. It fills r.
func (s *Searcher) Choice(r *Result) game.Move {
	s.Result(r)
	if policy := s.run.limits.Root; policy != nil {
		return policy.best(s, r)
	}
	return bestOf(r)
}

// bestOf returns the best child by proofs and visits, or the Result's own move.
func bestOf(r *Result) game.Move {
	if len(r.Children) == 0 {
		return r.Move
	}
	return Pick(r.Children, 0, nil)
}

// Forced is the k of forced playouts and their pruning (Wu, "Accelerating Self-Play
// Learning in Go", 2019, section 3.2). A root move whose prior was raised by noise needs
// some playouts to show its value. So each child c of the root that has had a playout gets
// at least
//
//	n_forced(c) = sqrt(k * P(c) * sum of N)
//
// of them, where P is the prior with its noise, and the sum goes over the visits of all
// children. They must not count in a policy target; Prune removes them again. KataGo has 2,
// with Limits.Noise.
type Forced float32

func (Forced) begin()       {}
func (Forced) count(int)    {}
func (Forced) allots() bool { return false }

func (Forced) best(_ *Searcher, r *Result) game.Move { return bestOf(r) }

// isForced reports whether a child with so many visits still gets forced playouts,
// where its siblings and it have sum together.
func isForced(k, prior float32, sum, visits uint32) bool {
	return float64(visits)*float64(visits) < forcedSquare(k, prior, sum)
}

// forcedSquare returns the square of n_forced.
func forcedSquare(k, prior float32, sum uint32) float64 {
	return float64(float64(k)*float64(prior)) * float64(sum)
}

// choose returns the first of the root's edges whose open child has had a playout and must
// get forced ones, or else edge.
func (k Forced) choose(s *Searcher, edge int, visits uint32, _ bool) (int, bool) {
	t := &s.tree
	nd := &t.nodes[0]
	priors := t.priors[nd.edges:][:nd.n]
	for i := range t.kids[nd.kids:][:nd.nKids] {
		kid := &t.kids[nd.kids+uint32(i)]
		if !isForced(float32(k), priors[i], visits-1, kid.visits) {
			continue
		}
		if child := &t.nodes[kid.node]; child.proof() == game.Unproven && child.visits > 0 {
			return i, true
		}
	}
	return edge, true
}

// Prune fills kept with the visits of each child of a Result without the forced ones.
// The child with the most visits keeps all. Every other child loses up to n_forced
// visits as long as its selection score stays below that of the child with the most. A
// child that is left with one visit keeps none, nor does one that is proven lost for
// the root's side. children must come from the latest Result of s, which has not
// searched or advanced since; len(kept) must be len(children).
func (k Forced) Prune(s *Searcher, children []Child, kept []uint32) {
	best, sum := -1, uint32(0)
	for i := range children {
		c := &children[i]
		kept[i] = c.Visits
		sum += c.Visits
		if c.Proven != game.Lost && c.Visits > 0 && (best < 0 || c.Visits > children[best].Visits) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	nd := &s.tree.nodes[0]
	scale := s.explore.scale(nd.visits) * s.explore.width(nd)
	score := func(c *Child, prior float32, visits uint32) float32 {
		return c.Q + float32(scale*prior)/float32(1+visits)
	}
	most := score(&children[best], s.tree.priorOf(nd, &children[best]), children[best].Visits)
	for i := range children {
		c := &children[i]
		if i == best || c.Visits == 0 {
			continue
		}
		if c.Proven == game.Lost {
			kept[i] = 0
			continue
		}
		prior := s.tree.priorOf(nd, c)
		for spare := math.Sqrt(forcedSquare(float32(k), prior, sum)); spare >= 1 && kept[i] > 0; spare-- {
			if score(c, prior, kept[i]-1) >= most {
				break
			}
			kept[i]--
		}
		if kept[i] == 1 {
			kept[i] = 0
		}
	}
}

// priorOf returns the prior, with its noise, of a visited child of nd.
func (t *tree) priorOf(nd *node, c *Child) float32 {
	if i := t.edgeOf(nd, c.Move); i >= 0 {
		return t.priors[nd.edges+uint32(i)]
	}
	return 0
}
