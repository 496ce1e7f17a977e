// Package record holds recorded games as trees of moves, and reads and writes
// them in the forms in which people and other programs keep them:
//
//   - SGF, versions 3 and 4 (red-bean.com/sgf): everything that a [Tree] holds;
//   - psq, the file of one game that Piskvork saves;
//   - lib, the library of RenLib: a tree of moves with comments and texts on a
//     board of 15x15;
//   - text, one game a line in the notation of the program.
//
// [Detect] tells the form of a file by its content. A [Reader] hands out one tree
// after the other and has one of them in memory; [Parse] collects them. [Write]
// writes trees and says in a [Loss] what the form could not hold.
//
// The package knows no rules: [Tree.Replay] plays a tree on a board that the
// caller gives. What it reads may be anybody's: sizes, depths and numbers of nodes
// are bounded, nothing recurses, and every error is one line that says where.
//
// A cell of a board is numbered row by row from the bottom left, as the moves of
// gomoku are; files that count rows from the top are turned over while they are
// read.
package record
