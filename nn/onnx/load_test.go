//go:build cgo

package onnx

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
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
