// Package mcts searches a game tree by playouts guided by a network, as
// AlphaZero does (Silver et al., 2018), and proves what can be proven on the
// way. It knows games through [game.Position] and networks through
// [nn.Evaluator] and [nn.Instant] only.
//
// # A playout
//
// The tree's nodes are positions, its edges moves: every legal one at the root, and those
// that the [Solver] lists below it where the evaluator answers at once ([nn.Instant]). Each
// edge has a prior P from the network; each node a number of visits N and a sum of values W,
// whose quotient Q = W/N is the node's mean value in -1..1 for its side to
// move. A parent reads its child's Q negated. A playout has four phases:
//
//   - select (select.go): from the root, follow at each node the edge with the
//     largest Q + w*c(N)*P*sqrt(N)/(1+n), n being the edge's visits, until a
//     leaf: an edge that was never followed, or a node whose value is proven.
//     What the letters stand for is below.
//   - assess (playout.go): play the moves. If the game is over there, can be
//     won at once, or the [Solver] finds a proof, the leaf is proven. Otherwise
//     the evaluator is asked for its value and priors.
//   - expand (tree.go): give the leaf its edges, the likeliest first. An
//     evaluator that answers at once, value and priors apart ([nn.Instant]), is
//     asked for the value alone, and for the priors when a playout first goes on
//     below the leaf (playout.go).
//   - back up (playout.go): add one visit and the value, its sign alternating,
//     to every node on the way.
//
// # The score of an edge
//
// In Q + w*c(N)*P*sqrt(N)/(1+n), playouts in flight count among the visits N of the
// node and n of the edge.
//
// The exploration factor is c(N) = ln((1+N+CBase)/CBase) + CInit, by default with 19652
// and 1.25.
//
// Q of a visited edge is its child's mean, negated. All unvisited edges of a node share
// the first-play value
//
//	q - r*sqrt(m)
//
// where q is the node's own mean and m the sum of the priors of its visited edges, with
// the root's noise in it where there is some. r is FPUReduction, 0.2 by default, and at
// the root RootFPUReduction, 0.1. So a node whose edges are all unvisited takes nothing
// off, and one that has visited nearly all of the prior takes off r. It is not cut off
// at -1.
//
// The width of a node, larger where the values that arrive spread more, is
//
//	w = 1 + s*(d/d0 - 1)
//
// with s = Spread, 0.5 by default and at most 1, d0 = 0.4, and d the standard deviation
// of the k values v that have been backed up at the node, together with a prior of two
// visits that deviate by d0:
//
//	d = sqrt((max(0, sum of v*v - k*q*q) + 2*d0*d0) / (k + 2))
//
// So w is 1 before the first value and 1-s where all values are the same for ever. A
// proven node has width 1.
//
// # Playouts in flight
//
// Evaluators answer in batches, so k playouts (Options.InFlight) are in flight
// at once, in a queue: while there are fewer than k the next one is selected;
// with k in flight the oldest is backed up first, which may have to wait for the
// evaluator. So playout i+k sees exactly the results up to i, whether they came
// from a cache, a proof or a batch of any size, and the tree is a function of
// position, options, limits and evaluations. The search waits only for the oldest
// result: the evaluator's threads compute the others meanwhile, and with more
// playouts in flight than threads no thread idles.
//
// An edge counts its playouts in flight among its visits n, without a value, so
// that the next playout tends to take another edge. If it still reaches a node
// whose evaluation is pending, it is not started; it is selected again once the
// oldest playout has been backed up. So fewer than k may be in flight on average.
// With Options.VirtualLoss more are: an edge counts what is in flight below it as
// values so much below its mean. At 1,600 playouts a limit of 64 leads to 33 in
// flight without it, 46 with 0.25.
//
// # Playouts in a row
//
// With an [nn.Instant] evaluator the way to a leaf costs more than its value. There,
// playouts in a row keep to the moves that one of them has chosen, for a number of
// playouts that Options.Stride bounds and that ends when another move would score higher
// (select.go).
//
// # The root in self-play
//
// A [RootPolicy] changes how the root chooses, to make better training targets. [Forced]
// playouts give every visited child a minimum number, so that moves raised by noise are
// explored, and [Forced.Prune] removes them from the visits again. Sequential halving
// ([Gumbel.Policy]) distributes few playouts over moves drawn from the priors, and
// [Gumbel.Improve] computes the improved policy from their values.
//
// # Proofs
//
// A node is a proven [Win] if the side to move can win at once, if the Solver
// says so, or if one child is a proven [Loss]; it is a proven Loss or [Draw]
// only if the Solver says so or every legal move leads to a proven node or is known to lose:
// where all listed moves have been visited, the others become edges too, unless the Solver
// says that all of them lose (playout.go). A proof carries its
// distance in plies: a win takes that of the child that proved it, a loss its
// longest. Since a win ends the search below its node, its distance is that of
// the proof found, which a longer search might shorten.
//
// A proven node is a leaf for later playouts, its mean is its proven value, and
// the sums above it are corrected: the values of earlier playouts are replaced by
// the proven one. A child that is lost for the parent is never followed again. Nor
// is a drawn one while it has open siblings: when selection chooses it, the playout
// explores the best open sibling instead, and the node and those above count the
// visit as a draw; such a visit is called held. The root's results count it for the
// drawn move. A search ends when its root is proven. Only the root is evaluated even
// if it is won at once, so that its network value is known.
//
// If every move loses, a [Result] has the longest loss first, and of equally long ones
// the move that removes most of the opponent's threats (Options.Resistance).
//
// The Solver is asked about each new root before its first playout, with a larger
// budget than for leaves: for a win, and for what its moves come to. After the search
// it checks the best move. Moves that it knows become proven children without visits
// (rootproof.go).
//
// In gomoku the leaves of a tree have the classical search's solver of fours, of 16 moves
// beside a line network, or package vcf's where stones are captured; the root and the move
// that is checked have vcf's search for fours, then its proof-number search for threes,
// 2,000 moves each; the root's moves have fours of 500. Beside a residual network on the
// processor the fours at leaves have 500 moves, then the threes 1,000, and a playout takes
// 1.6 times as long as with fours alone; the move that is checked has threes of 200,000
// more. At the leaves the fours of 16 take
// 12% less of a search's time than vcf's of 10 did (bench mcts, 16,000 playouts, freestyle).
// crosscheck's tree has vcf at its leaves too.
//
// With the classical search's solver nodes list moves as it does: the defences against a five
// or an open four, else the cells near stones. Where there is no such defence the leaf is
// lost. With vcf at the leaves, and where stones are captured or double-three is forbidden to
// both sides, every legal move is an edge.
//
// # Memory
//
// The tree lies in four slabs without pointers, indexed by uint32: nodes of 32
// bytes; visited edges of 12 bytes, a node's side by side (tree.go); and the
// moves and priors of edges, 6 bytes each: of all edges, or, where the evaluator can be
// asked again at once, of the sixteen likeliest until these have been visited (playout.go).
// With the room that blocks of visited edges leave unused a node takes less than 48
// bytes beside those. [Searcher.Advance] keeps the subtree of a move; the next search first copies
// it to a second set of
// slabs. When the bound of Options.Memory is reached, unvisited edges are no longer
// followed; a playout that ends at an expanded node backs up its network value again. What
// counts is what is in use, so that this moment depends on the search alone; the slabs'
// room follows it ([tree.admit]).
package mcts
