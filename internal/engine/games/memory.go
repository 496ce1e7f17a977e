package games

import (
	"github.com/carozero/carozero/nn"
)

import "math"

// What the parts of a search take, in bytes. These are estimates from above, to
// refuse in time what no machine has.
const (
	threadBytes  = 4 << 20 // of the classical search: histories and stack
	edgeBytes    = 6       // of a tree: a legal move
	nodeBytes    = 32 + 4*12
	slackBytes   = 2 // slabs grow by doubling
	keptPlayouts = 4 // a tree that is kept from move to move holds so many searches
)

// moves returns the most moves that a position of the variant has.
func (v Variant) moves() int {
	pos, err := v.Start()
	if err != nil {
		return v.Size * v.Size
	}
	return pos.MaxMoves()
}

// TreeBytes returns what a search tree of so many playouts a move, 0 for any
// number, may take within its bound in MiB.
func (v Variant) TreeBytes(playouts, mebibytes int) int64 {
	bound := int64(mebibytes) << 20
	each := int64(slackBytes * (nodeBytes + edgeBytes*v.moves()))
	if playouts == 0 || int64(playouts) > math.MaxInt64/each/keptPlayouts {
		return bound
	}
	return min(bound, keptPlayouts*each*int64(playouts))
}

// RowBytes returns what a position that waits for a network takes at most: its inputs and
// outputs.
func (v Variant) RowBytes() int64 {
	most := int64(4 * v.moves()) // no network: the moves' priors
	for _, in := range v.game.Inputs {
		if enc, err := in.Encoder(v); err == nil {
			s := enc.Shape()
			most = max(most, int64(4*(s.Planes*s.Height*s.Width+s.Globals+s.Actions)))
		}
	}
	return most
}

// ClassicalBytes returns what a classical search takes.
func ClassicalBytes(threads, tableMiB int) int64 {
	return int64(threads)*threadBytes + int64(tableMiB)<<20
}

// CacheTable returns a table for the variant's results, to be shared by the
// evaluators of one network.
func (v Variant) CacheTable(bytes int) (*nn.CacheTable, error) {
	pos, err := v.Start()
	if err != nil {
		return nil, err
	}
	return nn.NewCacheTable(bytes, pos.MaxMoves()), nil
}
