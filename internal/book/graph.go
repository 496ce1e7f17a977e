package book

import (
	"container/heap"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// graph is the book below a root, in memory.
type graph struct {
	variant  Variant
	nodes    []*node // the root first
	byKey    map[string]*node
	expanded int
}

// node is a position that engines have judged, or of which something is proven.
type node struct {
	key string
	ply int // moves from the root

	expanded bool
	judged   float64 // what it is worth without its successors
	given    bool    // the proof is a label's, or an engine's of this position
	proof    game.Result
	value    float64 // what it is worth with its successors
	stored   Value   // what the book says of that, without a stamp
	depth    int     // of the line that the value comes from
	best     game.Move
	children []*node
	moves    []game.Move // to the children

	cost  float64 // of the way to it; of cheapest
	place int     // in the heap; -1: settled, or not met
}

// board returns the node's position in the orientation of its key. So the order of its
// moves, and what engines make of it, do not depend on the way to it.
func (g *graph) board(n *node) *gomoku.Board {
	b, err := g.variant.Board(n.key)
	if err != nil {
		panic(err) // the key is of a position that was there
	}
	return b
}

// load reads the book below the root. A graph without nodes is of a book without the root.
func loadGraph(ctx context.Context, b *Book, o *BuildOptions) (*graph, error) {
	g := &graph{variant: VariantOf(o.Root), byKey: map[string]*node{}}
	p, there, err := b.Get(o.Root)
	if err != nil && !errors.Is(err, ErrVariant) {
		return nil, err
	}
	if _, ok := p.Worth(); !there || !ok {
		return g, nil
	}
	g.add(Key(o.Root), 0, &p)
	for i := 0; i < len(g.nodes); i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if n := g.nodes[i]; n.expanded {
			if err := g.connect(b, n); err != nil {
				return nil, err
			}
		}
	}
	g.backUp()
	return g, nil
}

// add adds the node of a position.
func (g *graph) add(key string, ply int, p *Position) *node {
	n := &node{key: key, ply: ply, best: game.NoMove}
	n.take(p)
	n.value = n.own()
	if n.expanded {
		g.expanded++
	}
	g.nodes = append(g.nodes, n)
	g.byKey[key] = n
	return n
}

// take takes over what the book says of the position.
func (n *node) take(p *Position) {
	n.expanded = p.Expanded
	n.judged, _ = p.Judged()
	own := *p
	own.Values = slices.DeleteFunc(slices.Clone(p.Values), func(v Value) bool {
		if v.Engine != Minimax {
			return false
		}
		n.stored = v
		n.stored.Stamp = Stamp{}
		return true
	})
	n.proof, _ = own.Proof()
	n.given = n.proof != game.Unproven
}

// backed returns the value from the successors as the book keeps it.
func (n *node) backed() Value {
	const millionths = 1e6
	return Value{
		Source: Source{Engine: Minimax}, Value: math.Round(n.value*millionths) / millionths,
		Proof: n.proof, Depth: n.depth, Best: n.best,
	}
}

// own returns what a node is worth without its successors.
func (n *node) own() float64 {
	switch n.proof {
	case game.Won:
		return 1
	case game.Lost:
		return -1
	case game.Drawn:
		return 0
	}
	return n.judged
}

// connect gives an expanded node its successors, except those that are excluded or that
// nobody has judged.
func (g *graph) connect(b *Book, n *node) error {
	pos := g.board(n)
	list, err := b.Moves(pos)
	if err != nil {
		return err
	}
	n.children, n.moves = nil, nil
	for i := range list {
		m := &list[i]
		if _, ok := m.After.Worth(); !ok || m.After.Label == Excluded {
			continue
		}
		pos.Play(m.Move)
		key := Key(pos)
		pos.Undo()
		child := g.byKey[key]
		if child == nil {
			child = g.add(key, n.ply+1, &m.After)
		} else if !child.expanded {
			child.take(&m.After)
		}
		if !slices.Contains(n.children, child) {
			n.children, n.moves = append(n.children, child), append(n.moves, m.Move)
		}
	}
	return nil
}

// parents returns the expanded nodes that may lead to a position: those with one stone of
// the side that has moved less, and where stones are captured all of the ply before.
func (g *graph) parents(pos *gomoku.Board, ply int) (list []*node) {
	if pos.Rules().Captures {
		for _, n := range g.nodes {
			if n.expanded && n.ply == ply-1 {
				list = append(list, n)
			}
		}
		return list
	}
	s := gomoku.Setup{ToMove: pos.ToMove().Other(), Stones: make([]gomoku.Stone, pos.Size()*pos.Size())}
	for c := range s.Stones {
		s.Stones[c] = pos.At(c)
	}
	for c, stone := range s.Stones {
		if stone != gomoku.StoneOf(s.ToMove) {
			continue
		}
		s.Stones[c] = gomoku.Empty
		before, err := gomoku.NewSetup(pos.Rules(), pos.Size(), s)
		s.Stones[c] = stone
		if err != nil {
			continue // such a position cannot be
		}
		if n := g.byKey[Key(before)]; n != nil && n.expanded && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// backUp computes all values from the leaves up. All ways to a position have the same
// number of moves, that of the stones on the board and captured.
func (g *graph) backUp() {
	order := slices.Clone(g.nodes)
	slices.SortFunc(order, func(a, b *node) int { return b.ply - a.ply })
	for _, n := range order {
		n.value, n.depth, n.best = n.own(), 0, game.NoMove
		if len(n.children) == 0 || n.given {
			continue
		}
		n.proof, n.value = game.Unproven, -1
		for i, c := range n.children {
			if v := -c.value; v > n.value || i == 0 {
				n.value, n.depth, n.best = v, c.depth+1, n.moves[i]
			}
		}
		if n.value == 1 && slices.ContainsFunc(n.children, func(c *node) bool { return c.proof == game.Lost }) {
			n.proof = game.Won
		}
	}
}

// cheapest returns so many leaves of the least cost, the cheapest first. Nothing that is
// proven is expanded, nor what lies below.
func (g *graph) cheapest(count int, penalty float64) (leaves []*node) {
	for _, n := range g.nodes {
		n.cost, n.place = math.Inf(1), -1
	}
	root := g.nodes[0]
	root.cost = 0
	front := queue{root}
	for len(front) > 0 && len(leaves) < count {
		n := heap.Pop(&front).(*node)
		if n.proof != game.Unproven {
			continue
		}
		if !n.expanded {
			leaves = append(leaves, n)
			continue
		}
		for _, c := range n.children {
			cost := n.cost + (n.value + c.value) + penalty
			if cost >= c.cost {
				continue
			}
			first := math.IsInf(c.cost, 1)
			c.cost = cost
			if first {
				heap.Push(&front, c)
			} else {
				heap.Fix(&front, c.place)
			}
		}
	}
	return leaves
}

// queue is a heap of nodes by cost, and then by key.
type queue []*node

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].cost != q[j].cost {
		return q[i].cost < q[j].cost
	}
	return strings.Compare(q[i].key, q[j].key) < 0
}
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

// Push implements heap.Interface.
func (q *queue) Push(x any) {
	n := x.(*node)
	n.place = len(*q)
	*q = append(*q, n)
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := len(*q) - 1
	n := (*q)[last]
	*q = (*q)[:last]
	return n
}
