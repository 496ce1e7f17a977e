// Package gamefiles reads recorded games and positions from wherever they
// come: shards of self-play samples, files of other programs (SGF, Piskvork's
// psq, RenLib's lib; see package record), and lists of positions, one a line.
// The kind of a file is told by its content.
//
// A game is a [Record] wherever it comes from and wherever it goes: commands, the
// terminal and the server read, write and show games by records, and what more is to
// be known of a game is a field of it, or of its tree.
//
// [OpenTrees] takes the paths, [Trees.Next] hands out one record at a time, in the
// order of the paths and of the games in them, with variations and comments, each of
// its own variant and held against no rules. No more than one shard, one library, or
// one game of the other kinds, is in memory.
//
// [Open] hands out the same sources as lines of moves, each checked against the rules:
// of SGF and psq files the main line of each game, of a library the line to each
// of its leaves, the main line first. All games of one reader are of one variant: same
// game, rule and size. A source that names none (a list, an SGF file without RU) is of
// the variant found so far, or of the default.
package gamefiles
