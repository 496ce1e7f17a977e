// Package onitama holds the rules of Onitama: cards and deals, a board that is
// a [game.Position], text notation and diagrams.
//
// # Board
//
// The board has 5x5 squares, numbered 5*y + x with x = 0..4 for the columns
// a..e and y = 0..4 for the rows 1..5; a set of squares is the low 25 bits of a
// uint32. Both sides use these absolute coordinates. The first player's master
// starts on c1 between four students, the second player's on c5; these two
// squares are the temples.
//
// A move uses one of the mover's two cards to move one own piece by one of the
// card's vectors, which are turned by half a turn for the second player. It may
// jump, it may capture, and it may not land on an own piece. The card then
// becomes the side card and the side card goes to the mover's hand. Who takes
// the enemy master wins (reason [game.Capture]), and so does who puts the own
// master on the enemy temple (reason [game.Stream]); a move that does both
// counts as a capture. A side that cannot move a piece passes, and chooses
// which card to exchange; nobody passes otherwise. There are no draws and no
// rule against repetition: a game has no bound, and matches set a limit.
//
// # Moves
//
// A [game.Move] of a piece is 625*card + 25*from + to, with the cards numbered
// from 0; the pass that exchanges card is 625*[Cards] + card. All are less than
// [MoveCount].
//
// # Cards
//
// Beside the base game there are the cards of the expansion Sensei's Path; a [Deck] says
// what is dealt from. The cards of Way of the Wind are left out, since they move a
// spirit of their own; so are Goat and Sheep, of which only the vectors are known here
// and not the stamps, and other promotional cards.
//
// # Who starts
//
// At the table the two players are Blue and Red, and the stamp of the first
// side card says whose turn it is. Here the first player, [game.First], is
// whoever moves first, so a deal written `first/second/side` has the first
// hand move first whatever the stamp; its colour at the table is
// [Deal.FirstColour]. [RandomDeal] deals to the colours and lets the stamp decide who
// is first. The colours do not matter otherwise: the board is symmetric.
package onitama
