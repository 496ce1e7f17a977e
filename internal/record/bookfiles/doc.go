// Package bookfiles brings recorded games and other programs' databases into an opening
// book (package book), and writes books in their forms:
//
//   - games of every form that package gamefiles reads: results of the main line, and the
//     positions and comments of all lines;
//   - journals of matches: results;
//   - the database of Yixin and Rapfi, read and written: values, labels and comments;
//   - trees of moves as SGF and as a library of RenLib, written;
//   - JSON lines, a position each, read and written;
//   - lists of balanced openings, written.
package bookfiles
