package onitama

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"

	"github.com/carozero/carozero/game"
)

// Card is one of the cards: the sixteen of the base game in alphabetical order, then the
// sixteen of the expansion Sensei's Path in alphabetical order.
type Card uint8

// The cards.
const (
	Boar Card = iota
	Cobra
	Crab
	Crane
	Dragon
	Eel
	Elephant
	Frog
	Goose
	Horse
	Mantis
	Monkey
	Ox
	Rabbit
	Rooster
	Tiger

	Bear
	Dog
	Fox
	Giraffe
	Iguana
	Kirin
	Mouse
	Otter
	Panda
	Phoenix
	Rat
	Sable
	SeaSnake
	Tanuki
	Turtle
	Viper
)

// Cards is the number of cards; every smaller Card exists. The first BaseCards are those
// of the base game.
const (
	BaseCards = 16
	Cards     = 32
)

// Colour is a player at the table; a card's stamp is a colour.
type Colour uint8

// The colours.
const (
	Blue Colour = iota
	Red
)

// String returns "blue" or "red".
func (c Colour) String() string {
	if c == Blue {
		return "blue"
	}
	return "red"
}

// Vector is a step of a card: DX columns to the right and DY rows forward, as
// seen by the mover.
type Vector struct{ DX, DY int8 }

// maxVectors is the most vectors that a card has.
const maxVectors = 4

// face is what is printed on a card.
type face struct {
	name    string
	stamp   Colour
	vectors []Vector
}

// faces are the cards by number. Of the expansion the vectors are as three public
// sources have them that do not copy each other, and the stamps as one has them.
var faces = [Cards]face{
	Boar:     {"Boar", Red, []Vector{{0, 1}, {-1, 0}, {1, 0}}},
	Cobra:    {"Cobra", Red, []Vector{{1, 1}, {-1, 0}, {1, -1}}},
	Crab:     {"Crab", Blue, []Vector{{0, 1}, {-2, 0}, {2, 0}}},
	Crane:    {"Crane", Blue, []Vector{{0, 1}, {-1, -1}, {1, -1}}},
	Dragon:   {"Dragon", Red, []Vector{{-2, 1}, {2, 1}, {-1, -1}, {1, -1}}},
	Eel:      {"Eel", Blue, []Vector{{-1, 1}, {1, 0}, {-1, -1}}},
	Elephant: {"Elephant", Red, []Vector{{-1, 1}, {1, 1}, {-1, 0}, {1, 0}}},
	Frog:     {"Frog", Red, []Vector{{-1, 1}, {-2, 0}, {1, -1}}},
	Goose:    {"Goose", Blue, []Vector{{-1, 1}, {-1, 0}, {1, 0}, {1, -1}}},
	Horse:    {"Horse", Red, []Vector{{0, 1}, {-1, 0}, {0, -1}}},
	Mantis:   {"Mantis", Red, []Vector{{-1, 1}, {1, 1}, {0, -1}}},
	Monkey:   {"Monkey", Blue, []Vector{{-1, 1}, {1, 1}, {-1, -1}, {1, -1}}},
	Ox:       {"Ox", Blue, []Vector{{0, 1}, {1, 0}, {0, -1}}},
	Rabbit:   {"Rabbit", Blue, []Vector{{1, 1}, {2, 0}, {-1, -1}}},
	Rooster:  {"Rooster", Red, []Vector{{1, 1}, {-1, 0}, {1, 0}, {-1, -1}}},
	Tiger:    {"Tiger", Blue, []Vector{{0, 2}, {0, -1}}},

	Bear:     {"Bear", Blue, []Vector{{-1, 1}, {0, 1}, {1, -1}}},
	Dog:      {"Dog", Blue, []Vector{{-1, 1}, {-1, 0}, {-1, -1}}},
	Fox:      {"Fox", Red, []Vector{{1, 1}, {1, 0}, {1, -1}}},
	Giraffe:  {"Giraffe", Blue, []Vector{{-2, 1}, {2, 1}, {0, -1}}},
	Iguana:   {"Iguana", Red, []Vector{{-2, 1}, {0, 1}, {1, -1}}},
	Kirin:    {"Kirin", Red, []Vector{{-1, 2}, {1, 2}, {0, -2}}},
	Mouse:    {"Mouse", Blue, []Vector{{0, 1}, {1, 0}, {-1, -1}}},
	Otter:    {"Otter", Red, []Vector{{-1, 1}, {2, 0}, {1, -1}}},
	Panda:    {"Panda", Red, []Vector{{0, 1}, {1, 1}, {-1, -1}}},
	Phoenix:  {"Phoenix", Blue, []Vector{{-1, 1}, {1, 1}, {-2, 0}, {2, 0}}},
	Rat:      {"Rat", Red, []Vector{{0, 1}, {-1, 0}, {1, -1}}},
	Sable:    {"Sable", Blue, []Vector{{1, 1}, {-2, 0}, {-1, -1}}},
	SeaSnake: {"SeaSnake", Blue, []Vector{{0, 1}, {2, 0}, {-1, -1}}},
	Tanuki:   {"Tanuki", Blue, []Vector{{0, 1}, {2, 1}, {-1, -1}}},
	Turtle:   {"Turtle", Red, []Vector{{-2, 0}, {2, 0}, {-1, -1}, {1, -1}}},
	Viper:    {"Viper", Red, []Vector{{0, 1}, {-2, 0}, {1, -1}}},
}

// String returns the card's name, capitalised.
func (c Card) String() string {
	if c >= Cards {
		return fmt.Sprintf("Card(%d)", uint8(c))
	}
	return faces[c].name
}

// Stamp returns the colour that starts when c is the first side card.
func (c Card) Stamp() Colour { return faces[c].stamp }

// Vectors returns a copy of the card's vectors.
func (c Card) Vectors() []Vector { return append([]Vector(nil), faces[c].vectors...) }

// ParseCard returns the card of that name, in upper or lower case.
func ParseCard(name string) (Card, error) {
	for c := range Card(Cards) {
		if strings.EqualFold(name, faces[c].name) {
			return c, nil
		}
	}
	return 0, fmt.Errorf("%w: no card %q; want one of %s", ErrCards, name, cardNames())
}

// cardNames lists all names.
func cardNames() string {
	var b strings.Builder
	for c := range Card(Cards) {
		if c > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(faces[c].name)
	}
	return b.String()
}

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
		return fmt.Errorf("%w: %q; want first player, second player and side card as in Monkey,Crane/Tiger,Crab/Dragon",
			ErrCards, text)
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
