package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// TreeOptions configure a Tree. The zero value works.
type TreeOptions struct {
	Search      mcts.Options        // without InFlight a network on a device has them by the budget
	Solvers     games.SolverNodes   // that prove wins and losses in the tree
	Endgames    games.Endgames      // in place of Solvers in the game that they are of; nil: none
	Reuse       bool                // keep the subtree of the played moves for the next search
	Temperature float64             // of the random choice of the move; 0: the best move
	Eval        nn.EvaluatorOptions // Capacity 0 means MaxInFlight
	Time        Time                // nil: SystemTime
}

// Tree is tree search with a network as an [Engine].
//
// The root is always evaluated, however short the time, so that a move is never worse than
// the network's first choice; and the solver always checks the chosen move, even after the
// time is over.
type Tree struct {
	opts     TreeOptions
	eval     nn.Evaluator
	searcher *mcts.Searcher
	byBudget bool                              // each search has DeviceInFlight playouts in flight
	form     func(game.Position) game.Position // see Net.Form
	net      *networks.Net                     // nil: the form of positions is not changed

	root   game.Position // of the tree; nil: no tree
	played game.Move     // chosen by the last Think there
	moves  []game.Move   // scratch
	result mcts.Result   // scratch
}

var _ Engine = (*Tree)(nil)

// NewTree returns a Tree with the network n, which the caller closes.
func NewTree(n *networks.Net, o TreeOptions) (*Tree, error) {
	if o.Eval.Capacity == 0 {
		o.Eval.Capacity = games.MaxInFlight
	}
	eval, err := n.Evaluator(o.Eval)
	if err != nil {
		return nil, err
	}
	byBudget := o.Search.InFlight == 0 && n.Device() != nil
	if byBudget {
		o.Search.InFlight = games.MaxInFlight
	}
	o.Solvers = n.Settled(o.Solvers)
	if l := n.Variant().Lines(); l != nil {
		o.Search.Resistance = l.Resistance
	}
	solver := n.Variant().SolversWith(o.Solvers, o.Endgames)
	t := NewTreeOver(eval, solver, o)
	t.form, t.net, t.byBudget = n.Form(o.Solvers), n, byBudget
	return t, nil
}

// NewTreeOver returns a Tree that does not change the form of positions.
func NewTreeOver(eval nn.Evaluator, solver mcts.Solver, o TreeOptions) *Tree {
	if o.Time == nil {
		o.Time = SystemTime{}
	}
	return &Tree{
		opts: o, eval: eval, searcher: mcts.New(o.Search, eval, solver), played: game.NoMove,
		form: game.Position.Clone,
	}
}

// preparingPlayouts is enough to fill every batch and thread once.
const preparingPlayouts = 8

// Prepare evaluates the start of a game, so that one-time setup does not cost a move's time
// and a failing network is found early. It forgets everything.
func (t *Tree) Prepare() error {
	if t.net == nil {
		return nil
	}
	v := t.net.Variant()
	start, err := v.Start()
	if err != nil {
		return err
	}
	if _, err := t.Think(context.Background(), start, Limits{Nodes: preparingPlayouts}); err != nil {
		return fmt.Errorf("the network %s does not compute %s %dx%d: %w", t.net.Name, v.Rule(), v.Size, v.Size, err)
	}
	t.Forget()
	return nil
}

// Options returns the tree's options with defaults filled in.
func (t *Tree) Options() TreeOptions {
	o := t.opts
	o.Search = t.searcher.Options()
	return o
}

// Close implements [Engine].
func (t *Tree) Close() error { return nil }

// Forget implements [Engine]: it drops the tree.
func (t *Tree) Forget() { t.root, t.played = nil, game.NoMove }

// checkTime is how long the check of the chosen move may take after the context has ended.
const checkTime = 15 * time.Millisecond

// Think implements [Engine].
func (t *Tree) Think(ctx context.Context, pos game.Position, l Limits) (*Answer, error) {
	if l.Restrict != nil {
		t.Forget()
		defer t.Forget()
	}
	if err := t.advance(pos); err != nil {
		return nil, err
	}
	began := t.opts.Time.Now()
	if err := t.search(ctx, pos, l); err != nil {
		t.Forget()
		return nil, fmt.Errorf("searching: %w", err)
	}
	t.searcher.Result(&t.result)
	t.played = t.result.Move
	if t.opts.Temperature > 0 && len(t.result.Children) > 0 {
		t.played = mcts.Pick(t.result.Children, t.opts.Temperature, rand.New(chance(l.Seed, pos, 1)))
	}
	a := t.answer(l.Detail)
	a.Stats.Elapsed = t.opts.Time.Now().Sub(began)
	return withMove(a, t.played), nil
}

// answer converts the last Result, with the lines of all moves if detail is set.
func (t *Tree) answer(detail bool) *Answer {
	a := treeAnswer(&t.result)
	for i := range a.Moves {
		if o := &a.Moves[i]; detail && o.Visits > 0 {
			o.Line, o.LineVisits = t.searcher.Line(o.Move, nil, nil)
		}
	}
	return a
}

