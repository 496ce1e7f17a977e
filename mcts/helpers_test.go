package mcts

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
	"pgregory.net/rapid"
)

// search runs a search that must succeed from pos and returns its Searcher and
// Result.
func search(tb rapid.TB, pos game.Position, o Options, e nn.Evaluator, l Limits) (*Searcher, *Result) {
	tb.Helper()
	s := New(o, e, nil)
	if err := s.SetPosition(pos); err != nil {
		tb.Fatal(err)
	}
	return s, more(tb, s, l)
}

// more searches on and checks the tree.
func more(tb rapid.TB, s *Searcher, l Limits) *Result {
	tb.Helper()
	if err := s.Search(context.Background(), l); err != nil {
		tb.Fatal(err)
	}
	check(tb, s)
	r := new(Result)
	s.Result(r)
	return r
}

// child returns the Result's entry of m.
func (r *Result) child(tb rapid.TB, m game.Move) *Child {
	tb.Helper()
	for i := range r.Children {
		if r.Children[i].Move == m {
			return &r.Children[i]
		}
	}
	tb.Fatalf("no child %d", m)
	return nil
}

// digest identifies the tree below node id: statistics, proofs, moves and
// priors of every node.
func (t *tree) digest(id uint32) uint64 {
	h := fnv.New64a()
	put := func(v uint64) { h.Write(binary.LittleEndian.AppendUint64(nil, v)) }
	var walk func(id uint32)
	walk = func(id uint32) {
		nd := &t.nodes[id]
		put(uint64(nd.sum))
		put(uint64(nd.visits))
		put(uint64(nd.proof())<<32 | uint64(nd.plies()))
		put(uint64(math.Float32bits(nd.value)))
		for i := range uint32(nd.n) {
			put(uint64(t.moves[nd.edges+i]))
			put(uint64(math.Float32bits(t.priors[nd.edges+i])))
		}
		for _, k := range t.kids[nd.kids:][:nd.nKids] {
			put(uint64(k.visits))
			put(uint64(math.Float32bits(k.q)))
			walk(k.node)
		}
	}
	walk(id)
	return h.Sum64()
}

// check verifies all invariants of a tree without playouts in flight.
func check(tb rapid.TB, s *Searcher) {
	tb.Helper()
	if s.queue.pending != 0 {
		tb.Fatalf("%d playouts in flight", s.queue.pending)
	}
	s.compact()
	c := checker{TB: tb, s: s, pos: s.pos.Clone(), used: map[uint32]bool{}}
	c.node(0)
	if c.nodes != len(s.tree.nodes) {
		tb.Fatalf("%d nodes reached of %d", c.nodes, len(s.tree.nodes))
	}
	records := 1 + s.tree.dead
	for i := range s.tree.nodes {
		if nd := &s.tree.nodes[i]; nd.nKids > 0 {
			records += room(nd)
		}
	}
	if records != len(s.tree.kids) {
		tb.Fatalf("%d records in blocks, in use and dead, of %d", records, len(s.tree.kids))
	}
}

type checker struct {
	rapid.TB
	s     *Searcher
	pos   game.Position
	nodes int
	used  map[uint32]bool // records of visited edges
	each  func(pos game.Position, nd *node)

	listed bool // nodes below the root may lack moves
}

func (c *checker) node(id uint32) {
	c.Helper()
	t := &c.s.tree
	nd := t.nodes[id]
	c.nodes++
	if c.each != nil {
		c.each(c.pos, &nd)
	}
	if nd.lazy() && nd.visits > 0 && nd.proof() == game.Unproven && nd.sum != int64(nd.visits)*fixed(nd.value) {
		c.Fatalf("a lazy node of %d visits has the sum %d, its value is %v", nd.visits, nd.sum, nd.value)
	}
	if nd.n == 0 {
		if id != 0 && nd.proof() == game.Unproven && !nd.lazy() {
			c.Fatal("a node at rest is neither expanded nor proven")
		}
		c.mean(&nd)
		return
	}
	c.edges(id, &nd)
	visits, sum, held := int64(0), int64(0), false
	for i, k := range t.kids[nd.kids:][:nd.nKids] {
		if c.used[nd.kids+uint32(i)] {
			c.Fatal("two nodes share a visited edge")
		}
		c.used[nd.kids+uint32(i)] = true
		kn := t.nodes[k.node]
		if k.visits != kn.visits || k.visits == 0 && (id != 0 || kn.proof() == game.Unproven) {
			c.Fatalf("an edge has %d visits, its node %d", k.visits, kn.visits)
		}
		if k.visits == 0 { // proven by the solver at the root
			if k.q != seenFromParent(kn.proof()) {
				c.Fatalf("an edge to a %v is worth %v", kn.proof(), k.q)
			}
		} else if want := -kn.mean(); kn.proof() == game.Won && k.q != forbidden || kn.proof() != game.Won && k.q != want {
			c.Fatalf("an edge's value is %v, its node's %v, proven %v", k.q, want, kn.proof())
		}
		visits += int64(k.visits)
		held = held || kn.proof() == game.Drawn
		sum -= kn.sum
		c.pos.Play(t.moves[nd.edges+uint32(i)])
		c.node(k.node)
		c.pos.Undo()
	}
	own := int64(nd.visits) - visits
	if own < 1 || own > 1 && nd.proof() == game.Unproven && !c.s.run.full {
		c.Fatalf("node %d has %d visits of which %d went on", id, nd.visits, visits)
	}
	if nd.proof() == game.Unproven && !held && nd.sum != sum+own*fixed(nd.value) {
		c.Fatalf("node %d: sum %d, want %d", id, nd.sum, sum+own*fixed(nd.value))
	}
	c.mean(&nd)
	c.proof(&nd)
}

