// Package archive packs runs of self-play into one file, and unpacks them.
//
// An archive of games holds what a run needs to be played again from its seed: its
// options, the moves of its games, and the digests of its shards. It takes about a
// byte a position, and unpacking it takes as long as playing did. An archive of
// columns also holds what only the search knew, visits, values and targets. It takes
// some 10 to 37 bytes a position and unpacks at once: everything else in a shard
// follows from the moves and the rules. Either gives back the shards byte for byte,
// or nothing.
//
// The file is made for streaming, in this order:
//
//	format.go     magic, blocks, digest
//	block.go      what a block of shards holds: sections
//	shard.go      a shard taken apart into sections, and put together again
//	visits.go     who was visited how often: what to expect of a move
//	model.go      adaptive binary models, mixed, and the coder behind them
//	pack.go       runs into an archive
//	unpack.go     an archive into runs
//	play.go       the same by playing them again
//	list.go       what is inside
//
// Archives are not trusted. Before anything is written the whole file is held to its
// digest, and what its blocks may unfold to grows with their bytes.
//
// docs/samples.md describes the file byte by byte.
package archive
