// Package nn is the seam between searches and neural networks: what a network
// takes and gives ([Network], [Encoder]), how a search asks for evaluations
// ([Evaluator]), and the wrappers between the two.
//
// There are several kinds of networks, each in a package of its own that has a [Kind]:
// how its files are known and loaded. Who has a [Network] does not ask of which kind it
// is. A new kind is its package, which passes the checks of package nntest, and a line in
// the list of kinds in internal/engine/games.
//
// An evaluation travels through small pieces that compose:
//
//	search -> Cache -> Batcher -> onnx.Session
//
// [Cache] answers positions that were evaluated before. [Batcher] encodes
// positions into the memory of batches, runs these through a [BatchNetwork] and
// turns logits into probabilities: on one thread while its caller waits, which
// suits many searches that share batches; on more, or on a device, while its
// caller goes on, which keeps all of them busy with a single search. [Uniform]
// and [Mock] are evaluators without batches.
//
// Everything an evaluator answers is a pure function of the position, the
// model, and the options, which a [Tag] covers: neither batch sizes nor
// threads nor the order of the questions can change a result.
package nn