// chance returns the random numbers for one purpose in a position.
func chance(seed uint64, pos game.Position, purpose uint64) *rand.PCG {
	return rand.NewPCG(seed, 2*uint64(pos.Ply())+purpose)
}

// search runs one search and checks the move that it chooses.
func (t *Tree) search(ctx context.Context, pos game.Position, l Limits) error {
	limits := t.limits(pos, &l)
	searching, cancel := ctx, context.CancelFunc(func() {})
	budget := l.Clock.Anytime()
	if budget.Hard > 0 {
		searching, cancel = t.opts.Time.WithDeadline(ctx, t.opts.Time.Now().Add(budget.Hard))
	}
	defer cancel()
	err := t.searcher.Search(searching, limits)
	if err == nil || searching.Err() == nil {
		return err
	}
	return t.settle(ctx, budget, limits.Restrict)
}

// limits returns l as the searcher takes it, without the clock.
func (t *Tree) limits(pos game.Position, l *Limits) mcts.Limits {
	limits := mcts.Limits{
		Playouts: int(l.Nodes), Visits: int(l.Visits), Noise: l.Noise, Seed: chance(l.Seed, pos, 0).Uint64(),
	}
	if t.byBudget {
		limits.InFlight = DeviceInFlight(max(limits.Playouts, limits.Visits))
	}
	if r := l.Restrict; r != nil {
		limits.Restrict = &mcts.Restriction{Plies: r.Plies, Barred: r.Barred}
	}
	if l.Report != nil {
		limits.Progress = t.reporter(l)
	}
	return limits
}

// DeviceInFlight returns how many playouts in flight a search of so many, 0 for an unknown
// number, has with a network on a device where nobody says: one in 25 of them. No loss of
// strength was measured for 64 in 1,600.
func DeviceInFlight(playouts int) int {
	const usual, share = 64, 25
	if playouts == 0 {
		return usual
	}
	return max(2, min(playouts/share, games.MaxInFlight))
}

// settle ends a search that the context or the clock has interrupted: it evaluates the
// root if no playout has, and checks the chosen move, within the budget's reserve.
func (t *Tree) settle(ctx context.Context, budget Budget, restrict *mcts.Restriction) error {
	reserve := checkTime
	if budget.Hard > 0 {
		reserve = budget.Reserve
	}
	checking, done := t.opts.Time.WithDeadline(context.WithoutCancel(ctx), t.opts.Time.Now().Add(reserve))
	defer done()
	if t.searcher.Result(&t.result); len(t.result.Children) == 0 {
		if err := t.evaluate(checking, restrict); err != nil {
			return err
		}
	}
	t.searcher.Audit(checking)
	return nil
}

// evaluate gives the root its first playout. The end of ctx only stops the solver.
func (t *Tree) evaluate(ctx context.Context, restrict *mcts.Restriction) error {
	t.searcher.Begin(ctx, mcts.Limits{Playouts: 1, Restrict: restrict})
	for !t.searcher.Done() {
		if !t.searcher.Select() {
			continue
		}
		if err := t.eval.Wait(context.WithoutCancel(ctx), nn.All); err != nil {
			t.searcher.Abandon()
			return err
		}
		t.searcher.Backup(nn.All)
	}
	return nil
}

// firstReport is the step of a search with the first report; further ones follow whenever
// the number of steps has doubled.
const firstReport = 128

// reporter returns what is called after each step of a search.
func (t *Tree) reporter(l *Limits) func() {
	steps, next := 0, t.opts.Time.Now().Add(l.Every)
	return func() {
		steps++
		due := steps >= firstReport && steps&(steps-1) == 0
		if l.Every > 0 {
			now := t.opts.Time.Now()
			if due = !now.Before(next); due {
				next = now.Add(l.Every)
			}
		}
		if due {
			t.searcher.Result(&t.result)
			l.Report(t.answer(l.Detail))
		}
	}
}

// Ponder implements [Engine]: it grows the tree that the next Think inherits.
func (t *Tree) Ponder(ctx context.Context, pos game.Position) {
	err := t.advance(pos)
	if err == nil {
		err = t.searcher.Search(ctx, t.limits(pos, &Limits{}))
	}
	if err != nil && ctx.Err() == nil {
		t.Forget()
	}
}

// advance sets the searcher to pos, and keeps the tree if pos follows from its root by at
// most two moves, and not only by the rules: to the evaluator it must be the same position
// too, which for one that reads the last moves depends on their order.
func (t *Tree) advance(pos game.Position) error {
	last := t.root
	t.root = pos.Clone()
	if t.opts.Reuse && last != nil && t.follow(last, pos) {
		return nil
	}
	err := t.searcher.SetPosition(t.form(pos))
	if err != nil {
		t.root = nil
	}
	return err
}

// follow plays the moves from last to pos on the tree, and reports whether there are at
// most two.
func (t *Tree) follow(last, pos game.Position) bool {
	path, ok := t.path(last, pos, pos.Ply()-last.Ply(), nil)
	for i := 0; ok && i < len(path); i++ {
		ok = t.searcher.Advance(path[i]) == nil
	}
	return ok
}

