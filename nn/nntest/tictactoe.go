// Package nntest holds what tests of several packages need of networks.
package nntest

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
)

// TicTacToe implements [nn.Encoder] for the 3,3,3 game of package gametest: a plane
// of the own stones and one of the opponent's. It is a value without state.
type TicTacToe struct{}

// Shape implements [nn.Encoder].
func (TicTacToe) Shape() nn.Shape { return nn.Shape{Planes: 2, Height: 3, Width: 3, Actions: 9} }

// Version implements [nn.Encoder].
func (TicTacToe) Version() string { return "mnk-1" }

// Symmetries implements [nn.Encoder].
func (TicTacToe) Symmetries() int { return 1 }

// Action implements [nn.Encoder].
func (TicTacToe) Action(_ game.Position, m game.Move, _ int) int { return int(m) }

// Key implements [nn.Encoder].
func (TicTacToe) Key(pos game.Position) nn.Key { return nn.Key{pos.Hash()} }

// Clone implements [nn.Encoder].
func (TicTacToe) Clone() nn.Encoder { return TicTacToe{} }

// Encode implements [nn.Encoder].
func (TicTacToe) Encode(pos game.Position, _ int, planes, _ []float32) {
	p := pos.(*gametest.MNK)
	for c := range 9 {
		planes[c] = float32(p.Stones(p.ToMove()) >> c & 1)
		planes[9+c] = float32(p.Stones(p.ToMove().Other()) >> c & 1)
	}
}
