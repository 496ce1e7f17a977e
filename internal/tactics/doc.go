// Package tactics keeps a suite of positions of the gomoku family whose forced
// wins, or lack of them, are proven, runs solvers over it, and finds new
// positions in recorded games.
//
// A win in the suite has been played against every legal defence through the
// plain rules (alphabeta/vcf/proof). "none" says that the search for a win of
// that kind was exhausted.
//
// All of it is about gomoku: the rules are a [gomoku.Rules], and every position is
// a [Board] from the start, so that no type of a position is asserted.
package tactics

import "github.com/carozero/carozero/game/gomoku"

// Board is what engines are asked about: a position that they may play on.
type Board = gomoku.Board
