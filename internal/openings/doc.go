// Package openings draws the random moves that games start with: of self-play, of
// matches, and of those that weights are fitted to. What makes an opening a good
// one, and what is tried instead of a bad one, is the business of those who play.
package openings
