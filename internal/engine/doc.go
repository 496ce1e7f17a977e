// Package engine is the one place that knows every game. It turns names from a
// command line or a protocol, and descriptions of players, into boards,
// encoders, networks, evaluators and players, and leaves everything else to the
// packages below. Its two engines, Tree and Classical, are what finds moves; see
// package think.
package engine
