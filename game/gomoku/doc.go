// Package gomoku holds the rules of the gomoku family: five in a row on a
// square board, free or exact, with blocked ends, renju's forbidden points, or
// captures. A rule set is a value of type Rules; there is one Board.
//
// Cells are numbered from the bottom left: cell = y*size + x, where x is the
// column (a is 0) and y the row number less one. A cell's number is also the
// game.Move that puts a stone there.
//
// # Representation
//
// A Board keeps the stones of either side as lines, one word for each row,
// column and diagonal (see words). A move changes four words of one side. The
// run of stones around a cell is then two bit scans, and a question about all
// cells of the board is answered two lines at a time: fives, for example,
// computes in some twenty instructions every cell of two lines that completes
// a winning run. Nothing else is kept up to date but the Zobrist key, so Play
// and Undo stay cheap and Wins reads the lines afresh.
//
// Letters used throughout: own and opp are the stones of the side in question
// and of its opponent in one line, empty the empty cells of that line, block
// the cells that block the end of a run, bit a cell's bit in a line, and lo
// and hi the two bits just outside a run.
//
// # Restrictions
//
// Cells that are empty but closed to the side to move (renju's forbidden
// points, double free-threes, the opening distance) are computed on the first
// question about the position, and only for the cells that have enough own
// stones around them. Legal asks about one cell only.
package gomoku
