package bitbase

import (
	"fmt"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
)

// Deals is the number of ways to deal five cards: two to the side to move, two to
// the other side, one aside.
const Deals = 30

// deal says who has which card, as numbers 0..4 of the five cards in ascending
// order.
type deal struct {
	own, opp [2]uint8 // the hands, ascending
	side     uint8
}

// number returns the number of the deal, 0..29: three times the rank of the
// mover's hand in 01 02 03 04 12 13 14 23 24 34, plus the rank of the side card
// among the other three cards.
func (d deal) number() int {
	hand := 0
	for low := uint8(0); low < d.own[0]; low++ {
		hand += 4 - int(low)
	}
	hand += int(d.own[1]-d.own[0]) - 1
	side := int(d.side)
	for _, c := range d.own {
		if c < d.side {
			side--
		}
	}
	return 3*hand + side
}

// after returns the deal that the other side sees after the mover has exchanged
// the card own[i].
func (d deal) after(i int) deal {
	kept, got := d.own[1-i], d.side
	return deal{own: d.opp, opp: [2]uint8{min(kept, got), max(kept, got)}, side: d.own[i]}
}

// cards holds what follows from the five cards. It is never written once made.
type cards struct {
	five  [5]onitama.Card
	deals [Deals]deal
	next  [Deals][2]int      // the deal after the mover has exchanged own[0] or own[1]
	steps [5][squares]uint32 // by card and square: where the mover's men step to
	comes [5][squares]uint32 // by card and square: where they step there from
}

// newCards returns the tables of five cards, in any order. The error wraps
// [onitama.ErrCards].
func newCards(five [5]onitama.Card) (*cards, error) {
	slices.Sort(five[:])
	board, err := onitama.New(onitama.Deal{
		First: [2]onitama.Card{five[0], five[1]}, Second: [2]onitama.Card{five[2], five[3]}, Side: five[4],
	})
	if err != nil {
		return nil, err
	}
	c := &cards{five: five}
	for own0 := range uint8(5) {
		for own1 := own0 + 1; own1 < 5; own1++ {
			var rest []uint8
			for card := range uint8(5) {
				if card != own0 && card != own1 {
					rest = append(rest, card)
				}
			}
			for i, side := range rest {
				opp := slices.Delete(slices.Clone(rest), i, i+1)
				d := deal{own: [2]uint8{own0, own1}, opp: [2]uint8(opp), side: side}
				c.deals[d.number()] = d
			}
		}
	}
	for i, d := range c.deals {
		c.next[i] = [2]int{d.after(0).number(), d.after(1).number()}
	}
	for i, card := range five {
		for sq := range squares {
			c.steps[i][sq] = board.Targets(game.First, card, sq)
			c.comes[i][sq] = board.Targets(game.Second, card, sq)
		}
	}
	return c, nil
}

// number returns the number of the deal of b, seen by the side to move, and
// whether its cards are these five.
func (c *cards) number(b *onitama.Board) (int, bool) {
	var d deal
	ok := true
	index := func(card onitama.Card) uint8 {
		i, found := slices.BinarySearch(c.five[:], card)
		ok = ok && found
		return uint8(i)
	}
	own, opp := b.Hand(b.ToMove()), b.Hand(b.ToMove().Other())
	d.own = [2]uint8{index(own[0]), index(own[1])}
	d.opp = [2]uint8{index(opp[0]), index(opp[1])}
	d.side = index(b.SideCard())
	if !ok {
		return 0, false
	}
	return d.number(), true
}

// names returns the cards as "Crab,Crane,Dragon,Monkey,Tiger".
func (c *cards) names() string {
	return fmt.Sprintf("%v,%v,%v,%v,%v", c.five[0], c.five[1], c.five[2], c.five[3], c.five[4])
}

// board returns the position of p with the deal of that number, the first player
// to move.
func (c *cards) board(p *placement, number int) (*onitama.Board, error) {
	d := c.deals[number]
	return onitama.NewSetup(onitama.Setup{
		Students: [2]uint32{p.men[0] &^ (1 << p.masters[0]), p.men[1] &^ (1 << p.masters[1])},
		Masters:  p.masters,
		Deal: onitama.Deal{
			First:  [2]onitama.Card{c.five[d.own[0]], c.five[d.own[1]]},
			Second: [2]onitama.Card{c.five[d.opp[0]], c.five[d.opp[1]]},
			Side:   c.five[d.side],
		},
		ToMove: game.First,
	})
}
