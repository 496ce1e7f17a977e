package nn

import "github.com/carozero/carozero/game"

// Shape gives the sizes of a network's inputs and outputs for one game and
// board size.
type Shape struct {
	Planes  int // binary input planes
	Height  int // rows of a plane
	Width   int // columns of a plane
	Globals int // scalar inputs
	Actions int // entries of the policy output
}

// PlaneSize returns the number of float32 values that the planes of one
// position take: Planes*Height*Width.
func (s Shape) PlaneSize() int { return s.Planes * s.Height * s.Width }

// Key identifies the input of a network: two positions of one encoder with
// equal keys have equal planes, globals, legal moves and actions.
type Key [2]uint64

// Encoder turns positions of one game, rule set and board size into the input
// of a network. It belongs to the game and to a version of the input planes.
// An Encoder holds scratch memory: it belongs to one goroutine; Clone makes
// another.
type Encoder interface {
	// Shape returns the sizes, which never change.
	Shape() Shape

	// Version names the planes' version, as in a model's metadata: "gomoku-1". A game
	// may have several versions side by side; [Variant] has their encoders.
	Version() string

	// Symmetries returns the number of symmetries that Encode and Action
	// accept, numbered from 0, the identity.
	Symmetries() int

	// Encode writes the input of pos, transformed by the symmetry sym, to
	// planes [Planes, Height, Width] and globals [Globals]; every value is
	// overwritten. Values are seen from the side to move.
	Encode(pos game.Position, sym int, planes, globals []float32)

	// Action returns the policy index, in 0..Actions-1, of m, a legal move of pos,
	// under the symmetry sym. Different moves of a position have different indices.
	Action(pos game.Position, m game.Move, sym int) int

	// Key covers exactly what Encode reads, including rule set and size. Symmetric
	// positions have different keys.
	Key(pos game.Position) Key

	// Clone returns an Encoder for another goroutine.
	Clone() Encoder
}
