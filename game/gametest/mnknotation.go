package gametest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
)

// MNKNotation writes a move of an [MNK] as the column's letter and the row's
// number from 1, and a sequence as its moves one after the other: "b2a1".
type MNKNotation struct {
	Columns int // columns of the board, m
}

// FormatMove returns the text of one move.
func (n MNKNotation) FormatMove(m game.Move) string {
	return string(rune('a'+int(m)%n.Columns)) + strconv.Itoa(int(m)/n.Columns+1)
}

// FormatMoves returns the moves' texts, one after the other.
func (n MNKNotation) FormatMoves(moves []game.Move) string {
	var b strings.Builder
	for _, m := range moves {
		b.WriteString(n.FormatMove(m))
	}
	return b.String()
}

// ParseMoves reads what FormatMoves writes.
func (n MNKNotation) ParseMoves(text string) ([]game.Move, error) {
	var moves []game.Move
	for at := 0; at < len(text); {
		x := int(text[at]) - 'a'
		end := at + 1
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		row, err := strconv.Atoi(text[at+1 : end])
		if x < 0 || x >= n.Columns || err != nil || row < 1 || row > maxCells/n.Columns || text[at+1] == '0' {
			return nil, fmt.Errorf("move %d, %q at byte %d: want a column a..%c and a row 1..%d",
				len(moves)+1, text[at:end], at, 'a'+n.Columns-1, maxCells/n.Columns)
		}
		moves = append(moves, game.Move((row-1)*n.Columns+x))
		at = end
	}
	return moves, nil
}
