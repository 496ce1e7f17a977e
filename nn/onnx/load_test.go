//go:build cgo

package onnx

import (
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/carozero/carozero/nn"
)

func TestLoadRefusesModels(t *testing.T) {
	for name, words := range map[string][]string{
		"wrong-names": {"wrong-names.onnx", "policy", "moves"},
		"fixed-batch": {"fixed-batch.onnx", "4", "dynamic"},
		"no-metadata": {"no-metadata.onnx", "carozero.planes"},
	} {
		_, err := loadFile(name, Options{})
		checkError(t, err, words...)
		if !errors.Is(err, nn.ErrModel) {
			t.Errorf("%s: the error does not wrap ErrModel", name)
		}
	}
}

// A provider that the library or the machine lacks, or that cannot compute the model.
func TestLoadRefusesProviders(t *testing.T) {
	for provider, words := range map[Provider]string{
		"openvino": "not available", "coreml": "not available", "directml": "not available", "directml:a=b": "no options",
		"tensorrt": "not available",
	} {
		_, err := loadFile("good", Options{Provider: provider})
		checkError(t, err, "good.onnx", string(provider), words)
	}
	_, err := loadFile("int8", Options{Provider: WebGPU})
	checkError(t, err, "int8.onnx", "8-bit", "float16")
}

// A file that has the digest of its weights in it needs none beside it; others do.
func TestSealedFilesVouchForThemselves(t *testing.T) {
	for name, want := range map[string]bool{"good": false, "typed": true, "dynamo": true} {
		if got := !load(t, name).Metadata().Unsealed; got != want {
			t.Errorf("%s: vouched for %v", name, got)
		}
	}
	s, err := loadFile("good", Options{SHA256: load(t, "good").SHA256()})
	if err != nil || s.Metadata().Unsealed {
		t.Fatalf("with its digest: %v", err)
	}
	s.Close()
}

// PyTorch's default exporter computes the shape of the policy from the board's sides.
// The file computes what PyTorch computed.
func TestDynamo(t *testing.T) {
	text, err := os.ReadFile("testdata/dynamo.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(text))[1:]
	got := outputs(t, load(t, "dynamo"))
	if len(words) != len(got) {
		t.Fatalf("%d numbers, want %d", len(got), len(words))
	}
	for i, word := range words {
		want, err := strconv.ParseFloat(word, 32)
		if err != nil || math.Abs(want-float64(got[i])) > 1e-5 {
			t.Errorf("number %d is %g, want %s", i, got[i], word)
		}
	}
}

// outputs returns policy and value of 7x7 planes of ones and globals of a half.
func outputs(t *testing.T, s *Session) []float32 {
	t.Helper()
	b := nn.NewBatch(newEncoder().Shape(), 1)
	for i := range b.Planes(0) {
		b.Planes(0)[i] = 1
	}
	for i := range b.Globals(0) {
		b.Globals(0)[i] = 0.5
	}
	b.SetLen(1)
	if err := s.Forward(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(b.Policy(0), b.Value(0))
}
