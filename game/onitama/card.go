package onitama

import (
	"fmt"
	"strings"
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
