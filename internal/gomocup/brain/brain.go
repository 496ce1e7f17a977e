// Package brain is the engine behind the Gomocup protocol: Monte Carlo tree
// search over a network, loaded for the rule and size that the client names.
package brain

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/gomocup"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// Options configure a Brain. The zero value works.
type Options struct {
	Model  string // as in engine.Loader.Open; "": the shipped net that suits
	Seed   uint64 // of the network's symmetries
	Search mcts.Options
	Solver engine.SolverNodes // that prove wins and losses in the tree
}

// Brain implements [gomocup.Engine]. With a fixed budget its moves are a
// function of the options and of the game since the last Forget. Close it in
// the end.
type Brain struct {
	loader *engine.Loader
	opts   Options

	settings gomocup.Settings // of net and searcher
	net      *engine.Net      // nil: none was loaded
	eval     nn.Evaluator
	searcher *mcts.Searcher

	root   *gomoku.Board // of the tree, nil if there is none
	result mcts.Result
}

var _ gomocup.Engine = (*Brain)(nil)

// New returns a Brain that loads its networks with loader.
func New(loader *engine.Loader, opts Options) *Brain {
	return &Brain{loader: loader, opts: opts}
}

// Close frees the network.
func (b *Brain) Close() error {
	if b.net == nil {
		return nil
	}
	net := b.net
	b.net, b.searcher, b.root = nil, nil, nil
	return net.Close()
}

// Forget implements [gomocup.Engine]: it drops the tree.
func (b *Brain) Forget() { b.root = nil }

// Configure implements [gomocup.Engine].
func (b *Brain) Configure(s gomocup.Settings) error {
	if b.searcher != nil && s == b.settings {
		return nil
	}
	b.searcher, b.root = nil, nil
	if b.net == nil || s.Rule != b.settings.Rule || s.Size != b.settings.Size {
		if err := b.load(s); err != nil {
			return err
		}
	}
	b.settings = s
	eval, err := b.net.Evaluator(engine.EvalOptions{Capacity: engine.MaxInFlight, Threads: s.Threads, Seed: b.opts.Seed})
	if err != nil {
		return err
	}
	limitMemory(s.Memory)
	search := b.opts.Search
	switch {
	case s.Table > 0:
		search.Memory = max(s.Table, smallestTree)
	case s.Memory > 0:
		search.Memory = treeMemory(s.Memory)
	}
	b.eval = eval
	searcher := mcts.New(search, eval, b.net.Variant().Solvers(b.opts.Solver))
	if err := b.warm(searcher); err != nil {
		return err
	}
	b.searcher = searcher
	return nil
}

// load opens the network for a rule and size in place of the last one, or takes
// that over.
func (b *Brain) load(s gomocup.Settings) error {
	v, err := engine.NewVariant(engine.VariantOptions{Rule: s.Rule, Size: s.Size})
	if err != nil {
		return err
	}
	last := b.net
	b.net = nil
	net, err := b.loader.Reopen(last, v, b.opts.Model)
	if err != nil {
		return fmt.Errorf("no network for %s %dx%d: %w", s.Rule, s.Size, s.Size, err)
	}
	b.net = net
	return nil
}

// warm has a searcher evaluate the start of a game, so that what is set up by a
// first evaluation takes no time of a move, and a network that fails is found
// out.
func (b *Brain) warm(s *mcts.Searcher) error {
	start, err := b.net.Variant().Start()
	if err != nil {
		return err
	}
	if err := s.SetPosition(b.form(start.(*gomoku.Board))); err != nil {
		return err
	}
	if err := s.Search(context.Background(), mcts.Limits{Playouts: 1}); err != nil {
		return fmt.Errorf("the network %s does not compute %s %dx%d: %w", b.net.Name, b.settings.Rule, b.settings.Size, b.settings.Size, err)
	}
	return nil
}

// smallestTree is the least memory that a tree gets, in bytes.
const smallestTree = 16 << 20

