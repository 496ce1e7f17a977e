// Package line is a small integer network over line patterns that is updated
// incrementally as moves are played. It answers in microseconds, needs no runtime, and
// gives the same bits on every machine.
//
// # The network
//
// A cell has K features for each side: the sum, clamped to 0..127, of four rows of the
// table T, one for the eleven cells of each line through it, and, if it is empty, of
// one row of E1 for the code (pattern.Board.Code) of that side's stone there and one
// row of E2 for the code of the other side's. A line and its mirror image have the same
// row of T, and both sides use the same tables.
//
// The value head reads the mean of each feature over the nine regions of the board (W1,
// W2, W3, with biases B1, B2, B3). The policy head reads half of the features of each
// side after a depthwise 3x3 convolution (D, Db); a perceptron over the board's means
// (G1, G2) computes the weights of 16 filters over those channels, and fixed weights
// (O) sum up their outputs.
//
// The architecture (a table of lines, features of cells, depthwise convolution of one
// half, filters computed from the board) follows Mixnet: H. Jin, "Rapfi: Distilling
// Efficient Neural Network for the Game of Gomoku", arXiv:2503.13178, section 3. One
// table for both sides, and the codes, are our additions.
//
// # Numbers
//
// T, E1 and E2 are signed bytes in units of 1/32. Means are in units of 1/2048, weights
// of layers 1/1024, their biases and sums 2^-21; 10 bits are dropped before the next
// layer. D is in units of 1/64, the computed filters 1/1024, their outputs 1/128 after a
// leaky ReLU of slope 1/8, and O 1/256. All sums fit 32 bits: a file with which one
// could overflow is refused.
//
// # Files
//
// A network is a safetensors file with these tensors and metadata: format,
// carozero.rules, carozero.sizes, carozero.run, carozero.temperature if it is not 1,
// carozero.patterns (the digest of the shapes that the codes were made of) and
// carozero.weights (the SHA-256 of the tensors' bytes in a fixed order). The trainer
// in train/ writes it.
package line

// Planes is the name that a line network gives for its input, where other models give
// the version of their input planes.
const Planes = "gomoku-line-1"
