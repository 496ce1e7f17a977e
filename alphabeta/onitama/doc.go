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
