package mcts

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
	"pgregory.net/rapid"
)

// apart is an nn.Instant that gives the values and priors of its Evaluator separately.
type apart struct {
	nn.Evaluator
	values, priors int // calls
	moves          []game.Move
	out            nn.Result
}

func (a *apart) Value(pos game.Position) float32 {
	a.values++
	a.moves = pos.Moves(a.moves[:0])
	a.ask(pos, a.moves)
	return a.out.Value()
}

func (a *apart) Priors(pos game.Position, moves []game.Move, priors []float32) {
	a.priors++
	a.ask(pos, moves)
	copy(priors, a.out.Priors)
}

func (a *apart) ask(pos game.Position, moves []game.Move) {
	a.out.Priors = slices.Grow(a.out.Priors[:0], len(moves))[:len(moves)]
	if !a.Add(pos, a.Tag(pos), moves, &a.out) {
		panic("it waits")
	}
}

// liar claims forced wins by the position's hash, whether true or not: it serves to
// compare two searches.
type liar struct {
	NoSolver
	seed uint64
}

func (l liar) claim(pos game.Position, one uint64) Solution {
	if h := (pos.Hash() ^ l.seed) * 0x9e3779b97f4a7c15; h>>40%one == 0 {
		return Solution{Proof: game.Won, Move: pos.Moves(nil)[0], Plies: 3}
	}
	return Solution{}
}

func (l liar) Leaf(_ context.Context, pos game.Position) Solution { return l.claim(pos, 9) }
func (l liar) Root(_ context.Context, pos game.Position) Solution { return l.claim(pos, 20) }

func (l liar) Audit(_ context.Context, pos game.Position, m game.Move) Solution {
	return l.after(pos, m, 3)
}

func (l liar) Refute(_ context.Context, pos game.Position, moves []game.Move, wins []Solution) {
	for i, m := range moves {
		wins[i] = l.after(pos, m, 7)
	}
}

func (l liar) after(pos game.Position, m game.Move, one uint64) Solution {
	pos.Play(m)
	defer pos.Undo()
	if pos.Outcome() != game.Undecided {
		return Solution{}
	}
	return l.claim(pos, one)
}

// expandAll gives every node all its edges, in prior order, so that trees can be compared.
// Those that a node had must be the first of them.
func expandAll(t rapid.TB, s *Searcher) {
	var walk func(id uint32, path []step)
	walk = func(id uint32, path []step) {
		nd := &s.tree.nodes[id]
		if had := edgesOf(&s.tree, nd, s.tree.kept(nd)); s.tree.lazyEdges && id != 0 && (nd.n > 0 || nd.lazy()) {
			complete := s.listAt(path)
			if !complete && len(s.moves) < int(nd.n) {
				s.moves = s.pos.Moves(s.moves[:0])
			}
			moves, priors := s.weighed(path)
			s.tree.setEdges(nd, moves, priors)
			if got := edgesOf(&s.tree, nd, len(had)); !slices.Equal(got, had) && nd.nKids < rung2 {
				t.Fatalf("node %d: the first edges are %v, were %v", id, got, had)
			}
		}
		if from, to := nd.edges+uint32(nd.nKids), nd.edges+uint32(nd.n); nd.n > 0 {
			s.tree.sortEdges(s.tree.moves[from:to], s.tree.priors[from:to])
		}
		for i := range s.tree.nodes[id].nKids {
			k := s.tree.kids[s.tree.nodes[id].kids+uint32(i)]
			walk(k.node, append(path, step{node: id, edge: i}))
		}
	}
	walk(0, nil)
	s.toRoot()
}

// edgesOf returns the first n moves and the bits of their priors.
func edgesOf(t *tree, nd *node, n int) (list [][2]uint32) {
	for i := range n {
		at := int(nd.edges) + i
		list = append(list, [2]uint32{uint32(t.moves[at]), math.Float32bits(t.priors[at])})
	}
	return list
}

