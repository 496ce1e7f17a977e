package gomoku

import (
	"fmt"
	"math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/nn"
)

// HistoryVersion names the input planes with history, as in a model's metadata.
const HistoryVersion = "gomoku-history-1"

// Earlier is the number of earlier boards in the planes with history.
const Earlier = 3

// HistoryPlanes is the number of planes with history: those of version 1, and two for each
// earlier board.
const HistoryPlanes = Planes + 2*Earlier

// HistoryPlaneNames returns the names of the planes with history in order, in a slice of
// the caller's own.
func HistoryPlaneNames() []string {
	names := PlaneNames()
	for k := 1; k <= Earlier; k++ {
		names = append(names, fmt.Sprintf("own_%d", k), fmt.Sprintf("opp_%d", k))
	}
	return names
}

var _ nn.Encoder = (*HistoryEncoder)(nil)

// HistoryEncoder is the nn.Encoder of gomoku's input planes with history: the planes and
// globals of an [Encoder], and the three boards before. What it reads of a position
// includes the last moves, so positions that were reached in different orders have
// different keys. It allocates no more than an Encoder.
//
// The package comment defines the planes.
type HistoryEncoder struct {
	now    *Encoder
	bottom nn.Key // part of keys that stands for an earlier board without stones
}

// NewHistory returns an encoder with history for rules and size. It fails where
// gomoku.New does.
func NewHistory(rules gomoku.Rules, size int) (*HistoryEncoder, error) {
	now, err := New(rules, size)
	if err != nil {
		return nil, err
	}
	now.salt = newSalt(&rules, size, HistoryVersion)
	return &HistoryEncoder{now: now, bottom: nn.Key{mix(now.salt[0]), mix(now.salt[1])}}, nil
}

// Clone returns an encoder with a board of its own.
func (h *HistoryEncoder) Clone() nn.Encoder {
	c := *h
	c.now = h.now.Clone().(*Encoder)
	return &c
}

// Version returns [HistoryVersion].
func (h *HistoryEncoder) Version() string { return HistoryVersion }

// Symmetries returns 8, those of the square.
func (h *HistoryEncoder) Symmetries() int { return h.now.Symmetries() }

// Shape returns [HistoryPlanes] planes of size*size cells, [Globals] scalars and an
// action for each cell.
func (h *HistoryEncoder) Shape() nn.Shape {
	s := h.now.Shape()
	s.Planes = HistoryPlanes
	return s
}

// Action returns the cell that m's cell becomes under sym, in any position.
func (h *HistoryEncoder) Action(pos game.Position, m game.Move, sym int) int {
	return h.now.Action(pos, m, sym)
}

// Encode writes the planes and globals of pos as the package comment defines them, all
// planes under symmetry sym.
func (h *HistoryEncoder) Encode(pos game.Position, sym int, planes, globals []float32) {
	h.now.Encode(pos, sym, planes, globals)
	b, n := h.now.plain(pos), h.now.size*h.now.size
	old := planes[Planes*n : HistoryPlanes*n]
	clear(old)
	own, stones := b.ToMove(), b.Layout()
	for k := 1; k <= Earlier && b.Retract(k, &stones); k++ {
		for view, side := range [2]game.Side{own, own.Other()} {
			markRows(old[(2*(k-1)+view)*n:], h.now.turned[sym], h.now.size, &stones[side])
		}
	}
}

// markRows sets the images of stones, which are given by row, to 1.
func markRows(plane []float32, turned []int16, size int, rows *[gomoku.MaxSize]uint32) {
	for y, w := range rows[:size] {
		for ; w != 0; w &= w - 1 {
			plane[turned[y*size+bits.TrailingZeros32(w)]] = 1
		}
	}
}

// Key covers what [Encoder.Key] covers, and the stones on each of the earlier boards.
func (h *HistoryEncoder) Key(pos game.Position) nn.Key {
	b, k := h.now.plain(pos), h.now.Key(pos)
	for n := 1; n <= Earlier; n++ {
		before, ok := b.KeyBefore(n)
		if !ok {
			before = h.bottom
		}
		k = nn.Key{mix(k[0] ^ bits.RotateLeft64(before[0], n)), mix(k[1] ^ bits.RotateLeft64(before[1], n))}
	}
	return k
}
