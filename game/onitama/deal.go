package onitama

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/carozero/carozero/game"
)

// Deal says who has which of the five cards in play.
type Deal struct {
	First, Second [2]Card // the hands; their order means nothing
	Side          Card    // the card that the next move is exchanged for
}

// RandomDeal deals five of the sixteen cards, each deal equally likely. Two
// cards go to Blue, two to Red; the side card's stamp makes one of them the
// first player.
func RandomDeal(rng *rand.Rand) Deal {
	p := rng.Perm(Cards)
	var hands [2][2]Card // by colour
	for i, c := range p[:4] {
		hands[i/2][i%2] = Card(c)
	}
	side := Card(p[4])
	starts := side.Stamp()
	return Deal{First: hands[starts], Second: hands[1-starts], Side: side}
}

// FirstColour returns the colour that the first player has at the table when
// the game starts from d: the stamp of the side card.
func (d Deal) FirstColour() Colour { return d.Side.Stamp() }

// Hand returns the cards of side.
func (d Deal) Hand(side game.Side) [2]Card {
	if side == game.First {
		return d.First
	}
	return d.Second
}

// all lists the five cards.
func (d Deal) all() [5]Card {
	return [5]Card{d.First[0], d.First[1], d.Second[0], d.Second[1], d.Side}
}

// check returns an error unless the five cards exist and differ.
func (d Deal) check() error {
	var seen uint32
	for _, c := range d.all() {
		if c >= Cards {
			return fmt.Errorf("%w: no card has the number %d; want 0..%d", ErrCards, c, Cards-1)
		}
		if seen>>c&1 != 0 {
			return fmt.Errorf("%w: %v is there twice; want five different cards", ErrCards, c)
		}
		seen |= 1 << c
	}
	return nil
}

// String returns the deal as `Monkey,Crane/Tiger,Crab/Dragon`: the first
// player's hand, the second player's, and the side card.
func (d Deal) String() string {
	return fmt.Sprintf("%v,%v/%v,%v/%v", d.First[0], d.First[1], d.Second[0], d.Second[1], d.Side)
}

// ParseDeal reads what String writes, in upper or lower case.
func ParseDeal(text string) (Deal, error) {
	form := func() error {
		return fmt.Errorf("%w: %q; want first player, second player and side card as in Monkey,Crane/Tiger,Crab/Dragon", ErrCards, text)
	}
	parts := strings.Split(text, "/")
	if len(parts) != 3 {
		return Deal{}, form()
	}
	var d Deal
	for i, slots := range [3][]*Card{{&d.First[0], &d.First[1]}, {&d.Second[0], &d.Second[1]}, {&d.Side}} {
		names := strings.Split(parts[i], ",")
		if len(names) != len(slots) {
			return Deal{}, form()
		}
		for j, name := range names {
			c, err := ParseCard(strings.TrimSpace(name))
			if err != nil {
				return Deal{}, err
			}
			*slots[j] = c
		}
	}
	return d, d.check()
}