// TestLazyTreesAreTheSame compares searches that ask for priors where they need
// them with searches that ask for everything at once: results after every search, which
// count the evaluations too, and whole trees in the end. Both keep to their choices.
func TestLazyTreesAreTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, pos := genOptions(t), genPosition(t)
		if rapid.Bool().Draw(t, "large") {
			pos = gametest.NewMNK(6, 6, 5)
		}
		o.EarlyStop = rapid.Bool().Draw(t, "early stop")
		seed, sharp := rapid.Uint64().Draw(t, "seed"), rapid.Bool().Draw(t, "sharp")
		newMock := func() nn.Evaluator {
			m := nn.NewMock(seed)
			m.Immediate, m.Sharp = true, sharp
			if rapid.Bool().Draw(t, "cached") {
				return nn.NewCache(m, nn.NewCacheTable(rapid.IntRange(1, 1<<16).Draw(t, "bytes"), pos.MaxMoves()))
			}
			return m
		}
		var solver Solver
		if rapid.Bool().Draw(t, "solver") {
			solver = liar{seed: seed}
		}
		instant := &apart{Evaluator: newMock()}
		one, two := New(o, instant, solver), New(o, newMock(), solver)
		two.stride = one.stride
		for _, s := range []*Searcher{one, two} {
			if err := s.SetPosition(pos); err != nil {
				t.Fatal(err)
			}
		}
		played := pos.Clone()
		for range rapid.IntRange(1, 4).Draw(t, "searches") {
			l := genFoldLimits(t)
			if l.Restrict != nil { // its tree belongs to no other search
				_, _ = one.SetPosition(played), two.SetPosition(played)
			}
			other, allotted := l, false
			if h, ok := l.Root.(*halving); ok {
				other.Root, allotted = h.Policy(), true
			}
			a, b := searchOn(t, one, l), searchOn(t, two, other)
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("results differ:\n%+v\n%+v", a, b)
			}
			if allotted && one.Choice(new(Result)) != two.Choice(new(Result)) {
				t.Fatal("choices differ")
			}
			comparePruned(t, one, two, l)
			if l.Restrict != nil {
				_, _ = one.SetPosition(played), two.SetPosition(played)
			}
			m := rapid.SampledFrom(a.Children).Draw(t, "move").Move
			if rapid.Bool().Draw(t, "best") {
				m = a.Move
			}
			played.Play(m)
			if played.Outcome() != game.Undecided {
				return
			}
			if one.Advance(m) != nil || two.Advance(m) != nil {
				t.Fatal("illegal")
			}
			var before, after Result
			one.Result(&before)
			two.Result(&after)
			if !reflect.DeepEqual(before, after) {
				t.Fatalf("results after a move differ:\n%+v\n%+v", before, after)
			}
		}
		one.compact()
		two.compact()
		expandAll(t, one)
		expandAll(t, two)
		if one.tree.digest(0) != two.tree.digest(0) {
			t.Fatal("the trees differ")
		}
	})
}

// genFoldLimits draws limits of every kind.
func genFoldLimits(t *rapid.T) Limits {
	l := Limits{Playouts: genPlayouts(t, 250), Seed: rapid.Uint64().Draw(t, "search seed")}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 1:
		l.Noise = true
	case 2:
		l.Noise, l.Root = true, Forced(2)
	case 3:
		l.Root = Gumbel{Considered: rapid.IntRange(2, 16).Draw(t, "considered")}.Policy()
	case 4:
		salt := rapid.Uint32().Draw(t, "barred")
		l.Restrict = &Restriction{
			Plies:  rapid.IntRange(1, 4).Draw(t, "plies"),
			Barred: func(ply int, _ game.Side, m game.Move) bool { return (uint32(m)*2654435761+uint32(ply)^salt)>>8%3 == 0 },
		}
	}
	return l
}

// searchOn searches on and returns the Result.
func searchOn(t *rapid.T, s *Searcher, l Limits) Result {
	t.Helper()
	if err := s.Search(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	if l.Restrict == nil && s.solver == (NoSolver{}) {
		check(t, s)
	}
	var r Result
	s.Result(&r)
	r.Children = slices.Clone(r.Children)
	return r
}

// comparePruned compares what Prune leaves of two searches.
func comparePruned(t *rapid.T, one, two *Searcher, l Limits) {
	forced, ok := l.Root.(Forced)
	if !ok {
		return
	}
	var kept [2][]uint32
	for i, s := range []*Searcher{one, two} {
		var r Result
		s.Result(&r)
		kept[i] = make([]uint32, len(r.Children))
		forced.Prune(s, r.Children, kept[i])
	}
	if !slices.Equal(kept[0], kept[1]) {
		t.Fatal("pruned visits differ")
	}
}
