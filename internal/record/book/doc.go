// Package book keeps opening books: positions of the gomoku family with what engines,
// games and people say of them, in one SQLite file.
//
// A position is stored once for all its symmetries, under the smallest of their keys
// (key.go), and every move that goes in or comes out is turned into the caller's
// orientation. There are no edges: the moves of a position in the book are those whose
// successor is in the book, so transpositions meet by themselves.
//
// Of a position the book holds
//
//   - a [Value] for each engine, network and build that judged it;
//   - results of games, counted by their origin (results.go), so that the same games
//     never count twice;
//   - a [Label] and a comment of a person, and a certificate of a win;
//   - who wrote it, and when.
//
// Values and results are of the side to move, in -1..1.
//
// One [Book] may be used by many goroutines. Reads run side by side, and [Book.Update]
// writes a batch in one transaction: when it returns, the batch is on the disk, and a
// process that is killed before leaves nothing of it.
//
// A file is believed only as far as it was checked. [Open] refuses files that are no
// books, of another version or of other tables, and what is read back is held to the
// bounds that writing has. [Book.Verify] reads everything.
package book
