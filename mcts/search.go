package mcts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
)

// Errors of a Searcher.
var (
	ErrOver    = errors.New("mcts: the game is over")
	ErrIllegal = errors.New("mcts: illegal move")
)

// burst is the most playouts that one Select starts, so that a search that never waits
// for its evaluator still notices a cancelled context.
const burst = 64

// Searcher grows one search tree. It and its evaluator belong to one goroutine. It
// allocates nothing once its slabs have grown to the size of the search.
type Searcher struct {
	opts    Options
	explore exploration
	eval    nn.Evaluator
	instant nn.Instant // eval, if it is one; see playout.go
	solver  Solver

	pos    game.Position // at the root between searches, nil before SetPosition
	path   []game.Move   // played on pos below the root; see select.go
	tree   tree
	spare  []kid  // memory for the next copy of the tree's kids
	kept   uint32 // node that becomes the root at the next Begin
	root   root
	source rand.PCG

	queue  queue // playouts in flight
	run    run   // the current search, or the last one
	sticky stickyPath
	stride float32 // Options.Stride with an evaluator that answers at once, else 0
	loss   float32 // virtual loss of the search
	sticks bool    // playouts of the search keep to choices

	moves   []game.Move // scratch
	priors  []float32   // scratch of expandLazy
	visits  []int       // scratch
	ranks   []int8      // scratch
	audited Result      // scratch
}

// New returns a Searcher without a position. Searchers of one goroutine may share eval
// if all their playouts in flight together fit its Capacity; a single Searcher may
// have more in flight than that. A nil solver means [NoSolver].
func New(opts Options, eval nn.Evaluator, solver Solver) *Searcher {
	opts = opts.withDefaults()
	s := &Searcher{opts: opts, explore: newExploration(&opts), eval: eval, solver: NoSolver{}}
	s.instant, _ = eval.(nn.Instant)
	if s.instant != nil {
		s.stride = max(0, opts.Stride)
	}
	if solver != nil {
		s.solver = &meter{solver, opts.Clock, &s.run.solver}
	}
	s.queue.slots = make([]playout, opts.InFlight)
	s.tree.bound, s.tree.lazyEdges = opts.Memory/2, s.instant != nil
	s.tree.reset()
	s.root.clear()
	return s
}

// Options returns the options in effect, defaults filled in.
func (s *Searcher) Options() Options { return s.opts }

// SetPosition drops the tree and makes a copy of pos the root. It returns ErrOver if
// the game is over. It must not be called during a search.
func (s *Searcher) SetPosition(pos game.Position) error {
	s.mustBeIdle("SetPosition")
	if pos.Outcome() != game.Undecided {
		return fmt.Errorf("%w: nothing to search", ErrOver)
	}
	s.pos = pos.Clone()
	s.run.open = false
	s.drop()
	n := pos.MaxMoves()
	for i := range s.queue.slots {
		p := &s.queue.slots[i]
		if cap(p.moves) < n {
			p.moves = make([]game.Move, 0, n)
			p.priorBuf = make([]float32, n)
		}
	}
	if s.instant != nil && cap(s.priors) < n {
		s.priors = make([]float32, n)
	}
	return nil
}

// Advance plays m at the root and keeps its subtree. If m ends the game, only
// SetPosition may follow. An illegal move returns ErrIllegal and changes nothing.
// Advance must not be called during a search.
func (s *Searcher) Advance(m game.Move) error {
	s.mustBeIdle("Advance")
	if s.pos == nil || !s.pos.Legal(m) {
		return fmt.Errorf("%w: %d", ErrIllegal, m)
	}
	s.pos.Play(m)
	s.run.open, s.run.limits = false, Limits{}
	s.root.clear()
	t := &s.tree
	nd := &t.nodes[s.kept]
	for i, k := range t.kids[nd.kids:][:nd.nKids] {
		if t.moves[nd.edges+uint32(i)] == m {
			s.kept = k.node
			return nil
		}
	}
	s.drop()
	return nil
}

// drop empties the tree.
func (s *Searcher) drop() {
	s.tree.reset()
	s.kept = 0
	s.root.clear()
}

// mustBeIdle panics if playouts are in flight.
func (s *Searcher) mustBeIdle(method string) {
	if s.queue.pending > 0 {
		panic("mcts: " + method + " during a search")
	}
}

