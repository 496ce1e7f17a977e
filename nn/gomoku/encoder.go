package gomoku

import (
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn"
)

var _ nn.Encoder = (*Encoder)(nil)

// Wrapper is a position that wraps a gomoku board, such as one that keeps
// patterns up to date beside it.
type Wrapper interface {
	// Board returns the wrapped board. An Encoder only reads it, before the
	// call it was given the position in returns.
	Board() *gomoku.Board
}

// Encoder is the nn.Encoder of gomoku's input planes, version 1, for one rule
// set and board size. It reads positions that are a *gomoku.Board of that rule
// set and size, or a [Wrapper] with one; any other position is a misuse and
// panics. The points of a *pattern.Board are copied from it, with the same
// result. Encode and Key allocate nothing.
//
// The package comment defines the planes.
type Encoder struct {
	rules gomoku.Rules
	geo   *geometry
	salt  nn.Key

	// Scratch of one Encode.
	cells     []flags
	masks     [2][]uint32 // line masks of own and opponent's stones
	points    points
	captures  captures
	forbidden []game.Move
}

// New returns an encoder for rules and size. It fails where gomoku.New does.
func New(rules gomoku.Rules, size int) (*Encoder, error) {
	if _, err := gomoku.New(rules, size); err != nil {
		return nil, fmt.Errorf("no input planes: %w", err)
	}
	return newEncoder(rules, newGeometry(size)), nil
}

func newEncoder(rules gomoku.Rules, g *geometry) *Encoder {
	n := g.size * g.size
	e := &Encoder{
		rules:     rules,
		geo:       g,
		salt:      newSalt(&rules, g.size),
		cells:     make([]flags, n),
		captures:  newCaptures(g),
		forbidden: make([]game.Move, 0, n),
	}
	e.points = newPoints(g, e.cells)
	for i := range e.masks {
		e.masks[i] = make([]uint32, len(g.lines))
	}
	return e
}

// Clone returns an encoder with scratch memory of its own.
func (e *Encoder) Clone() nn.Encoder { return newEncoder(e.rules, e.geo) }

// Version returns [Version].
func (e *Encoder) Version() string { return Version }

// Symmetries returns 8, those of the square.
func (e *Encoder) Symmetries() int { return gomoku.Symmetries }

// Shape returns [Planes] planes of size*size cells, [Globals] scalars and an
// action for each cell.
func (e *Encoder) Shape() nn.Shape {
	n := e.geo.size
	return nn.Shape{Planes: Planes, Height: n, Width: n, Globals: Globals, Actions: n * n}
}

// Action returns the cell that m's cell becomes under sym, in any position.
func (e *Encoder) Action(_ game.Position, m game.Move, sym int) int { return int(e.geo.turned[sym][m]) }

// Encode writes the planes and globals of pos as the package comment defines
// them, the planes under symmetry sym.
func (e *Encoder) Encode(pos game.Position, sym int, planes, globals []float32) {
	b := e.board(pos)
	n := len(e.cells)
	planes = planes[:Planes*n]
	board := planes[PlaneBoard*n : (PlaneBoard+1)*n]
	for i := range board {
		board[i] = 1
	}
	clear(planes[(PlaneBoard+1)*n:])
	if p, ok := pos.(*pattern.Board); ok {
		e.globals(b, e.fromPattern(p, sym, planes), globals)
		return
	}

	stones := e.judge(b)
	turned := e.geo.turned[sym]
	for c, f := range e.cells {
		for ; f != 0; f &= f - 1 {
			planes[f.lowest()*n+int(turned[c])] = 1
		}
	}
	e.globals(b, stones, globals)
}

// globals writes the scalar inputs of b, which holds that many stones.
func (e *Encoder) globals(b *gomoku.Board, stones int, out []float32) {
	r, own := &e.rules, b.ToMove()
	opp := own.Other()
	_ = out[Globals-1]
	out[GlobalExactOwn] = truth(r.Exact[own])
	out[GlobalExactOpp] = truth(r.Exact[opp])
	out[GlobalOppBlocks] = truth(r.OpponentBlocks)
	out[GlobalEdgeBlocks] = truth(r.EdgeBlocks)
	out[GlobalOverlineFree] = truth(r.OverlineFree)
	out[GlobalRenjuOwn] = truth(r.Renju[own])
	out[GlobalRenjuOpp] = truth(r.Renju[opp])
	out[GlobalDoubleThree] = truth(r.DoubleThree)
	out[GlobalCaptures] = truth(r.Captures)
	out[GlobalCapturedOwn] = float32(b.Captured(own)) / 10
	out[GlobalCapturedOpp] = float32(b.Captured(opp)) / 10
	out[GlobalFill] = float32(stones) / float32(len(e.cells))
	out[GlobalSize] = float32(e.geo.size) / 20
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// board returns the board of pos.
func (e *Encoder) board(pos game.Position) *gomoku.Board {
	var b *gomoku.Board
	switch p := pos.(type) {
	case *gomoku.Board:
		b = p
	case Wrapper:
		b = p.Board()
	default:
		panic(fmt.Sprintf("nn/gomoku: %T is no gomoku position", pos))
	}
	if b.Size() != e.geo.size {
		panic(fmt.Sprintf("nn/gomoku: board of size %d given to the encoder for size %d", b.Size(), e.geo.size))
	}
	return b
}
