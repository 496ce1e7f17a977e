// Package openings draws the random moves at the start of games: in self-play,
// in matches, and in the games that weights are fitted to. Drawer draws them,
// and Balanced chooses the most balanced of several. The callers decide what
// makes an opening usable and evaluate it.
package openings
