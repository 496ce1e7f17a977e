// Package gametest holds what the tests of rules and searches share: a conformance
// suite for every [game.Position], exhaustive minimax, and the m,n,k family of toy
// games, small enough to be solved by brute force.
//
// Only tests should import it.
package gametest
