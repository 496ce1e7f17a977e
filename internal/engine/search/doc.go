// Package search holds the implementations of [engine.Engine]: [Tree], the PUCT search with
// a network, [Classical], the principal variation search with solvers beside it, and [Both],
// in which the two think about one move.
//
// # Both searches
//
// One budget is divided. A budget in playouts gives the classical half its share, at a rate
// of moves played to a playout ([BothSettings]); a clock gives each half its share of the
// time on one thread, and all of it to both on two (rounds.go). The halves meet after rounds
// that playouts and nodes delimit, or slices of the clock. A half that pauses goes on as if
// it had not, to the node and the playout, so that meeting costs nothing. With a budget in
// playouts the answer is the same with one thread and with two, on any machine.
//
// At a meeting each half is told what the other has found:
//
//   - The tree's root gives a part of its prior to the classical half's best move
//     ([mcts.Searcher.Advise]). So an unvisited move is opened, and one that the network
//     doubts gets playouts. Only the root is advised: see there.
//   - The classical half searches the tree's most visited moves right after its best one, so
//     that they are reduced less; those that the tree has proven to lose come last.
//
// Values are not exchanged: the classical half's last score is a better centre of its window
// than the tree's mean, which is on another scale, and a tree into whose means another
// search's values are mixed can be neither continued nor proven. They meet in the decision.
//
// A proof of the tree is a proof for both. A win or loss that the classical half claims is
// never a proof for the tree: it decides a move, and an answer calls it claimed.
//
// # The check and the decision
//
// A quarter of the classical half's budget is kept for the end (decide.go). If both halves
// have the same move, the classical one searches on with it. If not, it searches the
// position after the tree's move; if the opponent is claimed to win there, the move is
// refuted, and the classical half's move is played unless that is claimed to lose too: then
// the tree's next move is checked, three at most. The classical half's move, before it is
// played, is asked about by the tree's solver, as the tree's own is.
//
// Of two moves that are left, neither proven nor refuted, one is chosen by four numbers
// ([weights]). Under the rules of caro internal/dev/weigh has fitted them to positions that
// searches of twenty times the budget have judged; elsewhere, where the classical search is
// the stronger, its half's move is played. [engine.Halves] says whose move was played and
// why. What this is worth is told in mcts/TECHNIQUES.md.
package search
