// Package dataset turns shards of samples into other shards, and into files that
// other programs read.
//
// [Merge] collects the shards of several runs in one directory, byte for byte.
// [Filter] keeps the rows that fit conditions. What both write is a collection
// (package samples): shards with a manifest, which samples.Verify checks as it does
// a run's. [Export] writes one file of rows and one of games for each shard, as
// numpy's npz or as Parquet, and last export.json, which lists them.
//
// All read shard after shard, so memory is bounded by the largest one; what they
// write is a function of what they read, is there as a whole or not at all, and
// goes into a folder of its own.
package dataset
