package vcf

import (
	"context"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Kind says which attacking moves are searched.
type Kind uint8

// The kinds. A VCF is a VCT as well.
const (
	VCF   Kind = iota // victory by continuous fours
	VCT               // victory by continuous fours and threes
	Quiet             // also by quiet moves that threaten a VCF; a VCT where rules have captures or double-three
)

// String returns "vcf", "vct" or "quiet".
func (k Kind) String() string { return [...]string{"vcf", "vct", "quiet"}[k] }

// Outcome is the result of a search.
type Outcome uint8

// The outcomes. Unknown is the zero value.
const (
	Unknown Outcome = iota // the budget was spent, or the rules are out of reach
	None                   // there is no win of this kind; others may exist
	Win                    // proven against every legal defence
)

// String returns "unknown", "none" or "win".
func (o Outcome) String() string {
	return [...]string{"unknown", "none", "win"}[o]
}

// Result is what Solve found.
type Result struct {
	Outcome Outcome
	// Line is the win against the longest defence, its last move the winning
	// one: Plies moves, or fewer if finding the rest again took more than the
	// budget once more. It belongs to the solver and is valid until its next
	// call. It is empty unless Outcome is Win.
	Line []game.Move
	// Plies is the number of moves of both sides up to the win, 0 without one:
	// as many as the win that was found takes at most.
	Plies int
	// Shortest says that no win of the kind takes fewer plies. It is true of all
	// wins that deepening found, and of those that were shortened until nothing
	// shorter was left.
	Shortest bool
	// Nodes is the number of moves that the solver played, with the fours of which
	// it knows without playing them that they come too late. Those that found
	// the outcome are within the budget, and so again are those that found Line.
	Nodes int
}

// Options configures a Solver. The zero value works.
type Options struct {
	// TableBytes bounds the memory of the table of positions, 0 for
	// DefaultTableBytes. The table has at least one bucket.
	TableBytes int

	// Adviser says which moves to look into first in a search with quiet moves. Its memory is
	// not part of TableBytes. Nil: nobody does.
	Adviser Adviser
}

// DefaultTableBytes is the memory of a solver's table.
const DefaultTableBytes = 1 << 20

// TableBytesFor returns a size of the table for searches of so many moves, with
// room for most positions of a search of two million.
func TableBytesFor(nodes int) int {
	const each, most = 2 * entryBytes, 64 << 20
	return max(DefaultTableBytes, min(nodes, most/each)*each)
}

// checkNodes is how many nodes pass between two looks at the context, less one.
const checkNodes = 1<<10 - 1

// maxMoves bounds the attacking moves of a win.
const maxMoves = 250

// Solver searches one position after the other. It belongs to one goroutine
// and allocates nothing once it has seen a board of the size. Its results
// depend on the position, the kind and the budget alone: the table is cleared
// at every call.
type Solver struct {
	table table
	zones zones
	stack []game.Move // lists of moves, the innermost last
	edges []edge      // lists of edges, the innermost last
	line  []game.Move
	held  map[[2]uint64]proofMove // the proof that Solve kept last; see Follow
	spare map[[2]uint64]proofMove // scratch of keepAll

	ctx            context.Context
	board          *pattern.Board
	rules          gomoku.Rules
	attack, defend game.Side
	kind           Kind
	captures       bool
	budget, nodes  int
	total          int // the whole budget, of which budget may be a share
	small, most    int // smallBudget and mostDeepened
	stopped        bool
	diving         bool   // search without deepening; see within
	direct         bool   // no deepening; see Prove
	second         bool   // the search without deepening has begun
	shortest       bool   // no win is shorter
	salt           uint64 // of the table's keys; see fourSalt
	adviser        Adviser
	advised        map[[2]uint64]game.Move // by the adviser, in positions with the attacker to move
	best           game.Move               // the winning move of the search that returned last
}

// New returns a solver.
func New(o Options) *Solver {
	bytes := o.TableBytes
	if bytes <= 0 {
		bytes = DefaultTableBytes
	}
	return &Solver{
		table: newTable(bytes), adviser: o.Adviser, advised: map[[2]uint64]game.Move{},
		small: smallBudget,
		most:  mostDeepened,
		stack: make([]game.Move, 0, 1<<13),
		edges: make([]edge, 0, 1<<10),
		line:  make([]game.Move, 0, 2*maxMoves),
		held:  map[[2]uint64]proofMove{},
		spare: map[[2]uint64]proofMove{},
	}
}

// Solve looks for a win of the side to move on b with at most nodes moves
// played; b is back in its position afterwards. A game that is over has no win.
// With a budget of zero or less it still sees what needs no move to be played:
// a win in one, or that there is nothing to attack with. When ctx is done the
// outcome is Unknown, and comes at once.
func (s *Solver) Solve(ctx context.Context, b *pattern.Board, kind Kind, nodes int) Result {
	clear(s.held)
	depth, outcome := s.findWin(ctx, b, kind, nodes)
	r := Result{Outcome: outcome}
	if outcome == Win {
		if s.second {
			depth = s.keepProof(depth)
		} else {
			s.line = s.trace(depth)
		}
		r.Plies, r.Line, r.Shortest = 2*depth-1, s.line, s.shortest
	}
	r.Nodes = s.nodes
	s.release()
	return r
}

// Decide is Solve without the search for the line: of a win Line has the first
// move alone, and Nodes is within the budget. A win that is not the shortest
// may take more plies than Solve would say.
func (s *Solver) Decide(ctx context.Context, b *pattern.Board, kind Kind, nodes int) Result {
	depth, outcome := s.findWin(ctx, b, kind, nodes)
	r := Result{Outcome: outcome, Nodes: s.nodes}
	if outcome == Win {
		s.line = append(s.line, s.best)
		r.Plies, r.Line, r.Shortest = 2*depth-1, s.line, s.shortest
	}
	s.release()
	return r
}

// Prove is Decide that leaves out the deepening search for threes, so that it proves more
// within a small budget, and rarely the shortest win: of 853 positions of games without a
// win by fours 49 in place of 19 with 2,000 nodes, and 65 in place of 33 with 8,000.
func (s *Solver) Prove(ctx context.Context, b *pattern.Board, kind Kind, nodes int) Result {
	s.direct = kind != VCF && !b.Board().Rules().Captures
	defer func() { s.direct = false }()
	return s.Decide(ctx, b, kind, nodes)
}

// findWin decides without finding the line. With Win, depth is the number of
// attacking moves and s.best the first.
func (s *Solver) findWin(ctx context.Context, b *pattern.Board, kind Kind, nodes int) (depth int, o Outcome) {
	s.begin(ctx, b, kind, nodes)
	switch {
	case ctx.Err() != nil:
		return 0, Unknown
	case b.Outcome() != game.Undecided:
		return 0, None
	case s.rules.DoubleThree && !s.rules.Captures:
		if s.stack = b.Wins(s.stack); len(s.stack) > 0 {
			s.best = s.stack[0]
			return 1, Win
		}
		return 0, Unknown
	}
	return s.inPhases()
}

// Shares of the budget of the deepening search, which comes first and finds
// the shortest win: all of a small budget, and never much.
const (
	smallBudget  = 16_384
	mostDeepened = 50_000
)

// inPhases deepens within a share of the budget, and leaves what that does not
// decide to a search without deepening.
func (s *Solver) inPhases() (depth int, o Outcome) {
	if s.kind == Quiet {
		s.budget, s.second = s.total, true
		if s.adviser != nil {
			s.adviser.Forget()
		}
		return s.prove()
	}
	threes := s.kind == VCT && s.captures
	s.budget = min(s.total, max(s.small, min(s.total/2, s.most)))
	if s.direct {
		s.budget = 0
	}
	if threes {
		s.kind, s.salt = VCF, fourSalt
	}
	depth, v := s.deepen()
	if v == won {
		s.shortest = !threes || depth <= threeWins
		return depth, Win
	}
	if threes {
		s.kind, s.salt = VCT, 0
	}
	switch {
	case v == never && !threes:
		return 0, None
	case v != never && s.budget == s.total:
		return 0, Unknown
	}
	s.stopped, s.budget, s.second = false, s.total, true
	if s.kind != VCF {
		return s.prove()
	}
	switch depth, v = s.dive(maxMoves); v {
	case won:
		return depth, Win
	case never:
		return 0, None
	}
	return 0, Unknown
}

// deepen raises the number of attacking moves one by one.
func (s *Solver) deepen() (depth int, v verdict) {
	for depth = 1; depth <= maxMoves; depth++ {
		if v = s.search(depth); v != later || s.stopped {
			return depth, v
		}
	}
	return 0, later
}

// key returns the key of the position in the table.
func (s *Solver) key() [2]uint64 {
	k := s.board.Board().Key()
	k[0] ^= s.salt
	return k
}

func (s *Solver) begin(ctx context.Context, b *pattern.Board, kind Kind, nodes int) {
	s.ctx, s.board, s.rules, s.kind = ctx, b, b.Board().Rules(), kind
	if kind == Quiet && (s.rules.Captures || s.rules.DoubleThree) {
		s.kind = VCT
	}
	s.attack = b.ToMove()
	s.defend = s.attack.Other()
	s.captures = s.rules.Captures
	s.budget, s.nodes, s.best = nodes, 0, game.NoMove
	s.stopped, s.second, s.shortest = false, false, false
	s.stack, s.line = s.stack[:0], s.line[:0]
	s.edges, s.total, s.salt = s.edges[:0], nodes, 0
	s.table.clear()
	clear(s.advised)
	s.zones.fit(b.Board().Size())
}

// release lets go of the caller's board.
func (s *Solver) release() { s.ctx, s.board = nil, nil }

// play makes a move if the budget allows it.
func (s *Solver) play(m game.Move) bool {
	if !s.count() {
		return false
	}
	s.board.Play(m)
	return true
}

// count takes a move off the budget and reports whether there was one left. Once the
// context is done the number stands still, and each later call asks it again.
func (s *Solver) count() bool {
	if s.nodes&checkNodes == checkNodes && s.ctx.Err() != nil {
		s.stopped = true
	}
	if s.nodes >= s.budget {
		s.stopped = true
	}
	if s.stopped {
		return false
	}
	s.nodes++
	return true
}

// entry is what is known of one position. With the attacker to move: it does not
// win within fails moves, and does within wins moves beginning with move. With
// the defender to move the same of the position before its last move, without a
// move.
type entry struct {
	key     [2]uint64
	call    uint32 // of the solver's call that wrote it
	move    game.Move
	fails   uint8 // noDepth: it does not win at all
	wins    uint8 // noDepth: not known to
	numbers       // 0 unless proof-number search has left the position undecided
}

const (
	noDepth    = 255
	entryBytes = 32
	bucketSize = 2
)

// table is a hash table of positions, checked by their full 128-bit key, in
// buckets of two entries.
type table struct {
	buckets [][bucketSize]entry // a power of two of them
	call    uint32
}

func newTable(bytes int) table {
	n := 1
	for 2*n*bucketSize*entryBytes <= bytes {
		n *= 2
	}
	return table{buckets: make([][bucketSize]entry, n)}
}

// clear forgets all entries, by their call.
func (t *table) clear() {
	t.call++
	if t.call == 0 {
		clear(t.buckets)
		t.call = 1
	}
}

// find returns the entry of a key, nil if there is none.
func (t *table) find(key [2]uint64) *entry {
	bucket := &t.buckets[key[0]&uint64(len(t.buckets)-1)]
	for i := range bucket {
		if e := &bucket[i]; e.key == key && e.call == t.call {
			return e
		}
	}
	return nil
}

// claim returns the entry of a key, a fresh one in the place of the entry that
// took the least work if there is none.
func (t *table) claim(key [2]uint64) *entry {
	if e := t.find(key); e != nil {
		return e
	}
	bucket := &t.buckets[key[0]&uint64(len(t.buckets)-1)]
	e := &bucket[0]
	if e.call == t.call && (bucket[1].call != t.call || bucket[1].worth() < e.worth()) {
		e = &bucket[1]
	}
	*e = entry{key: key, call: t.call, move: game.NoMove, wins: noDepth}
	return e
}

// worth tells entries that took much work: the depth that was searched, or the
// numbers.
func (e *entry) worth() uint8 {
	switch {
	case e.wins != noDepth:
		return e.wins
	case e.PN > 0 && e.fails != noDepth:
		return uint8(min(mostWorth, e.PN+e.DN))
	}
	return e.fails
}

// mostWorth is what the greatest numbers are worth.
const mostWorth = 64

func (t *table) storeWin(key [2]uint64, d int, m game.Move) {
	e := t.claim(key)
	e.wins, e.move = uint8(d), m
}

func (t *table) storeFail(key [2]uint64, d int) { t.claim(key).fails = uint8(d) }

func (t *table) storeNumbers(key [2]uint64, n numbers) {
	t.claim(key).numbers = n
}

// numbers are the proof and the disproof number of a position, for the attacker.
type numbers = alphabeta.ProofNumbers

// edge is a move of a position that is being searched, and what is known of the
// position after it.
type edge struct {
	key  [2]uint64 // of the position after the move, in the table
	move game.Move
	cost uint8 // of an attacking move; see Solver.cost
	wins uint8 // attacking moves of the proven win: those from there on
	numbers
}

// attacking sums up the edges from index from on, with the attacker to move: one win
// proves the position, and all moves must be refuted.
func (s *Solver) attacking(from int) alphabeta.ProofChoice {
	sum := alphabeta.SumProofs(from)
	for i := from; i < len(s.edges); i++ {
		n := s.edges[i].numbers
		if !n.Decided() {
			n.PN += uint32(s.edges[i].cost)
		}
		sum.Add(i, n)
	}
	return sum.Choice()
}

// defending is attacking with the defender to move; the choice is the defender's, who
// aims at a disproof. Wins is the number of attacking moves from the defender's on, as far
// as its defences are proven.
func (s *Solver) defending(from int) (c alphabeta.ProofChoice, wins uint8) {
	sum := alphabeta.SumProofs(from)
	for i := from; i < len(s.edges); i++ {
		e := &s.edges[i]
		sum.Add(i, e.Turned())
		if e.PN == 0 {
			wins = max(wins, e.wins)
		}
	}
	return sum.Choice(), wins
}
