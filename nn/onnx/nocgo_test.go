//go:build !cgo

package onnx

import (
	"errors"
	"testing"
)

func TestWithoutCgoTheErrorSaysWhatIsMissing(t *testing.T) {
	path := touch(t, t.TempDir(), "libonnxruntime.so.1")
	_, err := Find(Search{Flag: path})
	checkError(t, err, "without cgo", ", model uniform or engine alphabeta,")
	_, named := Find(Search{Flag: path, Naming: bracketed})
	checkError(t, named, "without cgo", "<model> uniform", "<engine> alphabeta")
	_, load := (&Runtime{}).Load("net.onnx", nil, Options{Provider: CPU})
	for _, err := range []error{err, named, load} {
		if !errors.Is(err, ErrNoRuntime) {
			t.Errorf("%v does not wrap ErrNoRuntime", err)
		}
	}
}

// bracketed is the naming of a front that writes options as <key>.
func bracketed(key string) string { return "<" + key + ">" }
