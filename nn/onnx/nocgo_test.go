//go:build !cgo

package onnx

import (
	"errors"
	"testing"
)

func TestWithoutCgoTheErrorSaysWhatIsMissing(t *testing.T) {
	path := touch(t, t.TempDir(), "libonnxruntime.so.1")
	_, findErr := Find(Search{Flag: path})
	_, namedErr := Find(Search{Flag: path, Naming: bracketed})
	checkError(t, namedErr, "<model> uniform", "<engine> alphabeta")
	_, loadErr := (&Runtime{}).Load("net.onnx", nil, Options{Provider: CPU})
	_, fileErr := (&Runtime{}).LoadFile("net.onnx", Options{})
	for _, err := range []error{findErr, loadErr, fileErr} {
		checkError(t, err, ", model uniform or engine alphabeta,")
	}
	for _, err := range []error{findErr, namedErr, loadErr, fileErr} {
		checkError(t, err, "without cgo")
		if !errors.Is(err, ErrNoRuntime) {
			t.Errorf("%v does not wrap ErrNoRuntime", err)
		}
	}
}

// bracketed is the naming of a front that writes options as <key>.
func bracketed(key string) string { return "<" + key + ">" }
