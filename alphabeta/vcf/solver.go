package vcf

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Kind says which attacking moves are searched.
type Kind uint8

// The kinds. A VCF is a VCT as well.
const (
	VCF Kind = iota // victory by continuous fours
	VCT             // victory by continuous fours and threes
)

// String returns "vcf" or "vct".
func (k Kind) String() string {
	if k == VCT {
		return "vct"
	}
	return "vcf"
}

// Outcome is the answer of a search.
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
	// Line is a shortest win against the longest defence, its last move the
	// winning one: Plies moves, or fewer if finding the rest again took more
	// than the budget once more. It belongs to the solver and is valid until
	// its next call. It is empty unless Outcome is Win.
	Line []game.Move
	// Plies is the number of moves of both sides up to the win, 0 without one.
	Plies int
	// Nodes is the number of moves that the solver played. Those that found
	// the answer are within the budget, and so again are those that found Line.
	Nodes int
}

// Options configures a Solver. The zero value works.
type Options struct {
	// TableBytes bounds the memory of the table of positions, 0 for
	// DefaultTableBytes. The table has at least one bucket.
	TableBytes int
}

// DefaultTableBytes is the memory of a solver's table.
const DefaultTableBytes = 1 << 20

// checkNodes is how many nodes pass between two looks at the context, less one.
const checkNodes = 1<<10 - 1

// maxMoves bounds the attacking moves of a win.
const maxMoves = 250

// Solver searches one position after the other. It belongs to one goroutine
// and allocates nothing once it has seen a board of the size. Its answers
// depend on the position, the kind and the budget alone: the table is cleared
// at every call.
type Solver struct {
	table table
	zones zones
	stack []game.Move // lists of moves, the innermost last
	line  []game.Move

	ctx            context.Context
	board          *pattern.Board
	rules          gomoku.Rules
	attack, defend game.Side
	kind           Kind
	captures       bool
	budget, nodes  int
	stopped        bool
	best           game.Move // the winning move of the search that returned last
}

// New returns a solver.
func New(o Options) *Solver {
	bytes := o.TableBytes
	if bytes <= 0 {
		bytes = DefaultTableBytes
	}
	return &Solver{
		table: newTable(bytes),
		stack: make([]game.Move, 0, 1<<13),
		line:  make([]game.Move, 0, 2*maxMoves),
	}
}

// Solve looks for a win of the side to move on b with at most nodes moves
// played; b is back in its position afterwards. A game that is over has no win.
// With a budget of zero or less it still sees what needs no move to be played:
// a win in one, or that there is nothing to attack with. When ctx is done the
// answer is Unknown, and comes at once.
func (s *Solver) Solve(ctx context.Context, b *pattern.Board, kind Kind, nodes int) Result {
	depth, outcome := s.decide(ctx, b, kind, nodes)
	r := Result{Outcome: outcome}
	if outcome == Win {
		r.Plies = 2*depth - 1
		r.Line = s.trace(depth)
	}
	r.Nodes = s.nodes
	s.release()
	return r
}

// Decide is Solve without the search for the line: of a win Line has the first
// move alone, and Nodes is within the budget.
func (s *Solver) Decide(ctx context.Context, b *pattern.Board, kind Kind, nodes int) Result {
	depth, outcome := s.decide(ctx, b, kind, nodes)
	r := Result{Outcome: outcome, Nodes: s.nodes}
	if outcome == Win {
		s.line = append(s.line, s.best)
		r.Plies, r.Line = 2*depth-1, s.line
	}
	s.release()
	return r
}

// decide answers without finding the line. With Win, depth is the number of
// attacking moves and s.best the first.
func (s *Solver) decide(ctx context.Context, b *pattern.Board, kind Kind, nodes int) (depth int, o Outcome) {
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
	for depth = 1; depth <= maxMoves; depth++ {
		switch v := s.search(depth); {
		case v == won:
			return depth, Win
		case s.stopped:
			return 0, Unknown
		case v == never:
			if kind == VCT && s.captures {
				return 0, Unknown
			}
			return 0, None
		}
	}
	return 0, Unknown
}

func (s *Solver) begin(ctx context.Context, b *pattern.Board, kind Kind, nodes int) {
	s.ctx, s.board, s.rules, s.kind = ctx, b, b.Board().Rules(), kind
	s.attack = b.ToMove()
	s.defend = s.attack.Other()
	s.captures = s.rules.Captures
	s.budget, s.nodes, s.stopped, s.best = nodes, 0, false, game.NoMove
	s.stack, s.line = s.stack[:0], s.line[:0]
	s.table.clear()
	s.zones.fit(b.Board().Size())
}

// release lets go of the caller's board.
func (s *Solver) release() { s.ctx, s.board = nil, nil }

// play makes a move if the budget allows it.
func (s *Solver) play(m game.Move) bool {
	if s.nodes >= s.budget || s.nodes&checkNodes == checkNodes && s.ctx.Err() != nil {
		s.stopped = true
		return false
	}
	s.nodes++
	s.board.Play(m)
	return true
}
