// Package cluster plays a self-play run on the user's own machines. A [Coordinator] deals
// games to [Worker]s, replays each result through the rules and writes the run, to the bytes
// that one machine alone would write: a game is a function of network, options, seed and id,
// so a lost one is played again. Requests and answers travel over a NATS [Server] inside the
// coordinator; the only state is the run on disk and what each worker says it is playing.
package cluster
