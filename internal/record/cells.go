package record

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
)

// cells is the notation of moves that are the cells of a board of so many columns:
// "h8i9j7".
type cells int

// FormatMove implements [game.Notation].
func (c cells) FormatMove(m game.Move) string { return cellName(int(c), m) }

// FormatMoves implements [game.Notation].
func (c cells) FormatMoves(moves []game.Move) string {
	var b strings.Builder
	for _, m := range moves {
		b.WriteString(c.FormatMove(m))
	}
	return b.String()
}

// ParseMoves implements [game.Notation].
func (c cells) ParseMoves(text string) ([]game.Move, error) {
	var moves []game.Move
	for at := 0; at < len(text); {
		end := at + 1
		for end < len(text) && end < at+3 && '0' <= text[end] && text[end] <= '9' {
			end++
		}
		x := int(text[at]|0x20) - 'a'
		m, ok := parsePoint(text[at:end])
		if ok && m != Pass && m >= pointBottom && x < int(c) {
			m, err := settlePoint(m, int(c))
			if err == nil {
				moves, at = append(moves, m), end
				continue
			}
		}
		return nil, fmt.Errorf("move %d, %q at character %d, should be a column a-%c and a row 1-%d",
			len(moves)+1, Excerpt(text[at:]), at+1, 'a'+int(c)-1, int(c))
	}
	return moves, nil
}
