// Package gomoku plugs the gomoku family into the classical search: an
// evaluation with fitted weights, moves in stages, and a solver of continuous
// fours. All of it reads the line patterns that pattern.Board keeps up to date.
//
// # Evaluation
//
// The score is linear in features, each with a weight for the beginning of a
// game and one for its end, between which the number of stones moves (see
// [Weights]). The features are the empty cells of either side by their
// combination of four lines (pattern.Board.Code), and by what both sides make
// there (pattern.Board.LineClass), of which the board keeps the weighted sums;
// how many cells of each class either side has, up to a number beyond which more
// of them add nothing; the strongest threats that both sides have (see
// levels.go); and, where stones are captured, what has been taken and can be
// taken next.
// [Features] lists them for a position, the slow way that a fit uses.
//
// # Moves
//
// Picker lists the defences against what the opponent threatens first. Against a
// five or an open four in one move, only what may still save the side to move is
// listed: defence.go has the arguments why the rest loses. Otherwise it lists the
// cells near stones. An [Order] fitted to the moves of searches says which are
// likely to be best.
//
// # Fours
//
// At every node the solver looks for a win by fours alone, with more moves the
// more depth is left; fours.go says how it differs from package vcf, and
// capturefours.go does the same where stones are captured, within a share of all
// nodes.
//
// # Renju
//
// A four whose only gap is forbidden to Black wins at once, though the lines do not
// say so: trap.go. The evaluation knows neither these nor where Black may not stop an
// open three, so that evaluation.Quiet keeps margins away from both.
//
// # Captures
//
// Where stones are captured lines alone do not say which threats stand. There
// evaluation.Quiet keeps margins away from threats; fours, captures and what
// weakens the opponent's open fours are tactical moves, which are never pruned;
// and quiescence goes on under a five that must be broken.
package gomoku
