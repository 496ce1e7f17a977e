// Package alphabeta searches a game tree to growing depths with alpha-beta and
// the techniques that chess engines have found to go with it. It knows a game
// through [game.Position] and the [Heuristics] that a [Game] binds to it:
// [Evaluation], [Picker], [Quiescence], [Solver], [Endgames] and [Prior].
//
// # The search
//
//   - deepen (root.go): iterations of depth d = 1, 2, ..., each started in a
//     window around the score of the last, widened until the score lies within.
//     With several lines wanted, each is searched without the moves of those
//     before it (root.go).
//   - search (search.go): a node at ply p with depth d left has a window
//     alpha..beta; scores are from its side to move, and a child is searched
//     with -beta..-alpha. The first move gets the whole window, the others an
//     empty one (alpha..alpha+1), and the whole one only if they turn out
//     better. A score of beta or more is a cutoff.
//   - quiesce (search.go): at d = 0 the side to move takes the evaluation or
//     a noisy move, until no noisy move is left.
//
// Every node is first asked whether the game is over or can be won at once;
// a win at once is never searched for. Then, in this order: endgames, whose scores
// are exact, table, reverse futility (prune.go), solver, internal reduction, moves.
//
// # Techniques
//
// Each is a field of [Options] and can be switched off by itself. Scout, Aspiration,
// the table and move ordering are sound: they do not change the value of a search to
// a fixed depth. Quiescence gives leaves another value. The others are selective:
//
//   - Less depth: LateMoves for quiet moves late in the order, more for moves with
//     a bad history or a low Prior (PriorReduction); InternalReduction where the
//     table has no move.
//   - No search at all: LatePruning for single moves, ReverseFutility for whole
//     nodes, with Threats only for those that Evaluation.Quiet accepts.
//   - More depth: Extensions for defences that are forced.
//
// Nearly all come from chess programs and have their usual names; the formulas stand
// beside the code. Margins in units of evaluation come from [Evaluation].Margin.
// SolverShare keeps the Solver from taking nearly all nodes where it finds little.
//
// # Files
//
// In the order in which a search goes through them:
//
//   - what goes in: game.go, options.go
//   - the threads: searcher.go
//   - the search: root.go, search.go
//   - what a node asks: table.go, prune.go
//   - what comes out: game.go
//
// # Letters and fields
//
// alpha, beta: the window. ply: moves from the root. depth: plies left, at the
// root the number of the iteration. pv: the node lies on a principal variation.
// cut: it is expected to score beta or more. count: the number of a move at its
// node, from 1.
//
// # Order of moves
//
// prune.go returns the table's move, then the game's stages one by one. The history
// reorders the quiet moves of a stage: main history by side and slot, continuation
// history by the slots of the moves one, two and four plies before. An update is
// scaled down as a figure grows, so that it stays within HistoryRange. The history is
// kept from search to search, halved each time. Where a node has PriorDepth plies
// left or more, a Prior's hints replace the Picker's.
//
// # Scores are claims
//
// A score beyond every evaluation says "win in n plies" or "loss in n plies". That
// is a claim, not a proof: it may rest on reductions, margins, a Picker that leaves
// moves out, and a table that identifies positions by part of their hash. Callers
// that need a proof must replay the claim against every legal defence. With
// [Options.Exhaustive], a Picker that lists every move, and no table, a claim is
// exact.
//
// Repetitions get no special treatment (Onitama has no rule against them): a repeated
// position is searched again.
//
// # Lost positions
//
// The opponent may overlook its win. So the root chooses the move of the longest loss,
// and of equally long ones the one of the greatest [Resistance]: if the best score is
// a loss, a move that resists more gets a window one unit wider, so that an equal score
// is seen (root.go). After an iteration that ends in a loss, no other move loses later.
// If the Picker listed a single move, or fewer than the wanted lines, the other legal
// moves are added to the result.
//
// # Table
//
// table.go keeps 12 bytes for a position in clusters of a cache line, without
// locks: score, bound, depth, move and evaluation. A Solver's win is stored as
// deeper than any search. A torn entry fails its check; a move that is not legal in
// the position is dropped and counted in Stats.TableCollisions.
//
// The table does not grow during a search or while pondering. An entry's cluster follows
// from the hash and the size, so that every entry would have to move while all threads wait,
// with memory for both tables. It would gain little: 6.4 million nodes of Onitama leave half
// of 64 MiB empty, and 2.6 million of gomoku take 1.8% more nodes with 1 MiB than with 64.
//
// # Threads
//
// Only searcher.go starts goroutines. Threads share the table, the control of limits,
// the moves being searched, which the other threads defer (ABDADA, search.go), and
// the nodes that each thread is in, which it leaves when another thread has finished
// them. Everything else, such as the history, belongs to one thread. With several
// threads, exact results from the table are used on principal variations too, so
// that not every thread searches them itself. With one thread the search is a
// function of position, options, limits in depth and nodes, and the searches since
// Clear.
//
// # Time
//
// [Limits] have a hard limit, checked about every half millisecond, and a soft one,
// which the time manager extends while the best move changes or its score falls
// (game.go). Searcher.Ponder uses the opponent's time.
//
// # Memory
//
// The search allocates per search, never per node: the moves of all nodes on the
// path lie one after the other in an arena, and frames and lines are arrays. The
// operating system assigns a table's memory page by page on the first write, which
// slows a search down: Searcher.Prepare writes to it beforehand.
package alphabeta
