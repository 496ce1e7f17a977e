package terminal

import (
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// Measures of the drawn cards: two beside each other, three of them below each
// other, each with its name and a square of five by five.
const (
	cardReach   = 2
	cardSide    = 2*cardReach + 1
	cardWidth   = 2*cardSide + 1
	cardsWidth  = 2*cardWidth + 1
	cardsHeight = 3 * (cardSide + 1)
)

// cardLines returns the cards in play: those of the side at the top of the board,
// the spare one, and those of the side at the bottom. Steps are drawn as the
// board lies.
func (m *model) cardLines(l *layout) []*strip {
	if l.cardsWidth == 0 {
		return nil
	}
	hands := l.board.Hands
	var lines []*strip
	for _, row := range []struct {
		cards []games.Card
		side  game.Side
		name  string
	}{{hands[1], game.Second, ""}, {hands[2], m.record.pos.ToMove(), "spare: "}, {hands[0], game.First, ""}} {
		drawn := make([]*strip, cardSide+1)
		for i := range drawn {
			drawn[i] = &strip{}
			for j, c := range row.cards {
				m.card(drawn[i].fill(j*(cardWidth+1), inkText), c, i, row.side, row.name)
			}
		}
		lines = append(lines, drawn...)
	}
	return lines
}

// card adds one line of a card, the first of which is its name.
func (m *model) card(line *strip, c games.Card, i int, side game.Side, label string) {
	if i == 0 {
		in := inkText
		if m.record.pos.ToMove() == side && label == "" {
			in = inkStrong
		}
		line.add(in, label+strings.TrimSpace(c.Name))
		return
	}
	ahead := 1
	if side == game.Second {
		ahead = -1
	}
	for x := -cardReach; x <= cardReach; x++ {
		y := cardReach + 1 - i
		letter, in := m.glyphs.empty, inkDim
		if x == 0 && y == 0 {
			letter, in = m.glyphs.stones[side], inkText
		}
		for _, s := range c.Steps {
			if s[0]*ahead == x && s[1]*ahead == y {
				letter, in = m.glyphs.target, inkGood
			}
		}
		line.add(in, string(letter)).add(inkText, " ")
	}
}
