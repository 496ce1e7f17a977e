package gomoku

import (
	"fmt"
	"math/bits"
	"slices"

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

// Encode writes the planes and globals of pos as the package comment defines
// them, the planes under symmetry sym.
func (e *Encoder) Encode(pos game.Position, sym int, planes, globals []float32) {
	p, n := e.patterned(pos), e.size*e.size
	planes = planes[:Planes*n]
	board := planes[PlaneBoard*n : (PlaneBoard+1)*n]
	for i := range board {
		board[i] = 1
	}
	clear(planes[(PlaneBoard+1)*n:])
	e.globals(p.Board(), e.ones(p, sym, planes), globals)
}

// ones writes the ones of every plane but PlaneBoard under symmetry sym and returns the
// number of stones. Package pattern explains why its patterns meet the definitions of
// the package comment.
func (e *Encoder) ones(p *pattern.Board, sym int, planes []float32) (stones int) {
	n, turned := e.size*e.size, e.turned[sym]
	plane := func(i int) []float32 { return planes[i*n : (i+1)*n] }
	own, board := p.ToMove(), p.Board()

	ours, theirs := plane(PlaneOwn), plane(PlaneOpp)
	all, stone := p.Stones(), gomoku.StoneOf(own)
	for c := all.Next(0); c >= 0; c = all.Next(c + 1) {
		if board.At(c) == stone {
			ours[turned[c]] = 1
		} else {
			theirs[turned[c]] = 1
		}
		stones++
	}
	closed := p.Closed(own)
	mark(plane(PlaneForbidden), turned, &closed)
	for view, s := range [2]game.Side{own, own.Other()} {
		t := p.Threats(s)
		mark(plane(PlaneFiveOwn+view), turned, &t.Five)
		mark(plane(PlaneOpenFourOwn+view), turned, &t.OpenFour)
		mark(plane(PlaneFourOwn+view), turned, &t.Four)
		if e.rules.Captures {
			prey := p.Capturable(s)
			mark(plane(PlaneCapturableOwn+view), turned, &prey)
		}
	}
	return stones
}

// mark sets the images of the cells of s to 1.
func mark(plane []float32, turned []int16, s *pattern.Set) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			plane[turned[i<<6+bits.TrailingZeros64(w)]] = 1
		}
	}
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
	out[GlobalFill] = float32(stones) / float32(e.size*e.size)
	out[GlobalSize] = float32(e.size) / 20
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// newSalt returns the salt that makes keys of encoders with different inputs differ. It
// mixes every parameter of the rules except their name.
func newSalt(r *gomoku.Rules, size int, version string) nn.Key {
	traits := uint64(size)<<32 | uint64(r.OpenDistance)<<16
	for i, holds := range [...]bool{
		r.Exact[0], r.Exact[1], r.OpponentBlocks, r.EdgeBlocks, r.OverlineFree,
		r.Renju[0], r.Renju[1], r.DoubleThree, r.Captures,
	} {
		if holds {
			traits |= 1 << i
		}
	}
	text := uint64(0)
	for _, c := range []byte(version) {
		text = mix(text ^ uint64(c))
	}
	first := mix(text ^ traits)
	return nn.Key{first, mix(first)}
}

// Key covers the stones, the side to move, what each side has captured, the
// rules but for their name, the size and the version of the planes. Where the
// opening restriction holds follows from these.
func (e *Encoder) Key(pos game.Position) nn.Key {
	k := e.plain(pos).Key()
	return nn.Key{mix(k[0] ^ e.salt[0]), mix(k[1] ^ e.salt[1])}
}

// mix is the output function of SplitMix64 (Steele, Lea and Flood 2014), a
// permutation of the 64-bit numbers.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Version names this version of the input planes, as in a model's metadata.
const Version = "gomoku-1"

// The input planes of version 1, in order.
const (
	PlaneBoard         = iota // 1 on every cell of the board
	PlaneOwn                  // stones of the side to move
	PlaneOpp                  // stones of its opponent
	PlaneForbidden            // empty cells that the side to move may not play
	PlaneFiveOwn              // five points
	PlaneFiveOpp              //
	PlaneOpenFourOwn          // open-four points
	PlaneOpenFourOpp          //
	PlaneFourOwn              // four points
	PlaneFourOpp              //
	PlaneCapturableOwn        // own stones that the opponent could capture
	PlaneCapturableOpp        // the opponent's that the side to move could

	Planes // their number
)

// The scalar inputs of version 1, in order. A rule is 1 where it holds, else 0.
const (
	GlobalExactOwn     = iota // the side to move needs exactly five
	GlobalExactOpp            // the opponent does
	GlobalOppBlocks           // an opponent's stone blocks the end of a five
	GlobalEdgeBlocks          // the edge blocks the end of a five
	GlobalOverlineFree        // six or more win although ends block a five
	GlobalRenjuOwn            // renju restricts the side to move
	GlobalRenjuOpp            // renju restricts the opponent
	GlobalDoubleThree         // double free-threes are forbidden
	GlobalCaptures            // pairs are captured
	GlobalCapturedOwn         // stones that the side to move has taken / 10
	GlobalCapturedOpp         // stones that the opponent has taken / 10
	GlobalFill                // stones on the board / cells
	GlobalSize                // size / 20

	Globals // their number
)

var planeNames = [Planes]string{
	"board", "own", "opp", "forbidden",
	"five_own", "five_opp", "open_four_own", "open_four_opp", "four_own", "four_opp",
	"capturable_own", "capturable_opp",
}

var globalNames = [Globals]string{
	"exact_own", "exact_opp", "opp_blocks", "edge_blocks", "overline_free",
	"renju_own", "renju_opp", "double_three", "captures",
	"captured_own", "captured_opp", "fill", "size",
}

// PlaneNames returns the names of the input planes in order, in a slice of the
// caller's own.
func PlaneNames() []string { return slices.Clone(planeNames[:]) }

// GlobalNames returns the names of the scalar inputs in order, in a slice of
// the caller's own.
func GlobalNames() []string { return slices.Clone(globalNames[:]) }
