// Package gametest holds what the tests of rules and searches share: a
// conformance suite that every [game.Position] runs, exhaustive minimax, and the m,n,k family of toy games, small enough to be solved by
// brute force and so to judge a search.
//
// It is meant to be imported by tests only.
package gametest
