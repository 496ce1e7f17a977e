// Package arena plays matches: players against each other under the rules of
// a [game.Position], with a referee that trusts none of them, and the
// statistics that say what the results mean.
//
// # Players
//
// A [Player] thinks as a [engine.Engine] does, and learns of every game before it begins.
// An [Entrant] makes one for each worker. A player that fails, plays an illegal move or
// oversteps its time forfeits the game.
//
// # Pairs
//
// Every opening is played twice with colours swapped, and the two games are
// one sample, a pair. A pair's score for player A is 0, 1/2, 1, 3/2 or 2
// points; how often each occurred (five counts, the pentanomial model) is all
// that the statistics read. An opening that favours one colour adds the same
// point to both players and so no variance, which is why pairs need fewer
// games than the win, draw and loss counts of single games, and why those
// would claim an error that is not the true one. A pair of games that both equal
// earlier ones, as deterministic players play from an opening that comes again, is no
// sample.
//
// # Stopping
//
// An [SPRT] decides between two hypotheses on the Elo difference as early as the results
// allow. It reads the pairs in the order of their numbers, whatever order they end in, so a
// match of deterministic players stops after the same pair with any number of workers;
// games beyond it are not counted.
//
// # Order and interruption
//
// Randomness is a function of the match's seed and the game's number. Results are reported
// in game order. Each finished game is synced to the journal before it is reported, and a
// match resumes from its journal.
//
// # Sources
//
//   - Wald, "Sequential Tests of Statistical Hypotheses", 1945: the bounds.
//   - Van den Bergh, "The maximum likelihood estimator for multinomial
//     distributions with a given expectation value", support_MLE_multinomial
//     in the Fishtest documents: Proposition 1.1, the likelihood ratio.
//   - Fishtest, the Stockfish testing framework: pentanomial counts, the
//     substitute for counts of zero, the form of the Elo error.
package arena
