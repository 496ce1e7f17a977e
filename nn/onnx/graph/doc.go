// Package graph looks at ONNX files before a runtime sees them: a file of a few
// hundred bytes can ask for any amount of memory, as soon as it is loaded or when
// it is run.
//
// [Inspect] walks the protobuf message, whose parts are counted and must be of
// the kinds that networks need, and then infers the shape of every value of the
// graph, node by node, for every board and for batches of up to 4096 positions. Whole
// numbers that shapes are made of are computed with it. A file is refused if it
//
//   - has an operator without a shape function in operators.go: those that make
//     large tensors out of numbers, loops, branches and functions are not there;
//   - has a tensor whose data are not as many as its dimensions say, or are in
//     another file;
//   - has values that take more than [MostBytes] together, or more than in
//     proportion for more positions.
//
// A file that has the SHA-256 of its initializers, in the property carozero.weights,
// must have it: a runtime loads flipped bits of weights without a word.
//
// What a runtime takes for itself, its own copy of the weights and the
// workspaces of its kernels, comes on top, but is of the same order: workspaces
// of convolutions are counted.
//
// The numbers of fields are those of onnx.proto (github.com/onnx/onnx).
package graph
