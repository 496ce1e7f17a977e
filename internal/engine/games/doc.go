// Package games describes the games. It is the one place that knows every game: all
// that differs from one to another is a field of [Game], and a game with its rule set
// and size is a [Variant], which names of a command line or a protocol become.
package games
