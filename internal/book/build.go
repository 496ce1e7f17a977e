package book

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"golang.org/x/sync/errgroup"
)

// Build grows a book by drop-out expansion (T. R. Lincke, Strategies for the Automatic
// Construction of Opening Books, CG 2000, LNCS 2063, 2001).
//
// The book below a root is a graph. An expanded position has its successors in the book,
// at least the good ones; the others are leaves. The cost of a leaf is that of the
// cheapest way to it from the root:
//
//	cost = sum over the moves of (value of the best move - value of the move) + penalty
//
// Each step expands the cheapest leaf: the line that a player leaves the book by with the
// least loss. So good lines become deep and bad ones end early, and the penalty of a move
// says how much worse a move may be to be looked at as far as a better one that is a ply
// deeper.
//
// To expand a leaf, both engines are asked for its best moves, and then for the value of
// each position after one of them. Where they differ by more than a bound, both are asked
// again with a larger budget. A leaf is worth the mean of both; an expanded position what
// its best successor leaves it, which is written into the book too, as a value of the
// engine "minimax".
//
// Everything that the next step depends on is in the book, and steps are taken in batches
// of a fixed number of leaves, each batch written as one. So a build may be killed at any
// moment and goes on where it was, and its content is the same for any number of workers.

// BuildOptions are all that the content of a book depends on; see DefaultBuild.
type BuildOptions struct {
	Root *gomoku.Board // where the book begins; never nil

	// Expansions is how many expanded positions the book is to have below the root, in
	// all: those of earlier builds count.
	Expansions int

	Playouts int64   // of the tree search
	Nodes    int64   // of the classical one
	Near     float64 // how much worse than an engine's best move another may be, by that engine, to come into the book
	Width    int     // most moves of each engine
	Penalty  float64 // of a move
	Differ   float64 // the bound beyond which the engines differ
	Deeper   int64   // by what their budgets are multiplied then
	Batch    int     // leaves that are expanded at once

	// Sources name the tree search and the classical one, with their networks and build.
	Sources [2]Source
	Stamp   Stamp // of everything that is written
}

// DefaultBuild are the usual options, without a root.
var DefaultBuild = BuildOptions{
	Playouts: 400, Nodes: 20_000, Near: 0.3, Width: 4, Penalty: 0.05, Differ: 0.4, Deeper: 4, Batch: 8,
}

// Judges are the two that judge positions, in the order of BuildOptions.Sources.
type Judges [2]engine.Engine

// BuildHost is what a build needs of its surroundings.
type BuildHost struct {
	Judges  func() (Judges, error) // makes those of one worker; Build closes them
	Workers int                    // leaves and positions that are judged at once; changes nothing else

	// Progress gets the number of expanded positions after each batch; nil for none.
	Progress func(expanded int)
}

// Built is what a build has come to.
type Built struct {
	Positions int         `json:"positions"` // below the root, and the root
	Expanded  int         `json:"expanded"`  // of these, those of earlier builds included
	Deeper    int         `json:"deeper"`    // positions of this build that the engines were asked again about
	Value     float64     `json:"value"`     // of the root, for the side to move
	Proof     game.Result `json:"proof,omitempty"`
	Done      bool        `json:"done"` // no leaf is left
}

// Build grows a book until so many positions are expanded, until there is no leaf left, or
// until ctx ends, whose error it returns then. The sum covers what is in the book.
func Build(ctx context.Context, b *Book, o BuildOptions, host BuildHost) (Built, error) {
	g, err := loadGraph(ctx, b, &o)
	if err != nil {
		return Built{}, err
	}
	build := &builder{book: b, o: &o, graph: g, free: make(chan Judges, max(1, host.Workers))}
	defer func() {
		for len(build.free) > 0 {
			e := <-build.free
			_, _ = e[0].Close(), e[1].Close()
		}
	}()
	for range cap(build.free) {
		e, err := host.Judges()
		if err != nil {
			return Built{}, err
		}
		build.free <- e
	}
	if len(g.nodes) == 0 {
		if err := build.begin(ctx); err != nil {
			return Built{}, err
		}
	}
	if err := build.sync(ctx); err != nil { // what a build that was killed has left undone
		return build.summary(), err
	}
	for {
		s := build.summary()
		if host.Progress != nil {
			host.Progress(s.Expanded)
		}
		leaves := g.cheapest(min(o.Batch, o.Expansions-s.Expanded), o.Penalty)
		if len(leaves) == 0 {
			s.Done = s.Expanded < o.Expansions
			return s, nil
		}
		if err := build.step(ctx, leaves); err != nil {
			return build.summary(), err
		}
	}
}

