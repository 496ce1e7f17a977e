package onitama

import (
	"math/bits"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/onitama"
)

// slots is the number of pairs of squares and, above them, the slot of passes.
const (
	passSlot = rules.Squares * rules.Squares
	slots    = passSlot + 1
)

// Hints, on the scale of alphabeta.HistoryRange.
const forwardHint = 256 // for each row towards the opponent

// picker lists the moves of a board; it implements alphabeta.Picker.
type picker struct {
	board  *rules.Board
	passes []game.Move // scratch
}

// Stage lists captures first, then all other moves.
func (p *picker) Stage(n int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	b := p.board
	side := b.ToMove()
	if n == 0 {
		return appendMoves(b, b.Pieces(side.Other()), alphabeta.Tactical, list), true
	}
	list = appendMoves(b, ^(b.Pieces(0) | b.Pieces(1)), alphabeta.Quiet, list)
	if len(list) > 0 {
		return list, false
	}
	p.passes = b.Moves(p.passes[:0])
	for _, m := range p.passes {
		if rules.IsPass(m) {
			list = append(list, p.Describe(m))
		}
	}
	return list, false
}

// Describe returns the legal move m as Stage would list it.
func (p *picker) Describe(m game.Move) alphabeta.ScoredMove {
	if rules.IsPass(m) {
		return alphabeta.ScoredMove{Move: m, Slot: passSlot}
	}
	kind := alphabeta.Quiet
	if p.board.Captures(m) {
		kind = alphabeta.Tactical
	}
	from, to := rules.MoveSquares(m)
	return scoredMove(m, from, to, p.board.ToMove(), kind)
}

// appendMoves appends the moves of the side to move to the squares within to.
func appendMoves(b *rules.Board, to uint32, kind alphabeta.Kind, list []alphabeta.ScoredMove) []alphabeta.ScoredMove {
	side := b.ToMove()
	for _, card := range b.Hand(side) {
		for rest := b.Pieces(side); rest != 0; rest &= rest - 1 {
			from := bits.TrailingZeros32(rest)
			for t := b.Targets(side, card, from) & to; t != 0; t &= t - 1 {
				sq := bits.TrailingZeros32(t)
				list = append(list, scoredMove(rules.NewMove(card, from, sq), from, sq, side, kind))
			}
		}
	}
	return list
}

// scoredMove describes the move m of side between two squares.
func scoredMove(m game.Move, from, to int, side game.Side, kind alphabeta.Kind) alphabeta.ScoredMove {
	rows := to/5 - from/5
	if side == game.Second {
		rows = -rows
	}
	return alphabeta.ScoredMove{
		Move: m,
		Slot: uint16(from*rules.Squares + to),
		Hint: int32(forwardHint * rows),
		Kind: kind,
	}
}
