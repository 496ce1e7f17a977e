package onitama

import (
	"math/bits"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/onitama"
)

// Weights of the evaluation, in hundredths of a student.
const (
	studentWeight  = 100
	mobilityWeight = 4  // a square that one piece reaches with one card
	centreWeight   = 3  // a student's step nearer to the centre, counted from the corner
	templeWeight   = 8  // a master's step nearer to the temple it wants
	tempoWeight    = 12 // having the move
)

// evaluation implements alphabeta.Evaluation for a board.
type evaluation struct {
	board  *rules.Board
	places places
}

// places holds what a square is worth to the piece on it.
type places struct {
	student [rules.Squares]int
	master  [2][rules.Squares]int // by side
}

func newPlaces() places {
	var p places
	for sq := range rules.Squares {
		x, y := sq%5, sq/5
		p.student[sq] = centreWeight * (4 - distance(x, y, 2, 2))
		p.master[game.First][sq] = templeWeight * (4 - distance(x, y, 2, 4))
		p.master[game.Second][sq] = templeWeight * (4 - distance(x, y, 2, 0))
	}
	return p
}

// distance returns the steps of a king's walk, plus the columns to cross, so
// that the middle of the board is preferred.
func distance(x, y, toX, toY int) int {
	dx, dy := abs(x-toX), abs(y-toY)
	return max(dx, dy)
}

func abs(n int) int { return max(n, -n) }

// Evaluate returns the worth of the board to its side to move.
func (e *evaluation) Evaluate() alphabeta.Score {
	side := e.board.ToMove()
	return alphabeta.Score(tempoWeight + e.of(side) - e.of(side.Other()))
}

// Margin returns half a student and a third for each ply: quiet moves shift
// mobility and places only, but a student may fall at the end of them.
func (*evaluation) Margin(depth int) alphabeta.Score {
	return alphabeta.Score(50 + 35*depth)
}

// Quiet returns true: what may fall next is within the margin, and wins at once
// are never left to it.
func (*evaluation) Quiet() bool { return true }

// of returns the worth of side's pieces.
func (e *evaluation) of(side game.Side) int {
	b := e.board
	own := b.Pieces(side)
	hand := b.Hand(side)
	king := b.Master(side)
	sum, reach := e.places.master[side][king], 0
	for rest := own; rest != 0; rest &= rest - 1 {
		sq := bits.TrailingZeros32(rest)
		reach += bits.OnesCount32(b.Targets(side, hand[0], sq)&^own) +
			bits.OnesCount32(b.Targets(side, hand[1], sq)&^own)
		if sq != king {
			sum += studentWeight + e.places.student[sq]
		}
	}
	return sum + mobilityWeight*reach
}
