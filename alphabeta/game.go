package alphabeta

import "github.com/carozero/carozero/game"

// Game plugs a game into the search.
type Game interface {
	// Bind returns the heuristics of a search from pos, which they may keep and
	// change. Bind is called once for each thread of each search, never
	// concurrently. It fails if pos is not of this game.
	Bind(pos game.Position) (Heuristics, error)

	// Techniques returns what zero stands for in the techniques of a search of the game,
	// for those that serve it better with another value than the usual one; zero leaves
	// the usual one. Threads, TableMiB and Clock do not count.
	Techniques() Options
}

// Heuristics are what a search knows of a game beyond its rules, bound to one
// position on which the search plays and undoes moves. They belong to one thread
// and allocate nothing once they are bound.
type Heuristics struct {
	// Position is what the search plays on: the one that was bound, or an equal
	// one that keeps more than the rules need, such as patterns.
	Position game.Position

	Evaluation Evaluation
	Picker     Picker
	Quiescence Quiescence // nil: leaves are worth their evaluation
	Solver     Solver     // nil: none is asked
	Endgames   Endgames   // nil: none are known
	Prior      Prior      // nil: quiet moves have the Picker's hints alone
	Resistance Resistance // nil: moves that lose equally late are alike

	// SolverShare is the largest part of a search's nodes that the Solver plays, in
	// percent, beside its first FreeSolverNodes; 0 for no bound. Where most positions of
	// a search are full of threats that do not win, the Solver would take nearly all.
	SolverShare int

	// Slots bounds the slots that the Picker gives to moves. The memory for
	// continuation history grows with its square; a few hundred is usual.
	Slots int
}

// FreeSolverNodes is how many nodes the Solver plays in a search, for each thread, before
// Heuristics.SolverShare bounds it.
const FreeSolverNodes = 2_000

// Evaluation is the static evaluation of the position it is bound to.
type Evaluation interface {
	// Evaluate returns the worth of a position that is not over to its side
	// to move, within -MaxEval..MaxEval. It is a pure function of what the
	// position's Hash covers.
	Evaluate() Score

	// Margin returns by how much depth plies of quiet play change the evaluation at
	// most, with few exceptions. depth is at least 1; the margin must not shrink with
	// it. Zero or less means unknown and switches pruning by margins off.
	Margin(depth int) Score

	// Quiet reports whether the side to move faces no threat that the evaluation does
	// not reflect and that may decide the game. Otherwise the node is not pruned by
	// Margin. Threats of the side to move don't matter, since only nodes that are too
	// good are pruned.
	Quiet() bool
}

// Kind says how the search may treat a move.
type Kind uint8

const (
	// Quiet moves are ordered by what the search has learnt of them, and may
	// be reduced or skipped.
	Quiet Kind = iota

	// Tactical moves are ordered by their Hint alone and always searched.
	Tactical
)

// ScoredMove is a move as a Picker lists it, with what the search needs to order
// and treat it.
type ScoredMove struct {
	Move game.Move

	// Slot is the move's index in the history tables: moves that tend to be good or
	// bad together share one. It is less than Heuristics.Slots.
	Slot uint16

	// Hint orders the moves of a stage, the largest first, equal ones as they are
	// listed. For a quiet move the search adds its history, within
	// -4*HistoryRange..4*HistoryRange.
	Hint int32

	Kind Kind

	// Extend asks for an extension by one ply, for example of a forced defence, which
	// would otherwise push the decisive moves beyond the horizon. Options.Extensions
	// bounds the extensions on a path.
	Extend bool

	// Behind is by how much the log probability of a quiet move is below that of the
	// best of its stage, by the Prior, in units of 1/BehindUnit; 0 without a Prior.
	Behind int16
}

// BehindUnit is the number of units of ScoredMove.Behind in one natural logarithm.
const BehindUnit = 256