// Begin starts a search within l from the current position and continues its tree.
// The caller then repeats Select, the evaluator's Wait and Backup until Done; Search
// does all of this. Searches that share an evaluator must Wait and Backup [nn.All],
// since the oldest position may belong to another one. The end of ctx stops the
// solver, not the search.
func (s *Searcher) Begin(ctx context.Context, l Limits) {
	s.mustBeIdle("Begin")
	s.run = run{
		ctx: ctx, limits: l,
		open:     s.pos != nil && s.pos.Outcome() == game.Undecided,
		nodesYet: s.solver.RootNodes(),
	}
	s.sticky.reset(0)
	s.setInFlight(l.InFlight)
	if !s.run.open {
		return
	}
	if l.Root != nil {
		l.Root.begin()
	}
	s.compact()
	s.tree.partial = 0
	if l.Restrict != nil {
		s.tree.partial = l.Restrict.Plies
	}
	s.run.quota = l.quota(int(s.tree.nodes[0].visits))
	if s.run.quota > 0 {
		s.tree.reserve(s.run.quota+1, s.pos.MaxMoves())
	}
	s.adoptRoot()
	if s.tree.nodes[0].n > 0 {
		s.proveRoot()
	}
}

// setInFlight sets how many playouts the search has in flight, and what depends on that;
// 0 stands for Options.InFlight.
func (s *Searcher) setInFlight(k int) {
	s.queue.limit = min(cmp.Or(max(0, k), len(s.queue.slots)), len(s.queue.slots))
	s.loss = max(0, s.opts.VirtualLoss)
	if s.opts.VirtualLoss == 0 && s.queue.limit > fewInFlight {
		s.loss = manyLoss
	}
	s.sticks = s.stride > 0 && s.queue.limit <= fewInFlight
}

// spareTrees hold memory for compactions. Of many searchers few need it at a time.
var spareTrees sync.Pool

// compact frees the nodes that Advance made unreachable and moves to the new root.
func (s *Searcher) compact() {
	if s.kept == 0 {
		return
	}
	to, _ := spareTrees.Get().(*tree)
	if to == nil || to.reserved() > s.tree.bound {
		to = new(tree)
	}
	to.bound, to.lazyEdges, to.proofs = s.tree.bound, s.tree.lazyEdges, s.tree.proofs
	to.reset()
	s.tree.compact(s.kept, to)
	s.tree, *to = *to, s.tree
	if s.tree.reserved()+to.reserved() <= s.opts.Memory {
		spareTrees.Put(to)
	}
	s.kept = 0
	s.root.win = s.tree.nodes[0].winningMove()
	s.completeRoot()
	s.tree.reopenRoot()
	s.adoptRoot()
}

// spent reports whether the search starts no more playouts: the budget is used up, the
// rest of it cannot change the best move, or the root is evaluated and proven.
func (s *Searcher) spent() bool {
	if s.run.stopped || s.run.bounded() && s.run.left() <= 0 {
		return true
	}
	nd := &s.tree.nodes[0]
	return nd.proof() != game.Unproven && nd.n > 0
}

// Done reports whether the search that Begin started is complete.
func (s *Searcher) Done() bool {
	return !s.run.open || s.queue.pending == 0 && s.spent()
}

// mustBackup reports whether the oldest playout must be backed up next.
func (s *Searcher) mustBackup() bool {
	return s.queue.full() || s.queue.stalled || s.spent()
}

// Select starts playouts and backs up those whose turn has come, until it needs
// results from the evaluator's Wait; then it returns true. It returns false when the
// search is done and, so that the caller can check its context, after some playouts
// that needed no Wait.
func (s *Searcher) Select() bool {
	if s.Done() {
		return false
	}
	defer s.toRoot()
	for range burst {
		for s.mustBackup() {
			if s.queue.pending == 0 {
				return false
			}
			if !s.queue.oldest().ready {
				return true
			}
			s.backupOldest()
		}
		if s.queue.waiting > 0 && s.queue.waiting == s.eval.Capacity() {
			return true
		}
		s.queue.stalled = !s.launch()
		s.dropDeadBlocks()
	}
	return s.queue.waiting > 0
}

// Backup takes in the oldest n pending results, or all if there are no more, and backs
// up the playouts whose turn has come. Call it after a successful Wait(n).
func (s *Searcher) Backup(n int) {
	s.queue.answer(n)
	for s.queue.pending > 0 && s.mustBackup() && s.queue.oldest().ready {
		s.backupOldest()
	}
}

// Abandon ends the search after a failed Wait: playouts that have their results are
// backed up, the others are undone and not counted.
func (s *Searcher) Abandon() {
	for s.queue.pending > 0 && s.queue.oldest().ready {
		s.backupOldest()
	}
	s.queue.empty(s.takeBack)
	s.run.open = false
}

