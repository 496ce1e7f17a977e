package book

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
)

// oracle is an engine whose value of a position is drawn by its key, and by the budget as
// far as the engine says.
type oracle struct {
	name  string
	shift float64       // by the small budget: what a larger one puts right
	small int64         // budget up to which it is shifted
	asked *atomic.Int64 // answers with more
	win   string        // key of a position that it has proven
}

func (o *oracle) value(pos *gomoku.Board) float64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%x", Key(pos))
	rng := rand.New(rand.NewPCG(h.Sum64(), 0))
	return rng.Float64()*1.6 - 0.8
}

func (o *oracle) Think(ctx context.Context, at game.Position, l engine.Limits) (*engine.Answer, error) {
	pos := at.(*gomoku.Board)
	a := &engine.Answer{Value: float32(o.value(pos)), Move: game.NoMove}
	if l.Nodes <= o.small {
		a.Value = float32(math.Min(1, float64(a.Value)+o.shift))
	} else if o.asked != nil {
		o.asked.Add(1)
	}
	if o.win != "" && Key(pos) == o.win {
		a.Proof = game.Proof{Result: game.Won, Plies: 5}
	}
	moves := pos.Moves(nil)
	slices.SortStableFunc(moves, func(x, y game.Move) int {
		near := func(m game.Move) int { // of the centre
			n := pos.Size()
			dx, dy := int(m)%n-n/2, int(m)/n-n/2
			return dx*dx + dy*dy
		}
		return near(x) - near(y)
	})
	for _, m := range moves[:min(6, len(moves))] {
		pos.Play(m)
		a.Moves = append(a.Moves, engine.Opinion{Move: m, Value: float32(-o.value(pos)), Depth: 1})
		pos.Undo()
	}
	slices.SortStableFunc(a.Moves, func(x, y engine.Opinion) int {
		if x.Value > y.Value {
			return -1
		}
		return 1
	})
	a.Move, a.Stats.Nodes = a.Moves[0].Move, l.Nodes
	return a, ctx.Err()
}

func (o *oracle) Ponder(context.Context, game.Position) {}
func (o *oracle) Forget()                               {}
func (o *oracle) Close() error                          { return nil }

func root(t *testing.T) *gomoku.Board { return board(t, "caro", 9, "") }

func buildOptions(t *testing.T, expansions int) BuildOptions {
	o := DefaultBuild
	o.Root, o.Expansions, o.Near, o.Stamp = root(t), expansions, 0.6, by
	o.Sources = [2]Source{{Engine: "mcts", Network: "n", Build: "v"}, {Engine: "alphabeta", Build: "v"}}
	return o
}

func oracles(workers int) BuildHost {
	return BuildHost{Workers: workers, Judges: func() (Judges, error) {
		return Judges{&oracle{name: "a"}, &oracle{name: "b"}}, nil
	}}
}