// build is one run of Build.
type builder struct {
	book   *Book
	o      *BuildOptions
	graph  *graph
	free   chan Judges // the engines of a worker each
	deeper int
}

func (b *builder) summary() Built {
	root := b.graph.nodes[0]
	return Built{Positions: len(b.graph.nodes), Expanded: b.graph.expanded, Deeper: b.deeper, Value: root.value,
		Proof: root.proof}
}

// judgedBoard is a position with the values of both engines.
type judgedBoard struct {
	pos    *gomoku.Board // in the orientation of its key
	values [2]Value
	deeper bool
}

// begin judges the root and puts it into the book.
func (b *builder) begin(ctx context.Context) error {
	var root judgedBoard
	if err := b.run(ctx, 1, func(ctx context.Context, e Judges, _ int) (err error) {
		pos, err := b.graph.variant.Board(Key(b.o.Root))
		if err == nil {
			root, err = b.judge(ctx, e, pos)
		}
		return err
	}); err != nil {
		return err
	}
	if err := b.write(ctx, nil, []judgedBoard{root}); err != nil {
		return err
	}
	g, err := loadGraph(ctx, b.book, b.o)
	*b.graph = *g
	return err
}

// judge asks both engines about a position, and again where they differ.
func (b *builder) judge(ctx context.Context, e Judges, pos *gomoku.Board) (j judgedBoard, err error) {
	j.pos = pos
	for times := int64(1); ; times = b.o.Deeper {
		for i := range e {
			a, err := b.ask(ctx, e[i], i, pos, times, 1)
			if err != nil {
				return j, err
			}
			j.values[i] = b.valueOf(i, a)
		}
		x, y := j.values[0], j.values[1]
		if times > 1 || x.Proof != game.Unproven || y.Proof != game.Unproven || math.Abs(x.Value-y.Value) <= b.o.Differ {
			return j, nil
		}
		j.deeper = true
	}
}

// ask has an engine, by its number, think about a position without knowing of any other.
func (b *builder) ask(ctx context.Context, e engine.Engine, which int, pos *gomoku.Board, times int64,
	lines int) (*engine.Answer, error) {
	e.Forget()
	budget := [2]int64{b.o.Playouts, b.o.Nodes}[which] * times
	return engine.Complete(ctx, e, pos.Copy(), engine.Limits{Nodes: budget, Lines: lines})
}

// valueOf returns an answer as the book keeps it. What is only claimed is no proof.
func (b *builder) valueOf(which int, a *engine.Answer) Value {
	v := Value{
		Source: b.o.Sources[which], Value: bounded(a.Value), Nodes: a.Stats.Nodes, Depth: max(0, a.Stats.Depth),
		Best: a.Move, Stamp: b.o.Stamp,
	}
	if !a.Proof.Claimed && a.Proof.Result != game.Unproven {
		v.Proof, v.Plies = a.Proof.Result, a.Proof.Plies
		v.Value = float64(v.Proof.Value())
	}
	return v
}

// bounded returns a value within -1..1.
func bounded(v float32) float64 {
	if v != v {
		return 0
	}
	return max(-1, min(1, float64(v)))
}

// candidates returns the moves of a leaf that come into the book, in ascending order: of
// each engine those that it judges nearly as good as its best.
func (b *builder) candidates(ctx context.Context, e Judges, pos *gomoku.Board) ([]game.Move, error) {
	wanted := map[game.Move]bool{}
	for i := range e {
		a, err := b.ask(ctx, e[i], i, pos, 1, b.o.Width)
		if err != nil {
			return nil, err
		}
		wanted[a.Move] = true
		best, n := math.Inf(-1), 0
		for k := range a.Moves {
			if a.Moves[k].Judged() {
				best = max(best, bounded(a.Moves[k].Value))
			}
		}
		for k := range a.Moves {
			o := &a.Moves[k]
			if o.Judged() && n < b.o.Width && best-bounded(o.Value) <= b.o.Near {
				wanted[o.Move] = true
				n++
			}
		}
	}
	var list []game.Move
	for _, m := range pos.Moves(nil) {
		if wanted[m] {
			list = append(list, m)
		}
	}
	return list, nil
}

