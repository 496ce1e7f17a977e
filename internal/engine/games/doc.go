// Package games is the one place that knows every game, and where things are put
// together by their names. All that differs from game to game is a field of [Game].
//
// Names of a command line or a protocol become a [Variant], and with a network a
// [Net]. From these come the two engines, [Tree] and [Classical], which find moves
// for whoever asks through package engine. A player's description, a [Spec], becomes
// an entrant of matches ([Players]), a teacher of self-play ([Teaching]), or an
// engine of a fixed budget for cross-checks ([FixedTree]). [GomocupTree] and
// [GomocupClassical] set engines up for clients of that protocol, and
// [SelfplaySetup] a run of self-play, which drives the searcher itself.
package games
