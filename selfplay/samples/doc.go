// Package samples holds the training data that self-play writes: its schema,
// a writer that survives crashes, a reader for untrusted files, and a check that
// replays every game through the rules.
//
// A run is a directory. It holds the games of one rule set, board size, net
// and set of options:
//
//	run.json                    the options that decide every byte of the shards
//	manifest.jsonl              one line per finished shard
//	shard-NNNNNN.msgpack.zst    the rows of a fixed range of games
//	journal-NNNNNN.bin          finished games whose shard is not complete yet
//
// A shard is two msgpack objects under zstd: a [Header] and [Columns]. A game's
// record does not depend on who played it or when, and shard k holds the games
// k*n to (k+1)*n-1 in order, so a run's shards have the same bytes however often it was
// interrupted. Only the manifest has times. A process that writes to a run holds the
// directory's lock (package internal/disk); readers need none.
//
// Shards may come from outside: what they unpack to is bounded, and unknown keys are skipped.
//
// Beyond the columns of the contract a shard has row_crc, <u4 [rows]: for each
// row the CRC-32 (IEEE 802.3, as zlib's crc32) of the row's little-endian bytes
// in every other column of the contract, in the order of the file. visit_offsets
// contributes the two offsets that bound the row, and the sparse columns the entries
// between these. So changes of values that the rules cannot recompute are detected.
package samples
