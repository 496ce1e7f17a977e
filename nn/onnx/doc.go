// Package onnx runs networks with ONNX Runtime. It is the only package of the
// project that uses cgo.
//
// [Find] loads the runtime's shared library, once per process;
// [Runtime.Load] makes a [Session], the nn.Network of one model file. A
// session checks the model's inputs, outputs and properties when it is loaded,
// so that a file that does not suit is refused with a message, not in the
// middle of a search.
//
// The library is installed by `carozero runtime install` and found at run time;
// the program itself links to nothing. In a build without cgo everything here
// still compiles, and [Open] and [Find] say in one line what is missing.
package onnx
