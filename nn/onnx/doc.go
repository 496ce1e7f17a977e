// Package onnx runs networks with ONNX Runtime. It is the only package of the
// project that uses cgo.
//
// [Find] loads the runtime's shared library, once per process;
// [Runtime.Load] makes a [Session], the nn.Network of one model file. A
// session checks the model's inputs, outputs and properties when it is loaded, so
// that an unsuitable file fails then and not during a search.
//
// The library is installed by `carozero runtime install` and found at run time;
// the program itself does not link to it. Without cgo this package still compiles,
// and [Find] returns an error that says what is missing.
package onnx
