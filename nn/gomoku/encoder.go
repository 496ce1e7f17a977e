// Package gomoku turns gomoku positions into the input of a network: the input
// planes, the policy's action indices and the cache key. [Encoder], version 1 of
// the planes, is an nn.Encoder for one rule set and board size.
//
// # Layout
//
// Cell c = y*size + x of the board stands at row y, column x of every plane
// [size, size], row "1" first, and the policy index of a move is its cell; a
// symmetry s carries both to gomoku.Transform(size, s, c). [PlaneNames] and
// [GlobalNames] list the inputs in order. Own and opponent are seen from the
// side to move.
//
// The position is Markov: no plane reads the history, so positions that were
// reached in different orders share a key.
//
// # Definitions
//
// Let S be either side and T the other. S is treated as if it were to move.
//
// The line rule says which runs win. A run is the longest unbroken sequence of
// S's stones through a cell in one of the four directions; an end of it is
// blocked if the next cell holds T's stone and the rules have OpponentBlocks,
// or lies beyond the edge and the rules have EdgeBlocks. A run of exactly five
// wins unless both of its ends are blocked. A longer run wins unless the rules
// are Exact for S. Shorter runs never win.
//
// An empty cell is allowed to S if gomoku.Board.AllowedFor says so: it is not
// one of the forbidden points of renju for a restricted S, nor one of the
// double-threes of school42. (The opening restriction counts too, but holds on
// boards of two stones, which have no points and no captures.)
//
// W(S) is the set of empty cells, allowed or not, where S's stone becomes part
// of a winning run. W depends on the lines alone: the stone is placed and nothing
// else changes. Captures that it makes are not removed, captures in reply are
// ignored, and cells that would be forbidden (a double-three of school42 that makes
// a five) stay in W.
//
//   - Five point of S: an empty cell, allowed to S, that is in W(S), or, under
//     the capture rule, where S's stone captures so many stones that S has
//     taken ten or more.
//   - Four point of S: an empty cell c, allowed to S, such that with S's stone
//     on c some cell is in W(S) that was not in W(S) before. A cell that was in
//     W(S) by one line and now is by two does not count.
//   - Open-four point of S: an empty cell c, allowed to S, such that with S's
//     stone on c, W(S) is not empty, and is still not empty after any one stone
//     of T on any other empty cell. T's stone may be one that T is not allowed
//     to play.
//
// The definitions apply literally. The three sets overlap: a five point can be a
// four point and an open-four point as well. A side that already has two five points
// that no single stone removes has an open-four point in every allowed cell that does
// not spoil them. Taking the tenth stone makes a five point, never a four point or an
// open-four point. A stone of T removes a cell from W(S) by standing on it or, with
// OpponentBlocks, by blocking the second end of the five; it may remove several cells
// at once.
//
// Consequences for each rule set:
//
//   - freestyle, and white in renju: five or more; only the cell itself is a defence.
//   - standard, and black in renju: exactly five, so S's own stone next to the
//     run spoils it, and a stone can take cells out of W. Black's cells that
//     make exactly five are always allowed.
//   - caro, caro-edge: exactly five and not blocked at both ends; caro-edge
//     counts the edge as a block, so that near it one stone of T beyond the
//     other end is one too.
//   - caro-overline, caro-edge-overline: a five as there, and six or more
//     always.
//   - school42: five or more, never blocked; whether a capture could break the
//     five is left out.
//
// A stone of S is capturable if T could take it by one stone on an empty cell
// allowed to T: it belongs to a pair, exactly two stones of S in a row, which
// T's stone and one already there enclose. Without the capture rule none is.
//
// The plane of forbidden cells holds the empty cells that the side to move may
// not play: gomoku.Board.Forbidden, the opening restriction at the third stone
// included.
//
// All of this is a function of the stones, the side to move and the captured counts,
// also for finished games.
//
// # Method
//
// A pattern.Board keeps the points up to date while moves are played, and the encoder
// copies them. It first copies a plain board to a pattern.Board of its own. The tests
// compute the same planes cell by cell from the definitions, and compare them bit for bit.
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
