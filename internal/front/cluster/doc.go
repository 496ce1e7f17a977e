// Package cluster has the games of a self-play run played on many machines and checks
// what they send: a game is a pure function of the network, the options, the seed and
// its id, so a lost or doubtful game is simply played again.
//
// # Who does what
//
// A [Coordinator] owns the run's directory. It publishes a [Config], deals tasks, checks
// what comes back, and writes it through package samples, to the bytes that one machine
// alone would write. A [Worker] takes everything that can change a byte from the Config
// and brings only processors. Between them is NATS: the coordinator has a [Server] of
// its own inside, or uses one that is there.
//
//	work queue    tasks, each a range of game ids, in JetStream; the coordinator takes them
//	              out for its workers, acknowledges what is on disk, and gives back what is lost
//	requests      hello, deal, result, part, beat, bye of a session; read and status of anybody
//	news          tells workers to ask which configuration is the current one
//
// Configurations and networks are read from the coordinator, in pieces and by their
// SHA-256. JetStream is never trusted: whenever a coordinator starts, the queue fails or it
// loses tasks, the coordinator reads from the run's journals and manifest what is missing
// and fills the queue again.
//
// # A game's way
//
//	task     dealt to a session while that sends beats; a silent one loses it, and
//	         a slow one shares it with the next idle session
//	unit     a finished game: the smallest piece that can be checked and played by itself
//	check    decoded within bounds and replayed through the rules, as by samples verify
//	window   the units of one worker since its last good audit, in a synced file outside
//	         of the run; the worker now learns that they are stored
//	audit    one unit of the window, which chance picks, is played again from its seed;
//	         if it is the same the window goes into the run, if not the worker is
//	         quarantined and all of its windows are played again by others
//
// So no game of a worker enters the run before a game of the same window was replayed with
// the same result, and a worker that forges every game changes no byte of the run.
//
// # Who trusts whom
//
// A session is named by 128 random bits that its worker has drawn and keeps to itself:
// the embedded server lets it publish under that name only, and listen to its own inbox
// only. A worker has no rights on JetStream at all: it cannot take, acknowledge or delete a
// task but by asking the coordinator. An answer goes to the inbox of the session that has
// asked, whatever reply subject the message names, since the coordinator may publish anywhere.
//
// All messages come through one inlet, which bounds them in size, number and rate by
// session, and in bytes over all sessions. A worker may have a token of its own, which can
// be revoked while the coordinator runs; its games that were not audited yet are then
// played again.
package cluster
