// Package bookbuild grows an opening book by drop-out expansion (T. R. Lincke, Strategies
// for the Automatic Construction of Opening Books, CG 2000, LNCS 2063, 2001).
//
// The book below a root is a graph. An expanded position has its successors in the book,
// at least the good ones; the others are leaves. The cost of a leaf is that of the
// cheapest way to it from the root:
//
//	cost = sum over the moves of (value of the best move - value of the move) + penalty
//
// Each step expands the cheapest leaf: the line that a player leaves the book by with the
// least loss. So good lines become deep and bad ones end early, and the penalty of a move
// says how much worse a move may be to be looked at as far as a better one that is a ply
// deeper.
//
// To expand a leaf, both engines are asked for its best moves, and then for the value of
// each position after one of them. Where they differ by more than a bound, both are asked
// again with a larger budget. A leaf is worth the mean of both; an expanded position what
// its best successor leaves it, which is written into the book too, as a value of the
// engine "minimax".
//
// Everything that the next step depends on is in the book, and steps are taken in batches
// of a fixed number of leaves, each batch written as one. So a build may be killed at any
// moment and goes on where it was, and its content is the same for any number of workers.
package bookbuild
