// Package crosscheck runs two engines over the same positions and finds out,
// where they disagree, whether one of them is provably wrong.
//
// Each position is searched by the tree search (MCTS) and by the classical
// search (alpha-beta), each from nothing, with a fixed budget. Where they play
// the same move the verdict is Agree. Where they do not, each is given more:
// the solvers of forced wins look for a win in the position and for the
// opponent's win after either move, alpha-beta searches the position after
// either move, and MCTS the position itself, with several times their budgets.
//
// # What convicts and what acquits
//
// Only a proof convicts: a forced win replayed through the rules against every
// legal defence (package alphabeta/vcf/proof). A mate score, a proven node of a
// tree and a solver's answer are claims. Claims acquit. So a verdict of blunder
// is certain, and its proof is in the row; what is not certain is Differ.
//
// A move is a blunder
//
//   - if it loses: the opponent has a proven win after it. It is none where the
//     other engine's move loses too, as proven or as alpha-beta claims, unless
//     alpha-beta, looking deeper, sees a move that does not lose: then both
//     blundered.
//   - if it misses a win: its side had a proven win, and after the move the
//     opponent has a reply to which no win is left, and neither engine, looking
//     deeper, claims that the move wins all the same. A move that keeps a win,
//     by a longer way too, is no blunder.
//
// Proofs by the solvers exist in gomoku; in every game a move that ends the
// game is a proof of itself.
//
// # Order and repetition
//
// Workers judge positions in any order; rows are written in the order of the
// input, and each is a function of its position and the options alone.
package crosscheck
