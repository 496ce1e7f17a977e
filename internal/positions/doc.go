// Package positions reads recorded games and positions from wherever they
// come: shards of self-play samples, SGF files such as the arena writes, and
// lists of positions, one a line. The kind of a file is told by its content.
//
// [Open] takes the paths, [Reader.Next] hands out one game at a time, in the
// order of the paths and of the games in them, each checked against the rules.
// No more than one shard, or one game of the other kinds, is in memory.
//
// All games of one reader are of one variant: same game, rule and size. A
// source that names none (a list, an SGF file without RU) is of the variant
// found so far, or of the default.
package positions
