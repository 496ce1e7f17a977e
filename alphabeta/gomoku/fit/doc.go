// Package fit fits the weights of the classical evaluation to the results of
// games, and the order in which the search tries moves to the moves chosen.
//
// # Model
//
// The evaluation is linear in its weights (see Weights in package
// alphabeta/gomoku): a position is a sparse [Row] of features, and its score
// the sum of their weights, which move from those of the beginning of a game to
// those of its end with the number of stones. A score s stands for the
// probability 1/(1+exp(-s/Scale)) that the side to move wins; a draw counts as
// half a win. The weights are fitted by logistic regression: they make the
// results of the games as probable as they can be under a normal [Prior]
// (Bishop, Pattern Recognition and Machine Learning, 2006, sections 3.3.1 and
// 4.3.2). Its mean are the weights set by hand, and its factors tie together
// the weights of cells that have lines in common: most of the thousands of
// combinations are too rare to be learnt one by one. L-BFGS finds the minimum
// of that convex problem in a few hundred passes over the rows.
//
// # Positions
//
// A Collector replays games and takes the positions from the end of the opening
// on that the search would leave to its evaluation: no side completes a line with its
// next move, and the side to move has no win by continuous fours. Each counts once, for
// the side to move. Swapping colours or turning the board adds nothing, because sides
// share weights if the rules treat them alike, and features count cells. Every tenth
// game is held out; the losses reported for these games measure the weights on unseen
// games.
//
// The result of a game is a noisy target and the same for all its positions. If a game
// has scores of a search, a share of the target is the score (see NewCollector), so that
// the fit learns what the search finds a few plies later. The targets of held-out games
// are results only.
//
// # TD-Leaf
//
// A [TDLeaf] learns the same weights in another way: by TD-Leaf(λ) (Baxter, Tridgell and
// Weaver, "Learning to Play Chess Using Temporal Differences", Machine Learning 40, 2000).
// A search of a few plies gives each position of a game, from the end of the opening on,
// the winning probability of the first player at the leaf of its principal variation, or
// 0 or 1 where it claims a loss or a win. With v[t] that value, d[t] = v[t+1] - v[t], and
// the result of the game after the last position, weights w move by
//
//	rate * sum over t of (derivative of v[t] by w) * (sum over j >= t of λ^(j-t) * d[j]).
//
// They begin as those set by hand, and move in the factors of the prior, each step
// divided by the root of the sum of the squares of the steps before it (AdaGrad: Duchi,
// Hazan and Singer, Journal of Machine Learning Research 12, 2011). The rate falls to 0 in
// equal steps. The games of a batch, 16, are searched with the same weights, each from a
// cleared table, so that workers change nothing.
//
// One pass over 2,592 games of freestyle, 15x15, with searches of two plies, learned
// weights whose loss in 288 games held out was 0.625 at a rate of 0.08 and 0.618 at 0.3;
// by hand it was 0.648, fitted to the results 0.604. In 400 games each, at 2,000 nodes,
// those of rate 0.08 lost 36 +- 32 Elo to the fitted ones, and those of 0.3 won 13 +- 32.
//
// # Order of moves
//
// A ChoiceCollector takes the positions that the search leaves to its order of
// moves, with the moves that it lists and the one that was played. FitOrder makes
// these choices as probable as they can be in a softmax regression whose features
// are the codes of a cell for both sides, under a prior that ties codes together
// like that of the weights.
//
// # Games
//
// Selfplay plays them: the classical engine against itself with a few thousand nodes a
// move. Each game begins with random moves near the centre and near stones that the
// engine finds fairly balanced. Diverse openings matter more than strong play; without
// them the same few games would be repeated.
//
// # Recipe
//
// The weights of a rule set R are made by
//
//	carozero fit play --rule R --games 4000 --nodes 2000 --seed 1 --out games/R
//	carozero fit --rule R --input games/R --spread 4 --trust 0.8 --out alphabeta/gomoku/weights_R.go
//
// and the order by
//
//	carozero fit order --rule R --input games/R --out alphabeta/gomoku/order_R.go
//
// The head of each generated file says which games it was fitted to. With few
// games a smaller spread loses less on those held out. A second generation is
// fitted to further games, under another seed, that were played with the weights
// of the first, beside the games of the generation or two before. The name of a
// new file's variable goes into the map in weights.go of package
// alphabeta/gomoku. Weights ship only if they win a match:
//
//	carozero match --rule R --games 400 --opening-plies 6 --a alphabeta:nodes=3000 --b alphabeta:nodes=3000,weights=hand
//
// # Worth
//
// Elo of each generation of weights in such matches on 15x15, at 2,000 or 3,000
// nodes, with the errors of 95%. The games of generations 3 and later, of 2 for
// caro and renju, were fitted to with --trust 0.8; of four fits to the same games
// that one won most in every generation but one.
//
//	freestyle    1 over by hand +98 +- 34, 2 over 1 +108 +- 36, 3 over 2 +66 +- 29, 4 over 3 +48 +- 33, 5 over 4 +8 +- 33
//	standard     1 over by hand +136 +- 34, 2 over 1 +142 +- 34, 3 over 2 +58 +- 35, 4 over 3 +30 +- 32
//	caro         1 over by hand +128 +- 52, 2 over 1 +171 +- 46
//	renju        1 over by hand +85 +- 38, 2 over 1 +153 +- 52
//
// Then the features changed. In 1,350 games of freestyle, eighteen levels
// instead of nine took the cross-entropy with the scores of searches, in 150
// games held out, from 0.5468 to 0.5457; the classes of both sides at a cell
// took it to 0.5456, the numbers of cells to 0.5431, and all three to 0.5411.
// Pairs of numbers of both sides added nothing. With all three, weights fitted
// to the games of the last two generations won +51 +- 32 in freestyle (252 games)
// and +49 +- 32 in standard (300 games) over the last generation above, at 20,000
// nodes, and those of caro +79 +- 33 (300 games) at 10,000. In renju the same
// was worth +10 +- 34 (300 games), so that its weights stayed.
// Further games did not help: 2,500 of 5,000 nodes a move by these weights. With
// those of the last generation they made weights of -43 +- 33 in freestyle, with
// those of the last two -12 +- 32 in freestyle and -15 +- 32 in standard, each in 300
// games at 20,000 nodes.
//
// The weights of caro serve its other kinds as well; over those by hand they won
// +160 +- 59 in 100 games of caro-overline, +207 +- 53 in 150 of caro-edge and
// +140 +- 53 in 120 of caro-edge-overline. Those of school42 won +354 +- 73 in 200
// games at 3,000 nodes over weights set by hand.
package fit
