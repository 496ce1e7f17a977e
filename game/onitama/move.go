package onitama

import "github.com/carozero/carozero/game"

// Squares is the number of squares of the board.
const Squares = 25

// NoSquare stands for the square of a master that has been captured.
const NoSquare = Squares

// MoveCount is one more than the largest move: moves of pieces come first,
// then the passes.
const MoveCount = firstPass + Cards

// firstPass is the pass that exchanges card 0.
const firstPass = Cards * Squares * Squares

// NewMove returns the move of the piece on from to the square to with card.
func NewMove(card Card, from, to int) game.Move {
	return game.Move((int(card)*Squares+from)*Squares + to)
}

// NewPass returns the pass that exchanges card.
func NewPass(card Card) game.Move { return firstPass + game.Move(card) }

// IsPass reports whether m, a move less than MoveCount, is a pass.
func IsPass(m game.Move) bool { return m >= firstPass }

// MoveCard returns the card that the move m, less than MoveCount, exchanges.
func MoveCard(m game.Move) Card {
	if IsPass(m) {
		return Card(m - firstPass)
	}
	return Card(m / (Squares * Squares))
}

// MoveSquares returns where m, which is no pass, takes a piece from and to.
func MoveSquares(m game.Move) (from, to int) {
	return int(m) / Squares % Squares, int(m) % Squares
}
