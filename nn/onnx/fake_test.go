//go:build cgo

package onnx

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
)

// library is the process's only runtime, opened by TestMain.
var library *Runtime

func TestMain(m *testing.M) {
	var err error
	if library, err = Find(search()); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL: these tests need ONNX Runtime:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// search says where the tests find the runtime.
func search() Search {
	s := Search{Env: os.Getenv("CAROZERO_ONNXRUNTIME")}
	if cache, err := os.UserCacheDir(); err == nil {
		s.CacheDir = filepath.Join(cache, "carozero")
	}
	return s
}

// flatEncoder encodes what a position's hash says, for a 7x7 board: enough to
// tell positions apart, with the shapes of a gomoku model.
type flatEncoder struct {
	version string
	shape   nn.Shape
}

func newEncoder() *flatEncoder {
	return &flatEncoder{"gomoku-1", nn.Shape{Planes: 12, Height: 7, Width: 7, Globals: 13, Actions: 49}}
}

func (e *flatEncoder) Shape() nn.Shape                                { return e.shape }
func (e *flatEncoder) Version() string                                { return e.version }
func (e *flatEncoder) Symmetries() int                                { return 1 }
func (e *flatEncoder) Action(_ game.Position, m game.Move, _ int) int { return int(m) }
func (e *flatEncoder) Key(pos game.Position) nn.Key                   { return nn.Key{pos.Hash(), 1} }
func (e *flatEncoder) Clone() nn.Encoder                              { return e }
func (e *flatEncoder) Encode(pos game.Position, _ int, planes, globals []float32) {
	rng := rand.New(rand.NewPCG(pos.Hash(), 1))
	for i := range planes {
		planes[i] = float32(rng.IntN(4) / 3)
	}
	for i := range globals {
		globals[i] = float32(rng.IntN(10)) / 10
	}
}

// hashed is a position with nothing but a hash and all moves of the board.
type hashed struct {
	game.Position
	hash uint64
}

func (h hashed) Hash() uint64 { return h.hash }

func (h hashed) Moves(buf []game.Move) []game.Move {
	for m := range game.Move(49) {
		buf = append(buf, m)
	}
	return buf
}

func positions(n int) []game.Position {
	list := make([]game.Position, n)
	for i := range list {
		list[i] = hashed{hash: uint64(i) * 77}
	}
	return list
}

func load(t testing.TB, name string) *Session {
	t.Helper()
	s, err := loadFile(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fill encodes n positions into a new batch.
func fill(n int) *nn.Batch {
	enc := newEncoder()
	b := nn.NewBatch(enc.Shape(), n)
	for i, pos := range positions(n) {
		enc.Encode(pos, 0, b.Planes(i), b.Globals(i))
	}
	b.SetLen(n)
	return b
}

// loadFile loads a file of testdata.
func loadFile(name string, opts Options) (*Session, error) {
	path := filepath.Join("testdata", name+".onnx")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return library.Load(path, data, opts)
}