func built(t *testing.T, b *Book, o BuildOptions, host BuildHost) Built {
	t.Helper()
	s, err := Build(t.Context(), b, o, host)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The content is the same for any number of workers, and for a build that is ended at any
// batch and goes on.
func TestSameContent(t *testing.T) {
	const expansions = 61
	one := newBook(t, 1)
	s := built(t, one, buildOptions(t, expansions), oracles(1))
	if s.Expanded != expansions || s.Positions < 2*expansions || s.Done {
		t.Fatalf("%+v", s)
	}
	want := all(t, one)
	many := newBook(t, 1)
	built(t, many, buildOptions(t, expansions), oracles(3))
	if !reflect.DeepEqual(all(t, many), want) {
		t.Error("three workers write another book")
	}
	broken := newBook(t, 1)
	ended := 0
	for err := context.Canceled; err != nil; ended++ {
		ctx, stop := context.WithCancel(ctx)
		host, batches := oracles(2), 0
		host.Progress = func(int) {
			if batches++; batches > 2 {
				stop()
			}
		}
		_, err = Build(ctx, broken, buildOptions(t, expansions), host)
		if stop(); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	again := built(t, broken, buildOptions(t, expansions), oracles(1))
	if ended < 3 || again.Expanded != expansions || !reflect.DeepEqual(all(t, broken), want) {
		t.Errorf("a build that went on %d times writes another book: %+v", ended, again)
	}
}

// Every expanded position is worth what its best successor in the book leaves it, found
// here by plain recursion, and what was expanded is no dearer than what was not.
func TestMinimax(t *testing.T) {
	b := newBook(t, 1)
	o := buildOptions(t, 40)
	o.Batch = 1
	s := built(t, b, o, oracles(2))
	var worth func(pos *gomoku.Board) float64
	seen := 0
	worth = func(pos *gomoku.Board) float64 {
		p, ok, err := b.Get(pos)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if !p.Expanded {
			v, _ := p.Judged()
			return v
		}
		seen++
		list, err := b.Moves(pos)
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(-1)
		for _, m := range list {
			pos.Play(m.Move)
			best = max(best, -worth(pos))
			pos.Undo()
		}
		if v, ok := p.Worth(); !ok || math.Abs(v-best) > 1e-5 {
			t.Errorf("the book says %v, its successors %v", v, best)
		}
		return best
	}
	if v := worth(root(t)); math.Abs(v-s.Value) > 1e-5 || seen < 40 {
		t.Errorf("root %v, want %v (%d)", s.Value, v, seen)
	}
	g, err := loadGraph(ctx, b, &o)
	if err != nil {
		t.Fatal(err)
	}
	leaf := g.cheapest(1, DefaultBuild.Penalty)[0]
	if got := cheapestByHand(g.nodes[0], 0); math.Abs(got-leaf.cost) > 1e-9 {
		t.Errorf("the cheapest leaf costs %v, by hand %v", leaf.cost, got)
	}
}

// cheapestByHand returns the cost of the cheapest leaf below a node by trying all ways.
func cheapestByHand(n *node, cost float64) float64 {
	if !n.expanded {
		return cost
	}
	least := math.Inf(1)
	for _, c := range n.children {
		least = min(least, cheapestByHand(c, cost+n.value+c.value+DefaultBuild.Penalty))
	}
	return least
}

func TestDisagreementIsAskedDeeper(t *testing.T) {
	var deep atomic.Int64
	b := newBook(t, 1)
	o := buildOptions(t, 3)
	s := built(t, b, o, BuildHost{Judges: func() (Judges, error) {
		return Judges{&oracle{shift: 0.7, small: DefaultBuild.Playouts, asked: &deep}, &oracle{small: DefaultBuild.Nodes}},
			nil
	}})
	if s.Deeper == 0 || deep.Load() < int64(s.Deeper) {
		t.Errorf("%+v, asked deeper %d times", s, deep.Load())
	}
	p, ok, err := b.Get(root(t))
	if err != nil || !ok || p.Values[0].Nodes != 4*DefaultBuild.Playouts || p.Values[1].Nodes != 4*DefaultBuild.Nodes {
		t.Errorf("%+v, %v", p, err)
	}
}

// What is proven is not expanded, and a win is backed up.
func TestProof(t *testing.T) {
	b := newBook(t, 1)
	start := root(t)
	e := &oracle{}
	a, err := e.Think(ctx, start, engine.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	next := start.Copy()
	next.Play(a.Move)
	won := Key(next)
	proving := func() (Judges, error) { return Judges{&oracle{win: won}, &oracle{}}, nil }
	s := built(t, b, buildOptions(t, 30), BuildHost{Judges: proving})
	if p, ok, err := b.Get(next); err != nil || !ok || p.Expanded || p.Values[0].Proof != game.Won ||
		p.Values[0].Plies != 5 {
		t.Errorf("%+v, %v, %v", p, ok, err)
	}
	if s.Proof != game.Unproven || s.Value > 0.99 {
		t.Errorf("root %+v", s)
	}
	other := newBook(t, 1)
	update(t, other, func(w *Writer) error { return w.SetLabel(next, Loss, by) })
	s = built(t, other, buildOptions(t, 30), oracles(1))
	if s.Proof != game.Won || s.Value != 1 || s.Expanded != 1 || !s.Done {
		t.Errorf("a lost successor: %+v", s)
	}
}

func TestEnginesThatFail(t *testing.T) {
	b := newBook(t, 1)
	no := errors.New("no")
	if _, err := Build(ctx, b, buildOptions(t, 3),
		BuildHost{Judges: func() (Judges, error) { return Judges{}, no }}); !errors.Is(err, no) {
		t.Error(err)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := Build(stopped, b, buildOptions(t, 3), oracles(2)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, ok, err := b.Get(root(t)); ok || !errors.Is(err, ErrVariant) {
		t.Error("something was written", ok, err)
	}
}