// Search runs a complete search within l. It returns nil when the budget is spent or
// the root proven, ErrOver if the game is over, the context's error if that ends
// first, and the evaluator's error if it fails. After any error the tree holds all
// completed playouts, and Result has a legal move if there is one. The context is
// checked between evaluations and by the solver.
func (s *Searcher) Search(ctx context.Context, l Limits) error {
	s.Begin(ctx, l)
	if !s.run.open {
		return fmt.Errorf("%w or no position is set", ErrOver)
	}
	for !s.Done() {
		if err := ctx.Err(); err != nil {
			if s.queue.waiting > 0 {
				_ = s.eval.Wait(ctx, nn.All) // nothing waits any more
			}
			s.Abandon()
			return err
		}
		if s.Select() {
			// The others may go on being computed meanwhile.
			if err := s.eval.Wait(ctx, 1); err != nil {
				s.Abandon()
				return fmt.Errorf("mcts: evaluation: %w", err)
			}
			s.Backup(1)
		}
		if l.Progress != nil {
			l.Progress()
		}
	}
	s.Audit(ctx)
	return nil
}

// run is what a Searcher keeps of one search: its limits and what it has done
// so far. Begin replaces it as a whole; afterwards it stays for Result.
type run struct {
	ctx    context.Context // the solver's
	limits Limits
	open   bool // begun, not abandoned, and Advance not called since
	quota  int  // playouts it may start; negative without a bound

	launched int // playouts in flight included
	playouts int // backed up
	plies    int // sum of their lengths
	selDepth int
	evals    int

	full    bool // the memory bound stopped the tree's growth
	stopped bool // by Options.EarlyStop

	solver   usage
	nodesYet int // the solver's nodes before the run
}

// bounded reports whether there is a bound on the playouts.
func (r *run) bounded() bool { return r.quota >= 0 }

// left returns how many more playouts a bounded run may start.
func (r *run) left() int { return r.quota - r.launched }

// count counts a playout of the given length that was backed up.
func (r *run) count(plies int) {
	r.playouts++
	r.plies += plies
	r.selDepth = max(r.selDepth, plies)
}

// report fills in the counts of res.
func (r *run) report(res *Result) {
	res.Playouts, res.Evals, res.SelDepth = r.playouts, r.evals, r.selDepth
	if r.playouts > 0 {
		res.Depth = r.plies / r.playouts
	}
	res.Full, res.Stopped = r.full, r.stopped
	res.SolverCalls, res.SolverNanos = r.solver.calls, r.solver.nanos
}

// state holds one of two things. In an open node it is the sum of the squares of the
// values backed up there, as the bits of a non-negative float32. In a proven node the
// sign bit is set, bits 16 and 17 are the proof, and the 16 below its plies.
type state uint32

const (
	stateProven = 1 << 31
	proofShift  = 16
	pliesMask   = 1<<proofShift - 1
)

// proof returns what is known for certain of nd, for its side to move.
func (nd *node) proof() game.Result {
	if nd.state < stateProven {
		return game.Unproven
	}
	return game.Result(nd.state >> proofShift & 3)
}

// plies returns the plies to the end of the game by the proof, 0 without one.
func (nd *node) plies() int {
	if nd.state < stateProven {
		return 0
	}
	return int(nd.state & pliesMask)
}

// setProof gives nd a proof, which is not Unproven.
func (nd *node) setProof(p game.Result, plies int) {
	nd.state = stateProven | state(p)<<proofShift | state(min(plies, pliesMask))
}

// reopen withdraws nd's proof and sets the sum of squares of an open node.
func (nd *node) reopen(squares float32) { nd.state = state(math.Float32bits(squares)) }

// squares returns the sum of the squares of the values backed up at nd.
func (nd *node) squares() float32 {
	if nd.proof() != game.Unproven {
		v := nd.proof().Value()
		return float32(nd.visits) * float32(v*v)
	}
	return math.Float32frombits(uint32(nd.state))
}

// addSquare adds the square of a value to the sum of an open node.
func (nd *node) addSquare(v float32) {
	nd.state = state(math.Float32bits(math.Float32frombits(uint32(nd.state)) + v))
}

// The prior of the standard deviation: a usual value, and its weight in visits.
const (
	usualDeviation  = 0.4
	deviationWeight = 2
)

// standardError returns the standard error of a node's mean, 0 if the node is proven or
// has no visits.
func (nd *node) standardError() float32 {
	if nd.proof() != game.Unproven || nd.visits == 0 {
		return 0
	}
	return float32(nd.deviation() / math.Sqrt(float64(nd.visits)))
}

// deviation returns the standard deviation of the values backed up at an open node,
// with the prior included.
func (nd *node) deviation() float64 {
	n, mean := float64(nd.visits), float64(nd.mean())
	squares := float64(math.Float32frombits(uint32(nd.state)))
	sum := max(0, squares-float64(n*float64(mean*mean)))
	return math.Sqrt((sum + deviationWeight*usualDeviation*usualDeviation) / (n + deviationWeight))
}
