// Package generate sets up self-play: [SelfplaySetup] for games of the tree search,
// [TeachingSetup] for games of the classical search, [Following] for a network that changes
// during the run, and [Again] to replay a run from its shards.
package generate
