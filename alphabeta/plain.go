package alphabeta

import "github.com/carozero/carozero/game"

// Plain plugs in any game without knowing anything of it: every position is
// worth 0 until it is decided, and all moves are alike. It solves small games
// and is a twin for testing.
type Plain struct{}

// plainSlots is the number of slots that Plain spreads the moves over.
const plainSlots = 256

// Bind returns parts that know only the rules.
func (Plain) Bind(pos game.Position) (Parts, error) {
	p := &plain{pos: pos, moves: make([]game.Move, 0, pos.MaxMoves())}
	return Parts{Position: pos, Evaluation: p, Picker: p, Slots: plainSlots}, nil
}

type plain struct {
	pos   game.Position
	moves []game.Move
}

// Evaluate returns 0.
func (*plain) Evaluate() Score { return 0 }

// Margin returns 0: unknown.
func (*plain) Margin(int) Score { return 0 }

// Quiet returns true: nothing is known.
func (*plain) Quiet() bool { return true }

// Stage lists all legal moves at once.
func (p *plain) Stage(_ int, list []Entry) ([]Entry, bool) {
	p.moves = p.pos.Moves(p.moves[:0])
	for _, m := range p.moves {
		list = append(list, p.Describe(m))
	}
	return list, false
}

// Describe returns a quiet move without a hint.
func (*plain) Describe(m game.Move) Entry {
	return Entry{Move: m, Slot: uint16(m % plainSlots)}
}
