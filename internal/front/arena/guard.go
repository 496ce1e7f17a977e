package arena

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// Guard wraps a player with one ply of tactics: it wins at once if it can, and
// otherwise avoids moves that let the opponent win at once if possible. All
// other moves are the inner player's. It gives a player without knowledge the
// minimum skill needed to measure its strength.
type Guard struct {
	inner Player
	buf   []game.Move
	reply []game.Move
}

// NewGuard returns a Guard around inner, which it closes with itself.
func NewGuard(inner Player) *Guard { return &Guard{inner: inner} }

// NewGame implements [Player].
func (g *Guard) NewGame(ctx context.Context, start Start) error { return g.inner.NewGame(ctx, start) }

// Close implements [Player].
func (g *Guard) Close() error { return g.inner.Close() }

// Think implements [Player]. If the inner player's move is not safe, it takes
// the safe move that the inner player ranks first, or else the one with the
// lowest number.
func (g *Guard) Think(ctx context.Context, pos game.Position, limits engine.Limits) (*engine.Answer, error) {
	g.buf = pos.Wins(g.buf[:0])
	if len(g.buf) > 0 {
		return &engine.Answer{Move: g.buf[0]}, nil
	}
	a, err := g.inner.Think(ctx, pos.Clone(), limits)
	if err != nil || !pos.Legal(a.Move) || g.safe(pos, a.Move) {
		return a, err
	}
	for _, o := range a.Moves {
		g.buf = append(g.buf, o.Move)
	}
	g.buf = pos.Moves(g.buf)
	for _, other := range g.buf {
		if pos.Legal(other) && g.safe(pos, other) {
			return &engine.Answer{Move: other}, nil
		}
	}
	return a, nil
}

// safe reports whether the opponent neither has won nor can win at once after
// m.
func (g *Guard) safe(pos game.Position, m game.Move) bool {
	if cap(g.reply) < pos.MaxMoves() {
		g.reply = make([]game.Move, 0, pos.MaxMoves())
	}
	return !losesAtOnce(pos, m, g.reply)
}
