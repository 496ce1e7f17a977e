package gomoku

import (
	"fmt"

	"github.com/carozero/carozero/game"
)

// Setup is a position given by its stones.
type Setup struct {
	Stones   []Stone // by cell, size*size of them
	ToMove   game.Side
	Captured [2]int // stones taken, by the side that took them
}

// SetupPart is a part of a [Setup].
type SetupPart uint8

// The parts of a setup.
const (
	StonesPart SetupPart = iota
	ToMovePart
	CapturedPart
)

// SetupError says which part of a setup makes it impossible, and why. It wraps
// ErrIllegal.
type SetupError struct {
	Part SetupPart
	Why  string
}

func (e *SetupError) Error() string { return fmt.Sprintf("%v setup: %s", ErrIllegal, e.Why) }

// Unwrap returns ErrIllegal.
func (e *SetupError) Unwrap() error { return ErrIllegal }

func impossible(part SetupPart, format string, args ...any) error {
	return &SetupError{Part: part, Why: fmt.Sprintf(format, args...)}
}

// Turn returns the side to move by the number of stones placed, captured ones
// included: First after equal numbers, Second after one more of First's. It does not
// look at ToMove. The error is a [SetupError] about ToMovePart.
func (s Setup) Turn() (game.Side, error) {
	var placed [2]int
	for _, stone := range s.Stones {
		if stone != Empty {
			placed[stone.Side()]++
		}
	}
	placed[game.First] += s.Captured[game.Second]
	placed[game.Second] += s.Captured[game.First]
	switch placed[game.First] - placed[game.Second] {
	case 0:
		return game.First, nil
	case 1:
		return game.Second, nil
	}
	return game.First, impossible(ToMovePart, "%d stones of first and %d of second do not tell whose turn it is",
		placed[game.First], placed[game.Second])
}

// NewSetup returns the board of a setup; any numbers of stones are accepted. A
// setup with a winning line, ten captured stones or no legal move is over. The error
// wraps ErrRule or ErrSize, or is a [SetupError].
func NewSetup(r Rules, size int, s Setup) (*Board, error) {
	b, err := New(r, size)
	if err != nil {
		return nil, err
	}
	if len(s.Stones) != b.geo.cells {
		return nil, fmt.Errorf("%w: a setup of %d cells; a board of %dx%d has %d",
			ErrSize, len(s.Stones), size, size, b.geo.cells)
	}
	if s.ToMove > game.Second {
		return nil, impossible(ToMovePart, "side %d to move; there are first and second", s.ToMove)
	}
	if err := b.setCaptured(s.Captured); err != nil {
		return nil, err
	}
	for cell, stone := range s.Stones {
		switch stone {
		case Empty:
		case FirstStone, SecondStone:
			b.put(stone.Side(), cell)
		default:
			return nil, impossible(StonesPart, "cell %d holds %d; a cell is empty (0) or holds a stone of first (1) or "+
				"second (2)",
				cell, stone)
		}
	}
	b.setup = b.stones
	b.toMove = s.ToMove
	b.key = keys.of(b)
	b.closed.known = false
	b.end(game.Undecided, game.NoReason)
	if err := b.settleSetup(); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *Board) setCaptured(captured [2]int) error {
	for side, n := range captured {
		switch {
		case n != 0 && !b.rules.Captures:
			return impossible(CapturedPart, "%v has captured %d; nothing is captured under %s",
				game.Side(side), n, b.rules.Name)
		case n < 0 || n > maxCaptured || n%2 != 0:
			return impossible(CapturedPart, "%v has captured %d; pairs are captured, at most %d stones",
				game.Side(side), n, maxCaptured)
		}
	}
	b.captured = captured
	return nil
}

// settleSetup computes the outcome of a setup as if the side not to move had
// just moved.
func (b *Board) settleSetup() error {
	mover, next := b.toMove.Other(), b.toMove
	full := [2]bool{b.captured[0] >= WinningCaptures, b.captured[1] >= WinningCaptures}
	line := [2]bool{b.standing(game.First), b.standing(game.Second)}
	switch {
	case full[0] && full[1]:
		return impossible(CapturedPart, "both sides have captured %d stones; one at most can have", WinningCaptures)
	case full[mover]:
		b.end(game.WinFor(mover), game.Capture)
	case full[next]:
		b.end(game.WinFor(next), game.Capture)
	case line[0] && line[1]:
		return impossible(StonesPart, "both sides have a winning line; one at most can have")
	case line[next]:
		b.end(game.WinFor(next), game.Line)
	case line[mover] && b.rules.Captures && b.breakable(mover):
		b.pending = true
		b.settleMoves()
	case line[mover]:
		b.end(game.WinFor(mover), game.Line)
	default:
		b.settleMoves()
	}
	return nil
}

// standing reports whether side has a winning run anywhere.
func (b *Board) standing(side game.Side) (found bool) {
	b.winningRuns(side, func(int, int, uint, uint) bool {
		found = true
		return false
	})
	return found
}
