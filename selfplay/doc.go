// Package selfplay lets a net play against itself and writes the games as training
// samples.
//
// A run is a number of games, each a pure function of the net, the options, the run's
// seed and the game's id. [Run] deals the games to workers. A worker is one goroutine
// that plays several games at once with one evaluator: every game selects leaves until it
// needs results, then one Wait answers all of them. Finished games go to one collector,
// which writes them through package samples. So the bytes of the shards do not depend on
// the number of workers, on how many games each plays at once, or on interruptions.
//
// One game goes through these steps:
//
//	opening   random moves, drawn until the net calls the position balanced
//	search    full, or cheap under playout-cap randomisation
//	record    a full search becomes a row; its outcome is entered at the end
//	move      drawn from the visits at a temperature that falls with the plies
//
// until the rules end it, or, as options ask, a resignation, a move limit or a
// proof.
//
// [Targets] say how full searches turn their playouts into training targets. With
// [Follow] the net may change between shards; then a game also depends on the net that
// the run has recorded for its shard, and a worker has an evaluator for each net that
// its current games use.
package selfplay
