// Package search holds the two engines that find moves for whoever asks through
// package engine: [Tree], the PUCT search with a network, and [Classical], the
// principal variation search with solvers beside it.
package search
