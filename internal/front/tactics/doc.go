// Package tactics keeps a suite of positions of the gomoku family whose forced
// wins, or lack of them, are proven, runs solvers over it, and finds new
// positions in recorded games.
//
// A win in the suite has been played against every legal defence through the
// plain rules (alphabeta/vcf/proof). "none" says that the search for a win of
// that kind was exhausted.
//
// All of it is about gomoku, and its positions are boards of gomoku from the
// start. Engines are asked about a [game.Position], which they may play on.
package tactics
