// Package fetch installs single files out of npm packages: the pinned ONNX Runtime
// for users who have the program but not its repository, and for the tests a
// browser.
//
// Every npm registry has these packages; npm itself does not fetch them. A package
// is unpacked while it arrives, and its download ends behind the last member that
// is wanted. Nothing that the package says decides where something is written, and
// files appear in their places only when their sizes and SHA-256 are the pinned ones.
package fetch
