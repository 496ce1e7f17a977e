package positions

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/option"
)

// sgfSize reads the property SZ: "15" or "15:15"; 0 if there is none.
func sgfSize(value string) (int, error) {
	if value = strings.TrimSpace(value); value == "" {
		return 0, nil
	}
	columns, rows, pair := strings.Cut(value, ":")
	n, err := strconv.Atoi(columns)
	least, most := int(option.BoardSize.Min), int(option.BoardSize.Max)
	if err != nil || n < least || n > most || pair && rows != columns {
		return 0, fmt.Errorf("SZ[%s]: want a square board of %d to %d", excerpt(value), least, most)
	}
	return n, nil
}

// sgfPoint reads a point: a letter for the column and one for the row from
// the top, or, as some programs write it, a column letter and a row number
// from the bottom.
func sgfPoint(value string, size int) (game.Move, error) {
	text := strings.ToLower(strings.TrimSpace(value))
	if text == "" {
		return game.NoMove, fmt.Errorf("a pass: gomoku has none")
	}
	x, y := int(text[0])-'a', -1
	if len(text) == 2 && text[1] >= 'a' {
		y = size - 1 - (int(text[1]) - 'a')
	} else if n, err := strconv.Atoi(text[1:]); err == nil {
		y = n - 1
	}
	if x < 0 || x >= size || y < 0 || y >= size {
		return game.NoMove, fmt.Errorf("point %q is not on the board of %dx%d", excerpt(value), size, size)
	}
	return game.Move(y*size + x), nil
}

// sgfResult reads the property RE: "B+", "W+R", "0". What is unknown or void
// is Undecided.
func sgfResult(value string) (game.Outcome, game.Reason) {
	text := strings.ToLower(strings.TrimSpace(value))
	switch text {
	case "0", "draw":
		return game.Draw, game.NoReason
	}
	winner, how, ok := strings.Cut(text, "+")
	if !ok {
		return game.Undecided, game.NoReason
	}
	outcome := game.Undecided
	switch winner {
	case "b", "black":
		outcome = game.FirstWins
	case "w", "white":
		outcome = game.SecondWins
	default:
		return game.Undecided, game.NoReason
	}
	switch how {
	case "r", "resign":
		return outcome, game.Resigned
	case "t", "time", "f", "forfeit":
		return outcome, game.Forfeit
	}
	return outcome, game.NoReason
}
