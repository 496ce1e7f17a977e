// Package gamefiles reads recorded games and positions from wherever they
// come: shards of self-play samples, files of other programs (SGF, Piskvork's
// psq, RenLib's lib; see package record), and lists of positions, one a line.
// The kind of a file is told by its content.
//
// [Open] takes the paths, [Reader.Next] hands out one game at a time, in the
// order of the paths and of the games in them, each checked against the rules:
// of SGF and psq files the main line of each game, of a library the line to each
// of its leaves, the main line first. No more than one shard, one library, or one
// game of the other kinds, is in memory.
//
// All games of one reader are of one variant: same game, rule and size. A
// source that names none (a list, an SGF file without RU) is of the variant
// found so far, or of the default.
//
// [OpenTrees] hands out the same sources as the records that they are, with
// variations and comments, each of its own variant and held against no rules.
package gamefiles
