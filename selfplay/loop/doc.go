// Package loop repeats self-play, training and gating, so that a network learns from
// its own games.
//
// A [Config] describes a loop. One round has four steps:
//
//	play     games of every table that the round has, as training samples
//	train    an external command makes a candidate of the newest samples
//	gate     the candidate meets the best network so far, and both solve the same
//	         problems and judge the same positions
//	promote  a candidate that is good enough takes the best one's place
//
// A [Host] plays the games and matches and runs the tests; [Worker] is that of this
// program. A loop decides which step comes next, what its inputs are, and whether a
// candidate is promoted.
//
// # Directory
//
//	state.json           which steps are done and what came of them
//	loop.toml            the configuration that the loop was begun with
//	start.onnx           the network that it began with, unless it was uniform;
//	                     start.line if that is a line network
//	best.onnx            the best network so far, once there is one; NAME.line in
//	                     a loop of line networks, here and below
//	start/               tactics and cross-check of the first network
//	round-0001/samples/  a run of self-play for each table
//	round-0001/train/    what the trainer writes; trainer.log has what it says
//	round-0001/net.onnx  the candidate, with its SHA-256 beside it
//	round-0001/gate/     journals of the matches, tactics, rows of the cross-check
//	round-0001/verdict.json
//
// # Interruptions
//
// A step is a pure function of the configuration, the seed and the results of earlier
// steps, and can be repeated: games, matches and cross-checks continue from their
// journals, an interrupted training resumes or starts over, a promotion is a copy.
// state.json is replaced atomically when a step is done. So a loop that is killed at any
// moment and restarted ends with the same samples and verdicts as one that was not. Only
// a trainer with a time limit depends on the machine.
package loop
