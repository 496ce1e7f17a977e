// Package openings has the random moves that games start with: of self-play, of
// matches, and of those that weights are fitted to. Drawer draws them, and
// Balanced chooses the most balanced of several. What makes an opening a good
// one, and what it is worth, is the business of those who play.
package openings
