package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// litamaColours are the players' colours as Litama writes them, Blue's number being 0.
var litamaColours = [2]string{"blue", "red"}

// litamaBoard is what Litama tells of a position, kept up to date by moves, which it
// takes to be legal but for what it needs to know.
type litamaBoard struct {
	squares [25]byte // from a1, rank by rank: '0' empty, '1', '2' Blue's student, master, '3', '4' Red's
	hands   [2][2]string
	side    string
	toMove  int
	winner  int // 0, 1, or -1
	first   int
}

// newLitamaBoard returns the start of a game with the cards, in which a colour begins.
func newLitamaBoard(c *litamaCards, first int) (*litamaBoard, error) {
	b := &litamaBoard{side: c.Side, toMove: first, winner: -1, first: first}
	copy(b.squares[:], "1121100000000000000033433")
	for colour, hand := range [2][]string{c.Blue, c.Red} {
		if len(hand) != 2 {
			return nil, fmt.Errorf("startingCards: %s has %d cards; want 2", litamaColours[colour], len(hand))
		}
		copy(b.hands[colour][:], hand)
	}
	for _, name := range []string{c.Blue[0], c.Blue[1], c.Red[0], c.Red[1], c.Side} {
		if !litamaCard.MatchString(name) {
			return nil, fmt.Errorf("startingCards: %q: want the name of a card", Excerpt(name))
		}
	}
	return b, nil
}

// deal returns the text of the cards, those of the player who begins first.
func (b *litamaBoard) deal() string {
	return strings.Join(b.hands[b.first][:], ",") + "/" + strings.Join(b.hands[1-b.first][:], ",") + "/" + b.side
}

// cards returns the cards in lower case.
func (b *litamaBoard) cards() *litamaCards {
	lower := func(names [2]string) []string {
		return []string{strings.ToLower(names[0]), strings.ToLower(names[1])}
	}
	return &litamaCards{Blue: lower(b.hands[0]), Red: lower(b.hands[1]), Side: strings.ToLower(b.side)}
}

// equal reports whether c and the cards o, which are in lower case, are held by the same
// colours.
func (c *litamaCards) equal(o *litamaCards) bool {
	sorted := func(names []string) string {
		names = strings.Split(strings.ToLower(strings.Join(names, ",")), ",")
		slices.Sort(names)
		return strings.Join(names, ",")
	}
	return sorted(c.Blue) == sorted(o.Blue) && sorted(c.Red) == sorted(o.Red) && strings.ToLower(c.Side) == o.Side
}

// String writes the squares.
func (b *litamaBoard) String() string { return string(b.squares[:]) }

// litamaTemples are where the masters of both colours start: c1 and c5.
var litamaTemples = [2]int{2, 22}

// play makes a move between two squares in Litama's words.
func (b *litamaBoard) play(card, from, to string) error {
	at, dest := litamaSquare(from), litamaSquare(to)
	name := litamaColours[b.toMove]
	own := func(sq int) bool { return b.squares[sq] != '0' && int(b.squares[sq]-'1')/2 == b.toMove }
	hand := slices.IndexFunc(b.hands[b.toMove][:], func(held string) bool { return strings.EqualFold(held, card) })
	switch {
	case b.winner >= 0:
		return errors.New("after the end of the game")
	case hand < 0:
		return fmt.Errorf("%s has no such card", name)
	case !own(at):
		return fmt.Errorf("%s has no piece on %s", name, from)
	case own(dest):
		return fmt.Errorf("%s has a piece on %s", name, to)
	}
	master := byte('2' + 2*b.toMove)
	taken := b.squares[dest]
	b.squares[dest], b.squares[at] = b.squares[at], '0'
	if taken == '2' || taken == '4' || b.squares[dest] == master && dest == litamaTemples[1-b.toMove] {
		b.winner = b.toMove
	}
	b.hands[b.toMove][hand], b.side = b.side, b.hands[b.toMove][hand]
	b.toMove = 1 - b.toMove
	return nil
}

// litamaSquare returns the number of a square such as "c1".
func litamaSquare(name string) int { return int(name[0]-'a') + 5*int(name[1]-'1') }

// turned returns the name of the square that the player who begins sees in the place of
// the named one, from the first rank; it is its own reverse.
func turned(name string, first int) string {
	if first == 0 {
		return name
	}
	return string([]byte{'a' + 'e' - name[0], '1' + '5' - name[1]})
}
