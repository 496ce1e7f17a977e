package alphabeta

import "github.com/carozero/carozero/game"

// Game plugs a game into the search.
type Game interface {
	// Bind returns the heuristics of a search from pos, which they may keep and
	// change. Bind is called once for each thread of each search, never
	// concurrently. It fails if pos is not of this game.
	Bind(pos game.Position) (Heuristics, error)
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
	Prior      Prior      // nil: quiet moves have the Picker's hints alone
	Resistance Resistance // nil: moves that lose equally late are alike

	// Slots bounds the slots that the Picker gives to moves. The memory for
	// continuation history grows with its square; a few hundred is usual.
	Slots int
}

// Evaluation judges the position it is bound to, without looking ahead.
type Evaluation interface {
	// Evaluate returns the worth of a position that is not over to its side
	// to move, within -MaxEval..MaxEval. It is a pure function of what the
	// position's Hash covers.
	Evaluate() Score

	// Margin returns how far, with few exceptions, depth plies of quiet play
	// change the evaluation, for a depth of at least 1; it must not shrink
	// with the depth. Zero or less says that this is unknown: nothing is
	// pruned by it then.
	Margin(depth int) Score

	// Quiet reports whether the side to move faces no threat that may decide the
	// game whatever the evaluation says. Where it does, no node is left by Margin.
	// Its own threats are no matter: a node is left for being too good only.
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

	// Slot is what is learnt of the move is filed under: moves that tend to be
	// good or bad together share one. It is less than Heuristics.Slots.
	Slot uint16

	// Hint orders the moves of a stage, the largest first, equal ones as they
	// are listed. What is learnt of a quiet move adds to it within
	// -4*HistoryRange..4*HistoryRange.
	Hint int32

	Kind Kind

	// Extend asks that the move be searched a ply deeper, as the only defence
	// against a threat is: it decides nothing, and would push what does beyond the
	// horizon. Options.Extensions bounds how often that is granted on a path.
	Extend bool

	// Behind is how much less likely than the best of its stage the Prior thinks a
	// quiet move, as a logarithm in units of 1/BehindUnit; 0 where it was not asked.
	Behind int16
}

// BehindUnit is what a natural logarithm of odds counts in ScoredMove.Behind.
const BehindUnit = 256

// Picker lists the moves to search, in stages, so that a cut-off by an early
// one spares the work of listing the rest.
type Picker interface {
	// Stage appends the moves of stage n = 0, 1, 2, ... and reports whether
	// there may be more stages. Over all stages it lists legal moves, each
	// once, and at least one if the game is not over. It may leave out moves
	// that are not worth a search; a loss that the search claims is then a
	// loss against the listed moves.
	Stage(n int, list []ScoredMove) (moves []ScoredMove, more bool)

	// Describe returns any legal move, listed or not, as Stage would list it.
	Describe(m game.Move) ScoredMove
}

// Prior judges the moves of a position better than the Picker's hints, at a cost
// that pays where many nodes follow; see Options.PriorDepth.
type Prior interface {
	// Rate sets Hint, on the Picker's scale, and Behind of the quiet moves of a
	// stage that the Picker has listed; it changes nothing else. What it sets is a
	// pure function of the moves and of what the position's Hash covers.
	Rate(moves []ScoredMove)
}

// Resistance tells moves apart that lose equally late, for the root alone.
type Resistance interface {
	// Resist returns how much the legal move m takes away of what the opponent
	// threatens: 0 for nothing, and more the better it is to have played it where
	// the opponent might overlook its win. It is a pure function of the move and of
	// what the position's Hash covers.
	Resist(m game.Move) int
}

// Quiescence lists the moves that decide whether a position at the horizon is
// quiet enough for its evaluation to be believed.
type Quiescence interface {
	// Noisy appends moves of a position depth = 0, 1, 2, ... plies below the
	// horizon in which nobody wins at once. Unless forced is true the side to
	// move may leave them all and take the evaluation; with forced, one of
	// them must be played, and if there is none the evaluation counts. There
	// must be a depth from which nothing is listed, or the moves must use
	// themselves up.
	Noisy(depth int, list []ScoredMove) (moves []ScoredMove, forced bool)
}

// Solver looks for a forced win of the side to move by means of its own.
type Solver interface {
	// Solve may play on the position, at most nodes times, and leaves it as it
	// was. depth is the remaining depth, 0 at the horizon. A win that it
	// reports holds against every legal defence.
	Solve(depth, nodes int) Solution
}

// Solution is what a Solver found out.
type Solution struct {
	Won   bool
	Move  game.Move // the first move of the win
	Plies int       // to the end of the game
	Nodes int       // moves played to find out

	// Line may hold the legal moves expected after Move, as many as are known
	// and fewer than Plies. It is the Solver's and valid until its next call.
	Line []game.Move
}

// Plain plugs in any game without knowing anything of it: every position is
// worth 0 until it is decided, and all moves are alike. It solves small games
// and is a twin for testing.
type Plain struct{}

// plainSlots is the number of slots that Plain spreads the moves over.
const plainSlots = 256

// Bind returns heuristics that know only the rules.
func (Plain) Bind(pos game.Position) (Heuristics, error) {
	p := &plainHeuristics{pos: pos, moves: make([]game.Move, 0, pos.MaxMoves())}
	return Heuristics{Position: pos, Evaluation: p, Picker: p, Slots: plainSlots}, nil
}

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
