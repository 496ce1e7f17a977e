// Package onitama turns Onitama positions into the input of a network: version
// 2 of the input planes, the policy's action indices and the cache key. Its
// [Encoder] is an nn.Encoder.
//
// # View
//
// Everything is seen by the side to move: for the second player the board is
// turned by half a turn, so that the own temple is always c1 and forward is
// always up. Square s = 5*y + x stands at row y, column x of every plane [5, 5],
// the mover's first row first.
//
// # Planes and globals
//
// [PlaneNames] and [GlobalNames] list the inputs in order. A card's plane marks the
// squares to which its vectors lead from c3: for the mover's cards and the side card
// in the mover's direction, for the opponent's cards in the opponent's. Of two cards in
// a hand the one whose set of squares, as its holder sees it and square s being bit s, is
// the smaller number comes first. So nothing depends on which cards exist: a network can
// be given cards that it has never met. The globals count men.
//
// # Actions
//
// The policy has 50 planes of 25 squares. Plane 25*k + 5*(dy+2) + (dx+2), at the
// square where the piece stands, is the step by dx columns and dy rows, as the
// mover sees them, with the first (k = 0) or the second card (k = 1) of the hand;
// no card has the vector 0,0, whose place at the own master's square is the pass
// that exchanges the card.
//
// # Symmetry
//
// Symmetry 1 mirrors the columns and mirrors every card's vectors. The result is the
// input of an equivalent position, whether or not a card with those vectors exists.
package onitama
