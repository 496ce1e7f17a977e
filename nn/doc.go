// Package nn is the seam between searches and neural networks: what a network
// takes and gives ([Network], [Encoder]), how a search asks for evaluations
// ([Evaluator]), and the wrappers between the two.
//
// Each kind of network has its own package with a [Kind], which recognizes and loads its
// files. Users of a [Network] do not depend on its kind. To add a kind, write a package
// that passes the checks of package nntest, and add it to the list of kinds in
// internal/engine/networks.
//
// An evaluation travels through small pieces that compose:
//
//	search -> Cache -> Batcher -> onnx.Session
//
// [Cache] answers positions that were evaluated before. [Batcher] encodes positions into
// batches, computes these with a [BatchNetwork] and turns logits into probabilities. With
// one thread it computes while its caller waits, which suits many searches that share
// batches. With more threads, or on a device, it computes while its caller continues,
// which keeps all threads busy with a single search. [Uniform] and [Mock] are evaluators
// without batches.
//
// Everything an evaluator answers is a pure function of the position, the
// model, and the options, which a [Tag] covers: neither batch sizes nor
// threads nor the order of the questions can change a result.
package nn
