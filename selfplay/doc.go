// Package selfplay plays games of one player against itself and writes them as training
// samples. A [Run] is all that decides the bytes of the shards; [Run.Open] opens what plays
// it. A game is a pure function of the run and the game's id. [Play] deals the games to
// workers, each of which is one goroutine with one evaluator and several games under way,
// so the bytes depend neither on the number of workers nor on interruptions.
package selfplay