// treeMemory returns the tree's part of a program's memory: a third, since a slab
// that grows stands beside the larger one for a while; the rest is for the
// network and the runtime.
func treeMemory(total int64) int64 { return max(total/3, smallestTree) }

// limitMemory has garbage collected before the program takes more memory than a
// client allows, of which the network takes some outside of Go; 0 is no limit.
func limitMemory(total int64) {
	limit := int64(math.MaxInt64)
	if total > 0 {
		limit = max(total/4*3, 2*smallestTree)
	}
	debug.SetMemoryLimit(limit)
}

// Think implements [gomocup.Engine]. Whatever the context, the position itself
// is evaluated, so that the move is never worse than the network's first choice.
// The solvers end with ctx as the search does; what they are asked about the
// chosen move ends with limits.Last.
func (b *Brain) Think(ctx context.Context, board *gomoku.Board, limits gomocup.Limits) (*gomocup.Thought, error) {
	if b.searcher == nil {
		return nil, fmt.Errorf("no network is loaded")
	}
	if err := b.advance(board); err != nil {
		return nil, err
	}
	if err := b.search(ctx, limits); err != nil {
		b.root = nil
		return nil, err
	}
	last := limits.LastContext()
	b.searcher.Audit(last)
	b.searcher.Result(&b.result)
	if len(b.result.Children) == 0 {
		b.searcher.Begin(last, mcts.Limits{Playouts: 1})
		if err := b.run(context.WithoutCancel(ctx), nil); err != nil {
			b.root = nil
			return nil, err
		}
		b.searcher.Audit(last)
		b.searcher.Result(&b.result)
	}
	return thought(&b.result), nil
}

// Ponder implements [gomocup.Engine]: the tree that the next Think inherits
// grows meanwhile.
func (b *Brain) Ponder(ctx context.Context, board *gomoku.Board) {
	if b.searcher == nil || b.advance(board) != nil || b.search(ctx, gomocup.Limits{}) != nil {
		b.root = nil
	}
}

// search runs one search; the end of ctx is a normal end.
func (b *Brain) search(ctx context.Context, limits gomocup.Limits) error {
	b.searcher.Begin(ctx, mcts.Limits{Playouts: limits.Nodes})
	return b.run(ctx, limits.Report)
}

// run goes on with a search that has begun, until it is done or ctx ends.
func (b *Brain) run(ctx context.Context, report func(*gomocup.Thought)) error {
	s := b.searcher
	for rounds := 1; !s.Done(); rounds++ {
		if ctx.Err() != nil {
			s.Abandon()
			return nil
		}
		if s.Select() {
			if err := b.eval.Wait(ctx, nn.All); err != nil {
				s.Abandon()
				if ctx.Err() != nil {
					return nil
				}
				return fmt.Errorf("evaluation: %w", err)
			}
			s.Backup(nn.All)
		}
		if report != nil && reportable(rounds) {
			s.Result(&b.result)
			report(thought(&b.result))
		}
	}
	return nil
}

// firstReport is the round after which a search is first reported.
const firstReport = 64

// reportable reports whether a round is a power of two from firstReport on.
func reportable(round int) bool { return round >= firstReport && round&(round-1) == 0 }

// thought returns what a result says, in its own memory.
func thought(r *mcts.Result) *gomocup.Thought {
	t := &gomocup.Thought{
		Move:     r.Move,
		Value:    r.Value,
		Mate:     mate(r.Proven, r.ProofPlies),
		Nodes:    r.Playouts,
		Depth:    r.Depth,
		SelDepth: r.SelDepth,
		Line:     append([]game.Move(nil), r.PV...),
		Choices:  make([]gomocup.Choice, len(r.Children)),
	}
	for i, c := range r.Children {
		t.Choices[i] = gomocup.Choice{Move: c.Move, Value: c.Q, Mate: mate(c.Proven, c.Plies), Visits: int(c.Visits)}
	}
	return t
}

// mate returns the length of a proof, negative for a loss, 0 for none.
func mate(p mcts.Proof, plies int) int {
	switch p {
	case mcts.Win:
		return plies
	case mcts.Loss:
		return -plies
	}
	return 0
}
