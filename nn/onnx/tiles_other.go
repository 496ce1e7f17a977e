//go:build cgo && !(linux && amd64)

package onnx

func hasTiles() bool { return false }
