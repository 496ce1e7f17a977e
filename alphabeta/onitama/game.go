// Package onitama plugs Onitama into the classical search: an evaluation,
// the moves in two stages, and captures for quiescence.
//
// The evaluation has a weight for each kind of piece on each cell, for each card
// that its side holds there and for the side card that comes to the side to move,
// and a few for what pieces reach, threaten and guard; all of them fade from an
// early weight to a late one as men are taken ([Weights]). They are fitted to
// games (package fit). For the five cards of a game their sums are made
// beforehand, so that an evaluation looks up one number a piece.
//
// The stages are captures, then everything else, passes among it. A move's slot
// is its two squares, whatever the card: what is learnt of a step holds for the
// cards that allow it.
//
// Two searches prove wins by all moves of both sides: [Prover] short ones, to growing
// depths, within the few moves that a leaf of a tree is worth, and [Solver] long ones, by
// depth-first proof-number search (Nagai, "Df-pn Algorithm for Searching AND/OR Trees and
// Its Applications", thesis, 2002) with a table of bounded size.
package onitama

import (
	"fmt"
	"math/bits"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/onitama"
)

// Game plugs Onitama into an alphabeta.Searcher. The zero value is ready.
type Game struct {
	Weights *Weights // of the evaluation; nil: FittedWeights
}

// lateMoves is how strongly late moves are reduced, in percent.
const lateMoves = 170

// Techniques are those that games speak for (TECHNIQUES.md). Reverse futility hides long
// wins.
func (Game) Techniques() alphabeta.Options {
	return alphabeta.Options{ReverseFutility: alphabeta.Off, LateMoves: lateMoves}
}

// Bind returns the heuristics that search from pos, which must be a Board of
// Onitama.
func (g Game) Bind(pos game.Position) (alphabeta.Heuristics, error) {
	b, ok := pos.(*rules.Board)
	if !ok {
		return alphabeta.Heuristics{}, fmt.Errorf("onitama: %T is not a board of Onitama", pos)
	}
	weights := g.Weights
	if weights == nil {
		weights = FittedWeights()
	}
	return alphabeta.Heuristics{
		Position:   b,
		Evaluation: newEvaluation(b, weights),
		Picker:     &picker{board: b, passes: make([]game.Move, 0, 2)},
		Quiescence: &quiescence{board: b},
		Slots:      slots,
	}, nil
}

// quiescence lists captures; it implements alphabeta.Quiescence. There are at
// most eight in a row.
type quiescence struct{ board *rules.Board }

// Noisy lists the captures. None is forced: a side may stand pat.
func (q *quiescence) Noisy(_ int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	b := q.board
	return appendMoves(b, b.Pieces(b.ToMove().Other()), alphabeta.Tactical, list), false
}

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
