//go:build !cgo || !linux

package onnx

// openLibrary does nothing: the system's loader finds the libraries, or does not.
func openLibrary(string) error { return nil }

// cudaDevice knows nothing.
func cudaDevice(uint) (name string, count uint) { return "", 0 }
