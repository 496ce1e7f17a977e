package search

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
)

// Centre is an engine that begins games in the centre of the board. It is for play against
// people; self-play and matches know nothing of it.
//
// The tree search by itself opens caro with f6; but asked about White's answers with 20,000
// playouts each, it gives Black 69.2% after h8 and 68.2% after f6.
type Centre struct {
	engine.Engine
	variant games.Variant
}

// NewCentre returns e with that rule, for positions of a variant.
func NewCentre(e engine.Engine, v games.Variant) *Centre { return &Centre{e, v} }

// centreNodes bounds the search of an empty board, whose move is settled.
const centreNodes = 200

// Think implements [engine.Engine]. On an empty board the engine judges the centre alone, by
// a short search, unless moves are barred already or several are to be judged.
func (e *Centre) Think(ctx context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	m, ok := e.variant.Centre(pos)
	if !ok || l.Restrict != nil || l.Lines > 1 {
		return e.Engine.Think(ctx, pos, l)
	}
	l.Restrict = &engine.Restriction{Plies: 1, Barred: func(ply int, _ game.Side, other game.Move) bool {
		return ply == 0 && other != m
	}}
	if l.Nodes == 0 || l.Nodes > centreNodes {
		l.Nodes = centreNodes
	}
	return e.Engine.Think(ctx, pos, l)
}