// path appends to path the moves, at most plies and at most two, that lead from one
// position to the other. It tries the chosen move first, which usually was played.
func (t *Tree) path(from, to game.Position, plies int, path []game.Move) ([]game.Move, bool) {
	if plies == 0 {
		return path, from.Hash() == to.Hash() && t.eval.Tag(from) == t.eval.Tag(to)
	}
	if plies < 0 || plies+len(path) > 2 || from.Outcome() != game.Undecided {
		return nil, false
	}
	start := len(t.moves)
	if len(path) == 0 && t.played != game.NoMove && from.Legal(t.played) {
		t.moves = append(t.moves, t.played)
	}
	t.moves = from.Moves(t.moves)
	defer func() { t.moves = t.moves[:start] }()
	for _, m := range t.moves[start:] {
		from.Play(m)
		found, ok := t.path(from, to, plies-1, append(path, m))
		from.Undo()
		if ok {
			return found, true
		}
	}
	return nil, false
}

// TreeSettings are the settings of every tree search.
type TreeSettings struct {
	Search            mcts.Options
	Solvers           games.SolverNodes
	PolicyTemperature float32 // divisor of the policy's logits, besides the network's own temperature

	// Endgames are in the place of Solvers in the game that they are of; nil: none. They
	// have no key: a file is opened by whoever may name one.
	Endgames games.Endgames
}

// DefaultTreeSettings returns the defaults, with a bound on the tree's memory in MiB.
func DefaultTreeSettings(memory int) TreeSettings {
	s := TreeSettings{Search: mcts.Options{}.WithDefaults(), Solvers: games.DefaultSolvers(), PolicyTemperature: 1}
	s.Search.Memory = int64(memory) << 20
	s.Search.InFlight = 0 // its default depends on the network
	return s
}

// MemoryMiB returns the bound on the tree's memory in MiB.
func (s *TreeSettings) MemoryMiB() int { return int(s.Search.Memory >> 20) }

// Bytes returns the most memory that a search of so many playouts may take, 0 for any
// number.
func (s *TreeSettings) Bytes(v games.Variant, playouts int) int64 {
	return v.TreeBytes(playouts, s.MemoryMiB()) + games.MaxInFlight*v.RowBytes()
}

// Options returns the settings as a Tree takes them, with an evaluator's options.
func (s *TreeSettings) Options(eval nn.EvaluatorOptions) TreeOptions {
	eval.Temperature = s.PolicyTemperature
	return TreeOptions{Search: s.Search, Solvers: s.Solvers, Endgames: s.Endgames, Eval: eval}
}

// OpenFixed returns a tree search with an empty tree for each position. table, which may be
// nil, caches the network's results; seed is that of its symmetries.
func (s TreeSettings) OpenFixed(n *networks.Net, table *nn.CacheTable, seed uint64) (*Tree, error) {
	return NewTree(n, s.Options(nn.EvaluatorOptions{Threads: 1, Seed: seed, Cache: table}))
}

// TreeSettingsList are the settings of every tree search: the constants of the search,
// the budgets of its solvers, the temperature of the policy.
var TreeSettingsList = append(append(
	option.Within(mcts.Settings, func(s *TreeSettings) *mcts.Options { return &s.Search }),
	option.Within(games.SolverSettings, func(s *TreeSettings) *games.SolverNodes { return &s.Solvers })...),
	option.NumVar(option.Float{
		Key: "policy-temperature", Help: "what the network's policy logits are divided by, beside its own temperature",
		Default: 1, Min: 0.1, Max: 10,
	}, func(s *TreeSettings) *float32 { return &s.PolicyTemperature }).As("ptemp"),
)

// GameSettings are those of a tree search that plays whole games within one tree: the
// solvers that search at each answer would prove each position anew, and that of threes
// takes longer than a device.
var GameSettings = option.Without(TreeSettingsList, "solver-root", "solver-audit", "solver-replies", "solver-threes")

// Centre is an engine that begins games in the centre of the board. It is for play against
// people; self-play and matches know nothing of it.
//
// The tree search by itself opens caro with f6; but asked about White's answers with 20,000
// playouts each, it gives Black 69.2% after h8 and 68.2% after f6.
type Centre struct {
	Engine
	variant games.Variant
}

// NewCentre returns e with that rule, for positions of a variant.
func NewCentre(e Engine, v games.Variant) *Centre { return &Centre{e, v} }

// centreNodes bounds the search of an empty board, whose move is settled.
const centreNodes = 200

// Think implements [Engine]. On an empty board the engine judges the centre alone, by
// a short search, unless moves are barred already or several are to be judged.
func (e *Centre) Think(ctx context.Context, pos game.Position, l Limits) (*Answer, error) {
	m, ok := e.variant.Centre(pos)
	if !ok || l.Restrict != nil || l.Lines > 1 {
		return e.Engine.Think(ctx, pos, l)
	}
	l.Restrict = &Restriction{Plies: 1, Barred: func(ply int, _ game.Side, other game.Move) bool {
		return ply == 0 && other != m
	}}
	if l.Nodes == 0 || l.Nodes > centreNodes {
		l.Nodes = centreNodes
	}
	return e.Engine.Think(ctx, pos, l)
}