// step expands leaves and writes what comes of it as one batch.
func (b *builder) step(ctx context.Context, leaves []*node) error {
	boards := make([]*gomoku.Board, len(leaves))
	moves := make([][]game.Move, len(leaves))
	for i, n := range leaves {
		boards[i] = b.graph.board(n)
	}
	err := b.run(ctx, len(leaves), func(ctx context.Context, e Judges, i int) (err error) {
		moves[i], err = b.candidates(ctx, e, boards[i])
		return err
	})
	if err != nil {
		return err
	}
	children, err := b.unjudged(boards, moves)
	if err != nil {
		return err
	}
	news := make([]judgedBoard, len(children))
	err = b.run(ctx, len(children), func(ctx context.Context, e Judges, i int) (err error) {
		news[i], err = b.judge(ctx, e, children[i])
		return err
	})
	if err != nil {
		return err
	}
	if err := b.write(ctx, boards, news); err != nil {
		return err
	}
	for i := range news {
		if news[i].deeper {
			b.deeper++
		}
	}
	for _, n := range leaves {
		n.expanded = true
		b.graph.expanded++
	}
	if err := b.connect(leaves, news); err != nil {
		return err
	}
	b.graph.backUp()
	return b.sync(ctx)
}

// connect gives leaves that were expanded their successors, and new positions to all that
// lead to them.
func (b *builder) connect(leaves []*node, news []judgedBoard) error {
	again := map[*node]bool{}
	base := played(b.o.Root)
	for _, n := range leaves {
		again[n] = true
	}
	for i := range news {
		for _, n := range b.graph.parents(news[i].pos, played(news[i].pos)-base) {
			again[n] = true
		}
	}
	for i := 0; i < len(b.graph.nodes); i++ {
		if n := b.graph.nodes[i]; again[n] || n.expanded && n.children == nil {
			if err := b.graph.connect(b.book, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// stones returns how many stones were played up to a position.
func played(pos *gomoku.Board) int {
	n := pos.Captured(game.First) + pos.Captured(game.Second)
	for c := range pos.Size() * pos.Size() {
		if pos.At(c) != gomoku.Empty {
			n++
		}
	}
	return n
}

// sync writes the values of expanded positions that differ from what the book says.
func (b *builder) sync(ctx context.Context) error {
	var news []*node
	for _, n := range b.graph.nodes {
		if len(n.children) > 0 && !n.given && n.backed() != n.stored {
			news = append(news, n)
		}
	}
	if len(news) == 0 {
		return nil
	}
	return b.book.Update(ctx, func(w *Writer) error {
		for _, n := range news {
			n.stored = n.backed()
			v := n.stored
			v.Stamp = b.o.Stamp
			if err := w.SetValue(b.graph.board(n), v); err != nil {
				return err
			}
		}
		return nil
	})
}

// unjudged returns the positions after moves in which the game goes on and that do not
// have the values of both engines yet, each once.
func (b *builder) unjudged(boards []*gomoku.Board, moves [][]game.Move) (list []*gomoku.Board, err error) {
	seen := map[string]bool{}
	for i, pos := range boards {
		for _, m := range moves[i] {
			next := pos.Copy()
			next.Play(m)
			key := Key(next)
			if next.Outcome() != game.Undecided || seen[key] {
				continue
			}
			seen[key] = true
			next, err := b.graph.variant.Board(key)
			if err != nil {
				return nil, err
			}
			p, there, err := b.book.Get(next)
			if err != nil {
				return nil, err
			}
			if !there || !b.o.judged(&p) {
				list = append(list, next)
			}
		}
	}
	return list, nil
}

// judged reports whether a position has the values of both engines.
func (o *BuildOptions) judged(p *Position) bool {
	n := 0
	for i := range p.Values {
		if s := p.Values[i].Source; s == o.Sources[0] || s == o.Sources[1] {
			n++
		}
	}
	return n == len(o.Sources)
}

// write puts new positions into the book and marks the leaves as expanded.
func (b *builder) write(ctx context.Context, leaves []*gomoku.Board, news []judgedBoard) error {
	err := b.book.Update(ctx, func(w *Writer) error {
		for _, j := range news {
			for _, v := range j.values {
				if err := w.SetValue(j.pos, v); err != nil {
					return err
				}
			}
		}
		for _, pos := range leaves {
			if err := w.SetExpanded(pos); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("writing a batch: %w", err)
	}
	return nil
}

// run calls a function for the numbers 0..n-1, as many at once as there are workers, each
// with engines of its own. It returns when all calls have: the first error, or that of ctx.
func (b *builder) run(ctx context.Context, n int, do func(ctx context.Context, e Judges, i int) error) error {
	all, inner := errgroup.WithContext(ctx)
	all.SetLimit(cap(b.free))
	for i := range n {
		all.Go(func() error {
			e := <-b.free
			defer func() { b.free <- e }()
			if err := inner.Err(); err != nil {
				return err
			}
			return do(inner, e, i)
		})
	}
	return cmp.Or(all.Wait(), ctx.Err())
}
