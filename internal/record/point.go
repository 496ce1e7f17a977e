package record

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/support/option"
)

// maxSize is the side length of the largest board whose columns have letters.
const maxSize = 26

// isSize reports whether a file may be of a board of that side length.
func isSize(n int) bool { return option.BoardSize.Holds(int64(n)) == nil }

// sizes names the side lengths of boards for a message.
func sizes() string { return fmt.Sprintf("%d to %d", option.BoardSize.Min, option.BoardSize.Max) }

// cellOf returns the cell in a column from the left and a row from the top, both
// from 0.
func cellOf(size, x, down int) game.Move { return game.Move((size-1-down)*size + x) }

// place returns the column of a cell from the left and its row from the top.
func place(size int, m game.Move) (x, down int) { return int(m) % size, size - 1 - int(m)/size }

// letters returns a cell as SGF writes it: the column, then the row from the top,
// each as a letter from a.
func letters(size int, m game.Move) string {
	x, down := place(size, m)
	return string([]byte{byte('a' + x), byte('a' + down)})
}

// cellName returns a cell as a person reads it: the column as a letter from a, and
// the row from the bottom, from 1.
func cellName(size int, m game.Move) string {
	switch {
	case m == Pass:
		return "pass"
	case size == 0 || int(m) >= size*size:
		return "none"
	}
	return string(rune('a'+int(m)%size)) + strconv.Itoa(int(m)/size+1)
}

// A point of SGF is kept until the size of the board is known, as a number with the
// column and the row, and whether the row is counted from the bottom.
const (
	pointRows   = 1 << 5
	pointBottom = 1 << 10
	lastPass    = 19 // side length of the largest board on which tt is a pass
)

// parsePoint reads a point: a letter for the column and one for the row from the
// top, or, as some programs write it, a column letter and a row number from the
// bottom. ok is false for anything else. "" is Pass.
func parsePoint(value string) (m game.Move, ok bool) {
	text := strings.TrimSpace(value)
	if text == "" {
		return Pass, true
	}
	x := int(text[0]|0x20) - 'a'
	if x < 0 || x >= maxSize || len(text) < 2 {
		return 0, false
	}
	if y := int(text[1]|0x20) - 'a'; len(text) == 2 && text[1] >= 'A' {
		return game.Move(x + pointRows*y), y >= 0 && y < maxSize
	}
	n, err := strconv.Atoi(text[1:])
	return game.Move(x + pointRows*(n-1) + pointBottom), err == nil && n >= 1 && n <= maxSize && text[1] != '+'
}

// settlePoint returns the cell of what parsePoint returned.
func settlePoint(m game.Move, size int) (game.Move, error) {
	if m == Pass {
		return Pass, nil
	}
	x, y := int(m)%pointRows, int(m)/pointRows%pointRows
	switch {
	case m < pointBottom && x == 't'-'a' && y == 't'-'a' && size <= lastPass:
		return Pass, nil
	case x >= size || y >= size:
		return 0, offBoard(rawPoint(m), size)
	case m >= pointBottom:
		return game.Move(y*size + x), nil
	}
	return cellOf(size, x, y), nil
}

// rawPoint returns the text of what parsePoint returned.
func rawPoint(m game.Move) string {
	x, y := byte(int(m)%pointRows), int(m)/pointRows%pointRows
	if m >= pointBottom {
		return string('a'+x) + strconv.Itoa(y+1)
	}
	return string([]byte{'a' + x, byte('a' + y)})
}

func offBoard(text string, size int) error {
	return fmt.Errorf("point %q is not on the board of %dx%d", Excerpt(text), size, size)
}

// Excerpt shortens foreign text for a message of one line.
func Excerpt(text string) string {
	const most = 40
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, "?"))
}
