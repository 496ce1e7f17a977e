// Package graph checks ONNX files before a runtime loads them: a file of a few hundred
// bytes can make a runtime allocate any amount of memory when it is loaded or run.
//
// [Inspect] parses the protobuf message with a limit on its parts, accepts only the kinds
// that networks need, and then infers the shape of every value of the graph, node by
// node, for every board and for batches of up to 4096 positions. It also computes
// integers that shapes depend on. A file is refused if it
//
//   - has an operator without a shape function in operators.go, such as loops, branches,
//     functions, and operators that make large tensors out of numbers;
//   - has a tensor whose data do not match its dimensions, or are in another file;
//   - has values that take more than [MostBytes] in total, or that grow faster than the
//     number of positions.
//
// If a file states the SHA-256 of its initializers, in the property carozero.weights, the
// digest must match: a runtime does not notice flipped bits in weights.
//
// A runtime's own memory, such as its copy of the weights and the workspaces of its
// kernels, is not included but of the same order; workspaces of convolutions are counted.
//
// The numbers of fields are those of onnx.proto (github.com/onnx/onnx).
package graph