// edges checks the legal moves, their priors and the order of those that have
// not been visited.
func (c *checker) edges(id uint32, nd *node) {
	c.Helper()
	t := &c.s.tree
	n := int(nd.n)
	if id != 0 {
		n = t.kept(nd)
	}
	moves := slices.Clone(t.moves[nd.edges:][:n])
	priors := t.priors[nd.edges:][:n]
	for i := int(nd.nKids) + 1; i < len(moves); i++ {
		first := int(nd.nKids)
		if priors[i] > priors[first] || priors[i] == priors[first] && moves[i] < moves[first] {
			c.Fatalf("node %d: edge %d should be next, not %d", id, i, first)
		}
	}
	slices.Sort(moves)
	legal := c.pos.Moves(nil)
	if (id == 0 || !c.listed) && len(legal) != int(nd.n) || n == len(legal) && !slices.Equal(moves, legal) {
		c.Fatalf("node %d: moves %v of %d, legal %v", id, moves, nd.n, legal)
	}
	for i, m := range moves {
		if !slices.Contains(legal, m) || i > 0 && m == moves[i-1] {
			c.Fatalf("node %d: moves %v, legal %v", id, moves, legal)
		}
	}
	var mass float64
	for _, p := range priors {
		mass += float64(p)
	}
	if mass > 1+1e-4 || n == len(legal) && mass < 1-1e-4 {
		c.Fatalf("node %d: priors sum to %v", id, mass)
	}
}

// mean checks a node's mean value.
func (c *checker) mean(nd *node) {
	c.Helper()
	if nd.visits == 0 {
		return
	}
	m := nd.mean()
	if m < -1 || m > 1 || nd.proof() != game.Unproven && m != nd.proof().Value() {
		c.Fatalf("mean %v with proof %v", m, nd.proof())
	}
}

// proof checks that an expanded node is proven exactly if its children prove
// it; a root may also have been won on arrival, or been proven below an earlier root by the
// moves that were listed there.
func (c *checker) proof(nd *node) {
	c.Helper()
	t := &c.s.tree
	want, open := game.Lost, nd.nKids < nd.n && !(c.listed && nd.proof() != game.Unproven)
	for _, k := range t.kids[nd.kids:][:nd.nKids] {
		switch t.nodes[k.node].proof() {
		case game.Lost:
			want = game.Won
		case game.Drawn:
			if want == game.Lost {
				want = game.Drawn
			}
		case game.Unproven:
			open = true
		}
	}
	if open && want != game.Won {
		want = game.Unproven
	}
	if nd.proof() != want && !(nd.proof() == game.Won && c.s.root.win != game.NoMove) {
		c.Fatalf("a node's proof is %v, its children prove %v", nd.proof(), want)
	}
}

// testEvaluator computes results by a function. It answers position i at once
// if now says so, and otherwise no earlier than a Wait needs it.
type testEvaluator struct {
	eval     func(pos game.Position, moves []game.Move, out *nn.Result)
	now      func(i int) bool
	capacity int

	asked   int
	tagged  int // calls of Tag
	waiting []func()
	run     func() error // called by Wait, may be nil
}

func (e *testEvaluator) Tag(pos game.Position) nn.Tag {
	e.tagged++
	return nn.Tag{Key: nn.Key{pos.Hash()}}
}

func (e *testEvaluator) Add(pos game.Position, tag nn.Tag, moves []game.Move, out *nn.Result) bool {
	if e.asked++; tag.Key[0] != pos.Hash() {
		panic("another position's tag")
	}
	if e.now != nil && e.now(e.asked) {
		e.eval(pos, moves, out)
		return true
	}
	if len(e.waiting) == e.Capacity() {
		panic("more positions than the evaluator's capacity")
	}
	pos, moves = pos.Clone(), slices.Clone(moves)
	for i := range out.Priors {
		out.Priors[i] = float32(math.NaN())
	}
	e.waiting = append(e.waiting, func() { e.eval(pos, moves, out) })
	return false
}

func (e *testEvaluator) Wait(ctx context.Context, n int) error {
	var err error
	if e.run != nil {
		err = e.run()
	}
	if err = errors.Join(err, ctx.Err()); err != nil {
		e.waiting = nil
		return err
	}
	n = min(n, len(e.waiting))
	for _, answer := range e.waiting[:n] {
		answer()
	}
	e.waiting = e.waiting[n:]
	return nil
}

func (e *testEvaluator) Stats() nn.Stats { return nn.Stats{Evals: uint64(e.asked)} }

func (e *testEvaluator) Capacity() int { return max(1, e.capacity) }

// mocked returns the evaluation of a Mock.
func mocked(seed uint64, sharp bool) func(game.Position, []game.Move, *nn.Result) {
	m := nn.NewMock(seed)
	m.Immediate, m.Sharp = true, sharp
	return func(pos game.Position, moves []game.Move, out *nn.Result) {
		m.Add(pos, m.Tag(pos), moves, out)
		if p := out.Priors[0]; p != p {
			// The only prior of a sharp Mock may have vanished before it was normalised.
			equal(out, out.Value())
		}
	}
}

// uniform value v for the side to move, equal priors.
func equal(out *nn.Result, v float32) {
	for i := range out.Priors {
		out.Priors[i] = 1 / float32(len(out.Priors))
	}
	out.Win, out.Draw, out.Loss = max(0, v), 1-max(v, -v), max(0, -v)
}

// reserved returns the bytes that a Searcher holds for its trees.
func reserved(s *Searcher) int64 { return s.tree.reserved() + int64(cap(s.spare))*kidBytes }
