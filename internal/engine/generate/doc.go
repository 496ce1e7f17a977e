// Package generate sets up self-play: [SelfplaySetup] for games of the tree search,
// [TeachingSetup] for games of the classical search, [Following] for a network that
// changes meanwhile, and [Again] for a run that is played again from what its shards
// record.
package generate
