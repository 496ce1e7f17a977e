// Package onitama plugs Onitama into the classical search: an evaluation with
// a few weights, the moves in two stages, and captures for quiescence.
//
// The evaluation is the sum, own less the opponent's, of students, the squares
// that the pieces reach with the cards of their hand, how central the students
// stand and how near the master is to the temple it wants; and a little for
// having the move. The stages are captures, then everything else, passes among
// it. A move's slot is its two squares, whatever the card: what is learnt of a
// step holds for the cards that allow it.
package onitama
