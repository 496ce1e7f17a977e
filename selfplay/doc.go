// Package selfplay lets a net play against itself and writes what the games
// teach as training samples.
//
// A run is a number of games, each a pure function of the net, the options,
// the run's seed and the game's id. [Run] deals the games to workers; a worker is
// one goroutine that keeps several games under way over one evaluator: every game
// selects leaves until it can go on only with results, then one Wait answers all of
// them. Finished games go to one
// collector, which keeps them through package samples. So the bytes of the
// shards do not depend on how many workers there were, how many games each had
// under way, or how often the run was interrupted.
//
// One game goes through these steps:
//
//	opening   random moves, drawn until the net calls the position balanced; or
//	          another game's moves and one that it did not play
//	search    full, or cheap under playout-cap randomisation
//	record    a full search becomes a row; its outcome is entered at the end
//	move      drawn from the visits at a temperature that falls with the plies
//
// until the rules end it, or, as options ask, a resignation, a move limit or a
// proof.
//
// [Targets] say what full searches make of their playouts for the trainer. With
// [Follow] the net changes at the boundaries of shards; then a game is also a
// function of the net that the run has recorded for it, and a worker has an
// evaluator for each net that its games under way are played with.
package selfplay
