// Package engine is the one place that knows every game. It turns names from a
// command line or a protocol into boards, encoders, networks, evaluators,
// searchers and players, and leaves everything else to the packages below.
package engine
