// Package bookfiles brings recorded games into an opening book (package book): results of
// main lines, and the positions and comments of all lines. It writes books as trees of moves
// in SGF or lib, as JSON lines, which it reads too, and as lists of balanced openings.
package bookfiles
