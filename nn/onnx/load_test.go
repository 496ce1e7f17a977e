//go:build cgo

package onnx

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/carozero/carozero/nn"
)

func TestLoadReadsTheMetadata(t *testing.T) {
	m := load(t, "good").Metadata()
	if m.Planes != "gomoku-1" || !slices.Equal(m.Rules, []string{"freestyle", "caro"}) ||
		nn.FormatSizes(m.Sizes) != "5-15" || m.Run != "test" {
		t.Errorf("metadata %+v", m)
	}
}

func TestLoadRefusesModels(t *testing.T) {
	for name, words := range map[string][]string{
		"wrong-names": {"wrong-names.onnx", "policy", "moves"},
		"fixed-batch": {"fixed-batch.onnx", "4", "dynamic"},
		"no-metadata": {"no-metadata.onnx", "carozero.planes"},
	} {
		_, err := library.LoadFile(filepath.Join("testdata", name+".onnx"), Options{})
		checkError(t, err, words...)
		if !errors.Is(err, nn.ErrModel) {
			t.Errorf("%s: the error does not wrap ErrModel", name)
		}
	}
}

func TestCheckRefusesEncoders(t *testing.T) {
	checkError(t, load(t, "wrong-planes").Check(newEncoder()), "wrong-planes.onnx", "10", "12", "planes")
	checkError(t, load(t, "other-planes").Check(newEncoder()), "gomoku-9", "gomoku-1")
	good := load(t, "good")
	if err := good.Check(newEncoder()); err != nil {
		t.Error(err)
	}
	enc := newEncoder()
	enc.shape.Globals = 14
	checkError(t, good.Check(enc), "good.onnx", "13", "14", "globals")
	if err := good.Check(enc); !errors.Is(err, nn.ErrModel) {
		t.Error("the error does not wrap ErrModel")
	}
}

func TestFixedDimensionsAreCompared(t *testing.T) {
	open := signature{planes: 12, height: dynamic, width: dynamic, globals: 13, actions: dynamic}
	shape := newEncoder().shape
	if err := open.check(shape); err != nil {
		t.Error(err)
	}
	for what, fix := range map[string]func(s *signature){
		"rows":    func(s *signature) { s.height = 15 },
		"columns": func(s *signature) { s.width = 15 },
		"actions": func(s *signature) { s.actions = 225 },
	} {
		s := open
		fix(&s)
		checkError(t, s.check(shape), what, "needed")
	}
}

func TestLoadDamagedFiles(t *testing.T) {
	data, err := os.ReadFile("testdata/good.onnx")
	if err != nil {
		t.Fatal(err)
	}
	good := load(t, "good").SHA256()
	for _, size := range []int{0, 1, 100, len(data) / 2, len(data) - 1} {
		_, err := library.Load("cut.onnx", data[:size], Options{})
		checkError(t, err, "cut.onnx", "complete")
	}
	_, err = library.Load("text.onnx", []byte("this is a text\n"), Options{})
	checkError(t, err, "text.onnx", "ONNX")

	// A bit flipped inside the weights loads, so only the digest tells.
	flipped := slices.Clone(data)
	flipped[2000] ^= 0x10
	s, err := library.Load("flipped.onnx", flipped, Options{})
	if err != nil {
		t.Fatalf("a bit that was meant to be inside the weights is not: %v", err)
	}
	s.Close()
	_, err = library.Load("flipped.onnx", flipped, Options{SHA256: good})
	checkError(t, err, "flipped.onnx", "SHA-256", good, "damaged")
	if s, err = library.Load("good.onnx", data, Options{SHA256: strings.ToUpper(good)}); err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// A file that has the digest of its weights in it needs none beside it; others do.
func TestSealedFilesVouchForThemselves(t *testing.T) {
	for name, want := range map[string]bool{"good": false, "typed": true, "dynamo": true} {
		data, err := os.ReadFile("testdata/" + name + ".onnx")
		if err != nil {
			t.Fatal(err)
		}
		s, err := library.Load(name+".onnx", data, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := !s.Metadata().Unsealed; got != want {
			t.Errorf("%s: vouched for %v", name, got)
		}
		s.Close()
	}
	if load(t, "good").Metadata().Unsealed {
		t.Error("a digest lies beside good.onnx, and it is not vouched for")
	}
	data, err := os.ReadFile("testdata/dynamo.onnx")
	if err != nil {
		t.Fatal(err)
	}
	s, err := library.Load("good.onnx", data, Options{SHA256: load(t, "dynamo").SHA256()})
	if err != nil || s.Metadata().Unsealed {
		t.Errorf("with its digest beside it: %v", err)
	}
	s.Close()
	stem := slices.Index(data, byte(0x4a)) // the tag of raw data
	for at := stem; at < len(data); at += len(data) / 7 {
		flipped := slices.Clone(data)
		flipped[at] ^= 1
		if s, err := library.Load("flipped.onnx", flipped, Options{}); err == nil && !s.Metadata().Unsealed && !slices.Equal(outputs(t, s), outputs(t, load(t, "dynamo"))) {
			t.Errorf("byte %d: a damaged file loads and computes something else", at)
		}
	}
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

func TestLoadFileErrors(t *testing.T) {
	_, err := library.LoadFile("testdata/missing.onnx", Options{})
	checkError(t, err, "testdata/missing.onnx", "no such file")
	_, err = library.LoadFile("testdata", Options{})
	checkError(t, err, "testdata")
}

func TestLoadRefusesAnUnknownProvider(t *testing.T) {
	_, err := library.LoadFile("testdata/good.onnx", Options{Provider: "abacus"})
	checkError(t, err, "good.onnx", "abacus")
}

func TestLoadFileChecksTheDigestBesideIt(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "good.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "net.onnx")
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256(data)
	write(path, data)
	write(path+DigestSuffix, []byte(hex.EncodeToString(sum[:])+"  net.onnx\n"))
	s, err := library.LoadFile(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	data[len(data)/2] ^= 1
	write(path, data)
	_, err = library.LoadFile(path, Options{})
	checkError(t, err, path, "damaged")
	write(path+DigestSuffix, []byte("nonsense"))
	_, err = library.LoadFile(path, Options{})
	checkError(t, err, DigestSuffix, "sha256sum")
}

// No model is read from what is no file, or from one without an end.
func TestOnlyFilesOfASizeAreLoaded(t *testing.T) {
	dir := t.TempDir()
	sparse := filepath.Join(dir, "sparse.onnx")
	good := filepath.Join(dir, "good.onnx")
	data, err := os.ReadFile("testdata/good.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{sparse: nil, good: data, good + DigestSuffix: nil} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{sparse, good + DigestSuffix} {
		if err := os.Truncate(path, 6<<30); err != nil {
			t.Fatal(err)
		}
	}
	for path, word := range map[string]string{sparse: "512 MiB", good: "8 KiB", dir: "folder", os.DevNull: "device"} {
		_, err := library.LoadFile(path, Options{})
		checkError(t, err, path, word)
	}
}
