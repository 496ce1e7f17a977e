package alphabeta_test

import (
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
)

// tree is a game drawn by lot: from every position two to five moves, each
// ending the game now and then, with any outcome. A turn can be skipped.
type tree struct {
	hash   uint64
	toMove game.Side
	path   []uint64 // hashes before
}

func newTree(seed uint64) *tree { return &tree{hash: mix(seed, 99)} }

func (t *tree) ToMove() game.Side { return t.toMove }
func (t *tree) Ply() int          { return len(t.path) }
func (t *tree) Hash() uint64      { return t.hash }
func (t *tree) MaxMoves() int     { return 5 }
func (t *tree) n() int            { return 2 + int(t.hash>>20%4) }

func (t *tree) Outcome() game.Outcome {
	if len(t.path) == 0 {
		return game.Undecided
	}
	switch t.hash >> 32 % 40 {
	case 0, 1:
		return game.WinFor(t.toMove.Other())
	case 2:
		return game.WinFor(t.toMove)
	case 3:
		return game.Draw
	}
	return game.Undecided
}

func (t *tree) Reason() game.Reason {
	if t.Outcome() == game.Undecided {
		return game.NoReason
	}
	return game.Full
}

func (t *tree) Moves(buf []game.Move) []game.Move {
	if t.Outcome() != game.Undecided {
		return buf
	}
	for m := range t.n() {
		buf = append(buf, game.Move(7*m))
	}
	return buf
}

func (t *tree) Wins(buf []game.Move) []game.Move {
	if t.Outcome() != game.Undecided {
		return buf
	}
	side := t.toMove
	for i := range t.n() {
		m := game.Move(7 * i)
		t.Play(m)
		if t.Outcome() == game.WinFor(side) {
			buf = append(buf, m)
		}
		t.Undo()
	}
	return buf
}

func (t *tree) Legal(m game.Move) bool {
	return t.Outcome() == game.Undecided && m%7 == 0 && int(m/7) < t.n()
}

func (t *tree) Play(m game.Move) {
	t.path = append(t.path, t.hash)
	t.hash = mix(t.hash, uint64(m))
	t.toMove = t.toMove.Other()
}

func (t *tree) Undo() {
	t.hash = t.path[len(t.path)-1]
	t.path = t.path[:len(t.path)-1]
	t.toMove = t.toMove.Other()
}

func (t *tree) Clone() game.Position {
	c := *t
	c.path = slices.Clone(t.path)
	return &c
}

func TestTreeConforms(t *testing.T) {
	for seed := range uint64(4) {
		gametest.Conformance(t, func() game.Position { return newTree(seed) })
	}
}
