// Package onnx runs networks with ONNX Runtime. It is the only package of the
// project that uses cgo.
//
// [Find] loads the runtime's shared library, once per process;
// [Runtime.Load] makes a [Session], the nn.Network of one model file. A
// session checks the model's inputs, outputs and properties when it is loaded,
// so that a file that does not suit is refused with a message, not in the
// middle of a search.
//
// The library is fetched by fetch.sh (make deps) and found at run time; the
// program itself links to nothing.
package onnx
