// Package line is a network at the speed of patterns: small, in integers, kept up
// to date as a board moves. It answers in microseconds, needs no runtime, and gives
// the same bits on every machine.
//
// # The network
//
// A cell has K features as either side sees it: the sum, cut off below 0 and above
// 127, of four rows of the table T, one for the eleven cells of each line through
// it, and, where it is empty, of one row of E1 for what a stone of that side makes
// there in all directions (pattern.Board.Code) and one of E2 for what the other
// side's does. T does not tell a line from its mirror image, and the same tables
// serve both sides.
//
// The value reads the mean of each feature over the nine regions of the board (W1,
// W2, W3, with biases B1, B2, B3). The policy reads half of the features of either
// side, each mixed over three by three cells by a filter of its own (D, Db); a
// perceptron of the whole board's means (G1, G2) chooses 16 filters over those
// channels, and a fixed one (O) adds up what they give.
//
// The plan of lines in a table, features on cells, one half mixed over neighbours
// and filters chosen by the board follows Mixnet: H. Jin, "Rapfi: Distilling
// Efficient Neural Network for the Game of Gomoku", arXiv:2503.13178, section 3.
// That one table is read from both sides, and the codes, are ours.
//
// # Numbers
//
// T, E1 and E2 are bytes that count 1/32. Means count 1/2048; the weights of layers
// 1/1024 and their biases and sums 2^-21, of which 10 bits are dropped on the way to
// the next layer. D counts 1/64. The chosen filters count 1/1024, what they give
// 1/128 after a slope of 1/8 below zero, and O counts 1/256. All sums fit 32 bits:
// a file with which one could overflow is refused.
//
// # Files
//
// A network is a safetensors file with these tensors and metadata: format,
// carozero.rules, carozero.sizes, carozero.run, carozero.temperature if it is not 1,
// carozero.patterns (the digest of the shapes that the codes were made of) and
// carozero.weights (the SHA-256 of the tensors' bytes in a fixed order). The trainer
// in train/ writes it.
package line

// Planes is what a line network says where other models name the version of their
// input planes.
const Planes = "gomoku-line-1"
