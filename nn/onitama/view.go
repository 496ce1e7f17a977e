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

// card returns c's image in the view.
func (v *view) card(c onitama.Card) onitama.Card {
	if v.mirror {
		return v.cards.image[c]
	}
	return c
}

// hand returns the cards of a side as the view has them, in ascending order.
func (v *view) hand(s game.Side) [2]onitama.Card {
	hand := v.board.Hand(s)
	a, b := v.card(hand[0]), v.card(hand[1])
	return [2]onitama.Card{min(a, b), max(a, b)}
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

// faces holds the data of the cards that the planes need.
type faces struct {
	ahead [onitama.Cards]uint32       // squares that the card's vectors lead to from c3
	image [onitama.Cards]onitama.Card // the card with the mirrored vectors
}

// sharedFaces builds the faces when they are first needed.
var sharedFaces = sync.OnceValue(newFaces)

func newFaces() *faces {
	f := new(faces)
	var mirrored [onitama.Cards]uint32
	for c := range onitama.Card(onitama.Cards) {
		for _, v := range c.Vectors() {
			f.ahead[c] |= 1 << (side*(2+int(v.DY)) + 2 + int(v.DX))
			mirrored[c] |= 1 << (side*(2+int(v.DY)) + 2 - int(v.DX))
		}
	}
	for c, want := range mirrored {
		for other, ahead := range f.ahead {
			if ahead == want {
				f.image[c] = onitama.Card(other)
			}
		}
	}
	return f
}
