package onitama

import (
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
)

// view is a position as its side to move sees it, mirrored or not.
type view struct {
	cards  *faces
	board  *onitama.Board
	own    game.Side
	mirror bool
}

// square returns where a square of the board stands in the view.
func (v *view) square(sq int) int {
	if v.own == game.Second {
		sq = squares - 1 - sq
	}
	if v.mirror {
		sq += side - 1 - 2*(sq%side)
	}
	return sq
}

// vectors returns the squares that a card leads to from c3, as its holder sees it.
func (v *view) vectors(c onitama.Card) uint32 {
	if v.mirror {
		return v.cards.mirrored[c]
	}
	return v.cards.ahead[c]
}

// hand returns the vectors of the cards of a side, the smaller set first: an order that
// depends on nothing but what the cards do.
func (v *view) hand(s game.Side) [2]uint32 {
	hand := v.board.Hand(s)
	a, b := v.vectors(hand[0]), v.vectors(hand[1])
	return [2]uint32{min(a, b), max(a, b)}
}

// pieces writes the planes [2, 5, 5] of a side's students and master; the plane of a
// captured master is empty.
func (v *view) pieces(planes []float32, s game.Side) {
	master := v.board.Master(s)
	for sq := range squares {
		if v.board.Pieces(s)>>sq&1 == 0 {
			continue
		}
		plane := 0
		if sq == master {
			plane = squares
		}
		planes[plane+v.square(sq)] = 1
	}
}

// faces holds the data of the cards that the planes need: the squares, as a set, that a
// card's vectors lead to from c3, and those in the mirror.
type faces struct{ ahead, mirrored [onitama.Cards]uint32 }

// sharedFaces builds the faces when they are first needed.
var sharedFaces = sync.OnceValue(newFaces)

func newFaces() *faces {
	f := new(faces)
	for c := range onitama.Card(onitama.Cards) {
		for _, v := range c.Vectors() {
			f.ahead[c] |= 1 << (side*(2+int(v.DY)) + 2 + int(v.DX))
			f.mirrored[c] |= 1 << (side*(2+int(v.DY)) + 2 - int(v.DX))
		}
	}
	return f
}
