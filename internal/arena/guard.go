package arena

import (
	"context"

	"github.com/carozero/carozero/game"
)

// Ranker is a [Player] that can say which moves it prefers.
type Ranker interface {
	// Ranked appends to buf the moves that the last call of Move weighed, best
	// first, and returns the extended slice.
	Ranked(buf []game.Move) []game.Move
}

// Guard adds a rule of one ply to another player: it wins at once where it
// can, and otherwise does not leave the opponent a move that wins at once if
// there is a way not to. In all else it plays the inner player's moves. It
// gives a player without knowledge the one skill without which its strength
// cannot be measured.
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

// Move implements [Player]. Among moves that are safe where the inner
// player's is not, it takes the one that the inner player ranks first if it
// is a [Ranker], and otherwise the one of the lowest number.
func (g *Guard) Move(ctx context.Context, pos game.Position, clock Clock) (game.Move, error) {
	g.buf = pos.Wins(g.buf[:0])
	if len(g.buf) > 0 {
		return g.buf[0], nil
	}
	m, err := g.inner.Move(ctx, pos.Clone(), clock)
	if err != nil || !pos.Legal(m) || g.safe(pos, m) {
		return m, err
	}
	g.buf = g.buf[:0]
	if r, ok := g.inner.(Ranker); ok {
		g.buf = r.Ranked(g.buf)
	}
	g.buf = pos.Moves(g.buf)
	for _, other := range g.buf {
		if pos.Legal(other) && g.safe(pos, other) {
			return other, nil
		}
	}
	return m, nil
}

// safe reports whether the opponent neither has won nor can win at once after
// m.
func (g *Guard) safe(pos game.Position, m game.Move) bool {
	if cap(g.reply) < pos.MaxMoves() {
		g.reply = make([]game.Move, 0, pos.MaxMoves())
	}
	return !losesAtOnce(pos, m, g.reply)
}
