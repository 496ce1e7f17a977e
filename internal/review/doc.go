// Package review judges the moves of a game by the expected result that each gives away.
//
// An engine's opinion of every position of the game, a [Turn] each, comes from outside. The
// expected result of a side is its win rate, in which a draw counts as half a win. A move's
// loss is that of the side that made it, from the position before the move to the one after
// it, never less than 0. By its loss a move has a [Class]:
//
//	best        the engine's own move, or a loss below 1%
//	good        below 5%
//	inaccuracy  from 5%
//	mistake     from 10%
//	blunder     from 20%
//
// The accuracy of a move is what lichess.org makes of its loss in percent,
//
//	103.1668 exp(-0.04354 loss) - 3.1669, in 0..100,
//
// and that of a side the mean of its moves, without those that no player chose.
//
// [Judge] makes the [Report], which becomes a page of its own ([Report.WritePage]) or
// comments and variations of a record ([Report.Annotate]). The command "review" and the page
// of package web both come here.
package review
