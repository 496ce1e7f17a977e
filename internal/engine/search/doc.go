// Package search holds the implementations of [engine.Engine]: [Tree], the PUCT search with
// a network, and [Classical], the principal variation search with solvers beside it.
package search
