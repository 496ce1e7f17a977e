// Package alphabeta searches a game tree to growing depths with alpha-beta and
// the techniques that chess engines have found to go with it. It knows a game
// through [game.Position] and the [Heuristics] that a [Game] binds to it:
// [Evaluation], [Picker], [Quiescence], [Solver] and [Prior].
//
// # The search
//
//   - deepen (deepen.go): iterations of depth d = 1, 2, ..., each started in a
//     window around the score of the last, widened until the score lies within.
//     With several lines wanted, each is searched without the moves of those
//     before it (root.go).
//   - search (search.go): a node at ply p with depth d left has a window
//     alpha..beta; scores are from its side to move, and a child is searched
//     with -beta..-alpha. The first move gets the whole window, the others an
//     empty one (alpha..alpha+1), and the whole one only if they turn out
//     better. A score of beta or more is a cut-off.
//   - quiesce (quiesce.go): at d = 0 the side to move takes the evaluation or
//     a noisy move, until no noisy move is left.
//
// Every node is first asked whether the game is over or can be won at once;
// a win at once is never searched for. Then, in this order: table, reverse
// futility (prune.go), solver, internal reduction, moves.
//
// # Techniques
//
// Each is a field of [Options] and can be switched off by itself. Sound, that
// is without influence on the value of a search to a fixed depth, are Scout,
// Aspiration, the table and all that orders moves. The others look away from
// something:
//
//   - Less depth: LateMoves for quiet moves late in the order, the more the
//     less is thought of them, by a Prior too (PriorReduction); InternalReduction where the table has no move.
//   - No search at all: LatePruning for single moves, ReverseFutility for whole
//     nodes, but with Threads for none that Evaluation.Quiet says no of.
//   - More depth: Extensions for defences that are forced.
//
// Improving sharpens these by how the evaluation has changed on the way here.
// Nearly all of them come from chess programs, where the literature names them
// as here; the formulas are in place. What is measured in units of evaluation
// goes back to [Evaluation].Margin.
//
// # Files
//
// In the order in which a search goes through them:
//
//   - what goes in: game.go, score.go, options.go, limits.go
//   - the threads: searcher.go, threads.go, abdada.go, worker.go
//   - the search: deepen.go, root.go, search.go, quiesce.go
//   - what a node asks: table.go, prune.go, order.go
//   - what comes out: result.go
//
// # Letters and fields
//
// alpha, beta: the window. ply: moves from the root. depth: plies left, at the
// root the number of the iteration. pv: the node lies on a principal variation.
// cut: it is expected to score beta or more. count: the number of a move at its
// node, from 1. A cut-off by the first move says that the order was good.
//
// # Order of moves
//
// order.go hands out the table's move, then the game's stages one by one. What
// is learnt reorders the quiet moves of a stage: history by side and slot,
// continuation history by the slots of the moves one, two and four plies before.
// Each figure is drawn back by its own size when it is changed and so stays
// within HistoryRange. What was learnt is kept from search to search, at half
// its size. Where a node has PriorDepth plies left or more, a Prior's hints take the
// place of the Picker's.
//
// # Scores are claims
//
// A score beyond every evaluation says "win in n plies" or "loss in n plies".
// That is a claim, not a proof: reductions, margins, a Picker that
// leaves moves out, and a table that knows positions by a part of their hash
// all stand behind it. What must be proven has to be replayed against every
// legal defence by someone else. With [Options.Exhaustive], a Picker that lists
// every move, and no table, a claim is exact.
//
// Games without an end (Onitama has no rule against repetition) are searched
// as they are: a repeated position is searched again.
//
// # Lost positions
//
// The opponent may overlook its win. So the root takes the move of the longest loss,
// and of equal ones the one of the greatest [Resistance]: beside a loss the window of
// a move that resists more is a unit wider, so that as good a score shows (root.go).
// After an iteration that ends in a loss all other moves are known to lose no later.
// Where the Picker had a single move, or fewer than lines are wanted, the rest is
// searched too.
//
// # Table
//
// table.go keeps 12 bytes for a position in clusters of a cache line, without
// locks: score, bound, depth, move and evaluation. A Solver's win is kept as
// deeper than any search. A mixed-up entry fails its check; a move that is not
// legal in the position found is dropped, and counted in Stats.TableCollisions.
//
// # Threads
//
// threads.go is the only place that starts goroutines. They share the table, the
// control of limits, in abdada.go the moves that are being searched, which the
// others defer (ABDADA), and the nodes that each is in, which it leaves when
// another has finished them; all else, the history among it, is each one's own.
// On principal variations too a thread takes an exact result from the table:
// without that, every thread would search them all itself. With one thread the
// search is a function of position, options, limits in depth and nodes, and what
// is kept of the searches since Clear.
//
// # Time
//
// [Limits] hold a hard limit, which is looked at about every half millisecond, and
// a soft one, which the time manager stretches while the best move changes or its
// score falls (limits.go). Searcher.Ponder is for the opponent's time.
//
// # Memory
//
// The search allocates per search, never per node: the moves of all nodes on
// the path lie one after the other in an arena, and frames and lines are arrays.
// A machine hands out the memory of a table page by page, when it is first written
// to, which slows a search down: Searcher.Prepare and Searcher.Resize write to it
// beforehand, Searcher.FinishResize a little at a time.
package alphabeta
