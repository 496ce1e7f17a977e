package gomoku

import (
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn"
)

var _ nn.Encoder = (*Encoder)(nil)

// Encoder is the nn.Encoder of gomoku's input planes, version 1, for one rule
// set and board size. It reads positions that are a *pattern.Board or a
// *gomoku.Board of that rule set and size, and panics on any other. A plain
// gomoku.Board is copied to a pattern.Board of the encoder's own, which is fastest a
// few moves from the one encoded last. Encode allocates nothing after its first
// plain board, Key nothing.
//
// The package comment defines the planes.
type Encoder struct {
	rules  gomoku.Rules
	size   int
	turned *images
	salt   nn.Key
	board  *pattern.Board // copy of the last plain board; nil before the first
}

// images[s][c] is the image of cell c under symmetry s. They are shared by an
// encoder and its clones, and never change.
type images [gomoku.Symmetries][]int16

func newImages(size int) *images {
	var turned images
	for s := range turned {
		turned[s] = make([]int16, size*size)
		for c := range turned[s] {
			turned[s][c] = int16(gomoku.Transform(size, s, c))
		}
	}
	return &turned
}

// New returns an encoder for rules and size. It fails where gomoku.New does.
func New(rules gomoku.Rules, size int) (*Encoder, error) {
	if _, err := gomoku.New(rules, size); err != nil {
		return nil, fmt.Errorf("no input planes: %w", err)
	}
	return &Encoder{rules: rules, size: size, turned: newImages(size), salt: newSalt(&rules, size, Version)}, nil
}

// Clone returns an encoder with a board of its own.
func (e *Encoder) Clone() nn.Encoder {
	c := *e
	c.board = nil
	return &c
}

// Version returns [Version].
func (e *Encoder) Version() string { return Version }

// Symmetries returns 8, those of the square.
func (e *Encoder) Symmetries() int { return gomoku.Symmetries }

// Shape returns [Planes] planes of size*size cells, [Globals] scalars and an
// action for each cell.
func (e *Encoder) Shape() nn.Shape {
	n := e.size
	return nn.Shape{Planes: Planes, Height: n, Width: n, Globals: Globals, Actions: n * n}
}

// Action returns the cell that m's cell becomes under sym, in any position.
func (e *Encoder) Action(_ game.Position, m game.Move, sym int) int { return int(e.turned[sym][m]) }

// plain returns the plain board of pos.
func (e *Encoder) plain(pos game.Position) *gomoku.Board {
	var b *gomoku.Board
	switch p := pos.(type) {
	case *gomoku.Board:
		b = p
	case *pattern.Board:
		b = p.Board()
	default:
		panic(fmt.Sprintf("nn/gomoku: %T is no gomoku position", pos))
	}
	if b.Size() != e.size {
		panic(fmt.Sprintf("nn/gomoku: board of size %d given to the encoder for size %d", b.Size(), e.size))
	}
	return b
}

// patterned returns pos if it has patterns, else a copy of it that has.
func (e *Encoder) patterned(pos game.Position) *pattern.Board {
	b := e.plain(pos)
	if p, ok := pos.(*pattern.Board); ok {
		return p
	}
	if e.board == nil {
		e.board = pattern.FromBoard(b)
	} else {
		e.board.CopyFrom(b)
	}
	return e.board
}
