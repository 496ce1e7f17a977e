//go:build !cgo

package onnx

import (
	"errors"
	"testing"
)

func TestWithoutCgoTheErrorSaysWhatIsMissing(t *testing.T) {
	path := touch(t, t.TempDir(), "libonnxruntime.so.1")
	_, findErr := Find(Search{Flag: path})
	_, loadErr := (&Runtime{}).Load("net.onnx", nil, Options{Provider: CPU})
	_, fileErr := (&Runtime{}).LoadFile("net.onnx", Options{})
	for _, err := range []error{findErr, loadErr, fileErr} {
		checkError(t, err, "without cgo", "--model uniform", "--engine alphabeta")
		if !errors.Is(err, ErrNoRuntime) {
			t.Errorf("%v does not wrap ErrNoRuntime", err)
		}
	}
}
