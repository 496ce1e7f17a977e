// Package onnxruntime installs the pinned ONNX Runtime library for users who
// have the program but not its repository.
//
// The library comes out of the npm package onnxruntime-node, which carries it
// for every platform and which every npm registry has; npm itself does not
// fetch it. The package is unpacked while it arrives, and its download ends
// behind the one member that is wanted. Nothing that the package says decides
// where something is written, and the library appears in its place only when its
// size and SHA-256 are the pinned ones.
package onnxruntime
