package onitama

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"

	"github.com/carozero/carozero/game"
)

// Deal says who has which of the five cards in play.
type Deal struct {
	First, Second [2]Card // the hands; their order means nothing
	Side          Card    // the card that the next move is exchanged for
}

// Deck is a set of cards to deal from, bit = card.
type Deck uint32

// The decks that have names.
const (
	BaseDeck     Deck = 1<<BaseCards - 1
	SenseisPath  Deck = AllCards &^ BaseDeck
	AllCards     Deck = 1<<Cards - 1
	baseName          = "base"
	senseisName       = "senseis-path"
	allName           = "all"
	cardsOfADeal      = 5
)

// String returns the name of a deck, or its cards as in "Crab,Crane,Dragon,Monkey,Tiger".
func (d Deck) String() string {
	switch d {
	case BaseDeck:
		return baseName
	case SenseisPath:
		return senseisName
	case AllCards:
		return allName
	}
	var names []string
	for _, c := range d.Cards() {
		names = append(names, c.String())
	}
	return strings.Join(names, ",")
}

// Cards returns the cards in ascending order.
func (d Deck) Cards() []Card {
	var list []Card
	for c := range Card(Cards) {
		if d>>c&1 != 0 {
			list = append(list, c)
		}
	}
	return list
}

// ParseDeck reads what String writes: a name, or five or more different cards, in upper
// or lower case. The error wraps ErrCards.
func ParseDeck(text string) (Deck, error) {
	for _, d := range []Deck{BaseDeck, SenseisPath, AllCards} {
		if strings.EqualFold(text, d.String()) {
			return d, nil
		}
	}
	var d Deck
	for _, name := range strings.Split(text, ",") {
		c, err := ParseCard(strings.TrimSpace(name))
		if err != nil {
			return 0, fmt.Errorf("%w, or base, senseis-path or all", err)
		}
		if d>>c&1 != 0 {
			return 0, fmt.Errorf("%w: %v is there twice; want five different cards or more", ErrCards, c)
		}
		d |= 1 << c
	}
	if n := bits.OnesCount32(uint32(d)); n < cardsOfADeal {
		return 0, fmt.Errorf("%w: %q has %d; want five or more, or base, senseis-path or all", ErrCards, text, n)
	}
	return d, nil
}

// RandomDeal deals five of the cards of the base game; see Deck.Random.
func RandomDeal(rng *rand.Rand) Deal { return BaseDeck.Random(rng) }

// Random deals five of the cards of d, which has as many, each deal equally likely. Two
// cards go to Blue, two to Red; the side card's stamp makes one of them the first player.
func (d Deck) Random(rng *rand.Rand) Deal {
	list := d.Cards()
	p := rng.Perm(len(list))
	var hands [2][2]Card // by colour
	for i, c := range p[:4] {
		hands[i/2][i%2] = list[c]
	}
	side := list[p[4]]
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
	var seen uint64
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
