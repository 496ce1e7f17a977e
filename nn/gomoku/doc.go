// Package gomoku turns gomoku positions into the input of a network: the input
// planes, the policy's action indices and the cache key. [Encoder], version 1 of
// the planes, is an nn.Encoder for one rule set and board size.
//
// # Layout
//
// Cell c = y*size + x of the board stands at row y, column x of every plane
// [size, size], row "1" first, and the policy index of a move is its cell; a
// symmetry s carries both to gomoku.Transform(size, s, c). [PlaneNames] and
// [GlobalNames] list the inputs in order. Own and opponent are seen from the
// side to move.
//
// The position is Markov: no plane reads the history, so positions that were
// reached in different orders share a key.
//
// # Definitions
//
// Let S be either side and T the other. S is treated as if it were to move.
//
// The line rule says which runs win. A run is the longest unbroken sequence of
// S's stones through a cell in one of the four directions; an end of it is
// blocked if the next cell holds T's stone and the rules have OpponentBlocks,
// or lies beyond the edge and the rules have EdgeBlocks. A run of exactly five
// wins unless both of its ends are blocked. A longer run wins unless the rules
// are Exact for S. Shorter runs never win.
//
// An empty cell is allowed to S if gomoku.Board.AllowedFor says so: it is not
// one of the forbidden points of renju for a restricted S, nor one of the
// double-threes of school42. (The opening restriction counts too, but holds on
// boards of two stones, which have no points and no captures.)
//
// W(S) is the set of empty cells, allowed or not, where S's stone becomes part
// of a winning run. W depends on the lines alone: the stone is placed and nothing
// else changes. Captures that it makes are not removed, captures in reply are
// ignored, and cells that would be forbidden (a double-three of school42 that makes
// a five) stay in W.
//
//   - Five point of S: an empty cell, allowed to S, that is in W(S), or, under
//     the capture rule, where S's stone captures so many stones that S has
//     taken ten or more.
//   - Four point of S: an empty cell c, allowed to S, such that with S's stone
//     on c some cell is in W(S) that was not in W(S) before. A cell that was in
//     W(S) by one line and now is by two does not count.
//   - Open-four point of S: an empty cell c, allowed to S, such that with S's
//     stone on c, W(S) is not empty, and is still not empty after any one stone
//     of T on any other empty cell. T's stone may be one that T is not allowed
//     to play.
//
// The definitions apply literally. The three sets overlap: a five point can be a
// four point and an open-four point as well. A side that already has two five points
// that no single stone removes has an open-four point in every allowed cell that does
// not spoil them. Taking the tenth stone makes a five point, never a four point or an
// open-four point. A stone of T removes a cell from W(S) by standing on it or, with
// OpponentBlocks, by blocking the second end of the five; it may remove several cells
// at once.
//
// Consequences for each rule set:
//
//   - freestyle, and white in renju: five or more; only the cell itself is a defence.
//   - standard, and black in renju: exactly five, so S's own stone next to the
//     run spoils it, and a stone can take cells out of W. Black's cells that
//     make exactly five are always allowed.
//   - caro, caro-edge: exactly five and not blocked at both ends; caro-edge
//     counts the edge as a block, so that near it one stone of T beyond the
//     other end is one too.
//   - caro-overline, caro-edge-overline: a five as there, and six or more
//     always.
//   - school42: five or more, never blocked; whether a capture could break the
//     five is left out.
//
// A stone of S is capturable if T could take it by one stone on an empty cell
// allowed to T: it belongs to a pair, exactly two stones of S in a row, which
// T's stone and one already there enclose. Without the capture rule none is.
//
// The plane of forbidden cells holds the empty cells that the side to move may
// not play: gomoku.Board.Forbidden, the opening restriction at the third stone
// included.
//
// All of this is a function of the stones, the side to move and the captured counts,
// also for finished games.
//
// # Method
//
// A pattern.Board keeps the points up to date while moves are played, and the encoder
// copies them. It first copies a plain board to a pattern.Board of its own. The tests
// compute the same planes cell by cell from the definitions, and compare them bit for bit.
package gomoku
