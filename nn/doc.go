// Package nn is the seam between searches and neural networks: what a network
// takes and gives ([Encoder], [Network]), how a search asks for evaluations
// ([Evaluator]), and the wrappers between the two.
//
// An evaluation travels through small pieces that compose:
//
//	search -> Cache -> Batcher -> onnx.Session
//
// [Cache] answers positions that were evaluated before. [Batcher] encodes
// positions into the memory of batches, runs these through a [Network] and
// turns logits into probabilities: on one thread while its caller waits, which
// suits many searches that share batches; on more, or on a device, while its
// caller goes on, which keeps all of them busy with a single search. [Uniform]
// and [Mock] are evaluators without a network.
//
// Everything an evaluator answers is a pure function of the position, the
// model, and the options, which a [Tag] covers: neither batch sizes nor
// threads nor the order of the questions can change a result.
package nn
