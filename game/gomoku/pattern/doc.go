// Package pattern computes, for every empty cell of a gomoku board and both sides, what
// a stone there would make: a five, an open four, a four and a three, a forbidden move.
// A [Board] is a gomoku position that updates this incrementally in Play and Undo.
//
// # Line patterns
//
// Let S be a side, c an empty cell and d a direction, and let S put a stone on c. The
// definitions consider moves on this line only: further stones of S, and stones of the
// opponent as replies.
//
//   - A completing cell of c is an empty cell of the line where one more stone
//     of S makes a winning run, by S's line rule, that c is part of. The line
//     rule is that of gomoku.Rules: five or more, exactly five, ends blocked by
//     stones or by the edge.
//   - FiveLine: the run through c wins.
//   - Foul, only for a side that renju restricts: the run through c is longer
//     than five, or c is part of two fours in this line that are no straight
//     four, such as XXX.X.XXX with c in the middle.
//   - StraightFour: completing cells of c are there, and at least one is left
//     after any one stone of the opponent on the line. For a restricted side
//     this is a straight four in the words of renju, because two fours are a
//     Foul.
//   - SimpleFour: completing cells are there, and some one reply takes them
//     all away.
//   - OpenThree, OpenTwo: one, two further stones of S on the line make it a
//     StraightFour of which c is part, and no fewer do. Stones that make it a
//     Foul on the way do not count.
//   - ClosedThree, ClosedTwo: the same with a SimpleFour.
//   - Dead: everything else, an overline that does not win included.
//
// If several apply, the one with the greatest number holds: OpenThree before
// ClosedThree, and that before OpenTwo and ClosedTwo. Consequences:
//
//   - freestyle, school42, white in renju: five or more, and only the
//     completing cell itself is a defence. X.XXX.X is a StraightFour.
//   - standard, and black in renju: exactly five. X.XXX.X is a StraightFour in
//     standard and a Foul for black.
//   - caro and its variants: a four next to a blocked end has a second defence,
//     the cell beyond the other end, and one stone may take two completing
//     cells at once; a four that would be blocked at both ends is Dead. Only in
//     the edge variants does the edge block. With -overline longer runs win.
//
// # Classes
//
// The [Class] of a cell combines its four lines regardless of their order. Two
// completing cells on different lines through c are different cells, and no one
// reply takes both away; so OpenFour and DoubleFour are exactly the cells that
// leave completing cells which no one reply takes away, as long as the side had
// none before. Where it had, a four need not be new, and an open four may be
// due to what was there: [Board.Threats] resolves that by geometry.
//
// Restrictions. An overline and two fours close a cell by its own lines, so
// renju's Forbidden is stored. Whether two open threes do depends on other
// cells, by a recursive definition; such a cell is stored as Suspect, and
// [Board.Class] asks gomoku.Board.AllowedFor, as it does for the double
// free-threes of school42.
//
// # Method
//
// A line of the board is one word of two bits a cell, with walls around. The
// pattern of a cell depends on the four (where five or more win) or five cells
// on either side, which a shift brings to the low bits of the word: its key.
// Each arm of the key has 364 possible contents, or 121; two small maps number
// them, and one table of 364*364 bytes holds the patterns of both sides. The
// table is generated from the definitions above, once for each pair of line
// rules, in less than a tenth of a second.
//
// The table's shapes are finer than Lines: they distinguish open twos and threes by the
// number of continuations, and single stones from dead lines. Fourteen shapes on four
// lines have 2,380 combinations regardless of order, the codes. [Values] give a value to
// each code, and to each pair of both sides' classes at a cell; the board keeps the sums
// of these values for an evaluation.
//
// A stone changes the patterns of some thirty cells, each in one direction. The
// new class follows from a table of all quadruples of lines. Every cell that
// changes is pushed with its old state, and Undo pops.
package pattern
