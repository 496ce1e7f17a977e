package onitama

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
)

// DrawCards draws the five cards side by side as they work for their holder
// now, the side card as it will for the side to move: @ is the piece, * where
// it can go, rows from the top of the board as in String.
func (b *Board) DrawCards() string {
	deal := b.Deal()
	cards := deal.all()
	var w strings.Builder
	for i, label := range [5]string{"first", "first", "second", "second", "side"} {
		fmt.Fprintf(&w, "%-*s", cardWidth(i), label+" "+cards[i].String())
	}
	const centre = 12
	for y := 4; y >= 0; y-- {
		w.WriteByte('\n')
		for i, card := range cards {
			holder := game.Side(i / 2)
			if i == 4 {
				holder = b.toMove
			}
			var line strings.Builder
			for x := range 5 {
				switch sq := 5*y + x; {
				case sq == centre:
					line.WriteString("@ ")
				case b.Targets(holder, card, centre)>>sq&1 != 0:
					line.WriteString("* ")
				default:
					line.WriteString(". ")
				}
			}
			fmt.Fprintf(&w, "%-*s", cardWidth(i), strings.TrimSpace(line.String()))
		}
	}
	return trimLines(w.String())
}

// cardWidth is the width of the i-th card's column.
func cardWidth(i int) int {
	if i == 4 {
		return 0
	}
	return 17
}

// trimLines cuts the spaces at the ends of lines and ends the last one.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