// Picker lists the moves to search in stages, so that after a cutoff by an early move
// the rest need not be listed.
type Picker interface {
	// Stage appends the moves of stage n = 0, 1, 2, ... and reports whether there may
	// be more stages. All stages together list legal moves, each once, and at least
	// one if the game is not over. Moves that are not worth a search may be left out;
	// then a claimed loss only says that all listed moves lose.
	Stage(n int, list []ScoredMove) (moves []ScoredMove, more bool)

	// Describe returns any legal move, listed or not, as Stage would list it.
	Describe(m game.Move) ScoredMove
}

// Prior orders moves better than the Picker's hints, at a cost that pays only at nodes
// with enough depth; see Options.PriorDepth.
type Prior interface {
	// Rate sets Hint, on the Picker's scale, and Behind of the quiet moves among the
	// moves of one stage, and nothing else. It is a pure function of the moves and of
	// what the position's Hash covers.
	Rate(moves []ScoredMove)
}

// Resistance orders moves that lose equally late, at the root only.
type Resistance interface {
	// Resist returns how much of what the opponent threatens the legal move m
	// removes, 0 for nothing: the more, the better if the opponent overlooks its win.
	// It is a pure function of the move and of what the position's Hash covers.
	Resist(m game.Move) int
}

// Quiescence lists the noisy moves to search below the horizon.
type Quiescence interface {
	// Noisy appends the noisy moves of a position depth = 0, 1, 2, ... plies below the
	// horizon in which nobody wins at once. If forced is false, the side to move may
	// stand pat and take the evaluation instead; if true, it must play one of the
	// moves, and takes the evaluation only if there are none. The moves must come to
	// an end, by depth or by themselves.
	Noisy(depth int, list []ScoredMove) (moves []ScoredMove, forced bool)
}

// Endgames know positions that were solved before. A search asks them at every node
// below the root, in front of its table, and plays on only where they know nothing.
type Endgames interface {
	// Probe returns the exact worth of the position, which is not over, to its side to
	// move: WinIn or LossIn the plies to the end if the winner is as quick and the loser
	// as slow as can be, or 0 for a draw.
	Probe() (worth Score, ok bool)

	// Best returns a move that comes to what Probe says.
	Best() game.Move
}

// Solver looks for a forced win of the side to move.
type Solver interface {
	// Solve plays at most nodes moves on the position and leaves it unchanged. depth
	// is the remaining depth, 0 at the horizon. A reported win must hold against every
	// legal defence.
	Solve(depth, nodes int) Solution
}

// Solution is the result of a Solver.
type Solution struct {
	Won   bool
	Move  game.Move // the first move of the win
	Plies int       // to the end of the game
	Nodes int       // moves played to find out

	// Line may hold the expected legal moves after Move, fewer than Plies. The Solver
	// owns it; it is valid until the next call.
	Line []game.Move
}

// Plain is a Game without knowledge: every undecided position is worth 0, and all moves
// are equal. It solves small games and serves as a reference in tests.
type Plain struct{}

// plainSlots is the number of slots that Plain spreads the moves over.
const plainSlots = 256

// Bind returns heuristics that know only the rules.
func (Plain) Bind(pos game.Position) (Heuristics, error) {
	p := &plainHeuristics{pos: pos, moves: make([]game.Move, 0, pos.MaxMoves())}
	return Heuristics{Position: pos, Evaluation: p, Picker: p, Slots: plainSlots}, nil
}

// Techniques leaves all at their usual values.
func (Plain) Techniques() Options { return Options{} }

type plainHeuristics struct {
	pos   game.Position
	moves []game.Move
}

// Evaluate returns 0.
func (*plainHeuristics) Evaluate() Score { return 0 }

// Margin returns 0: unknown.
func (*plainHeuristics) Margin(int) Score { return 0 }

// Quiet returns true: nothing is known.
func (*plainHeuristics) Quiet() bool { return true }

// Stage lists all legal moves at once.
func (p *plainHeuristics) Stage(_ int, list []ScoredMove) ([]ScoredMove, bool) {
	p.moves = p.pos.Moves(p.moves[:0])
	for _, m := range p.moves {
		list = append(list, p.Describe(m))
	}
	return list, false
}

// Describe returns a quiet move without a hint.
func (*plainHeuristics) Describe(m game.Move) ScoredMove {
	return ScoredMove{Move: m, Slot: uint16(m % plainSlots)}
}
