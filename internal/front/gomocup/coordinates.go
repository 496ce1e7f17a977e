package gomocup

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
)

// Cell returns the cell of column x from the left and row y from the top, both
// counted from zero.
func Cell(size, x, y int) (game.Move, error) {
	if x < 0 || y < 0 || x >= size || y >= size {
		return game.NoMove, fmt.Errorf("%d,%d is off the board; coordinates are 0,0 to %d,%d", x, y, size-1, size-1)
	}
	return game.Move((size-1-y)*size + x), nil
}

// Point returns the column from the left and the row from the top of a cell.
func Point(size int, m game.Move) (x, y int) {
	return int(m) % size, size - 1 - int(m)/size
}

// FormatCell returns a cell as "x,y".
func FormatCell(size int, m game.Move) string {
	x, y := Point(size, m)
	return fmt.Sprintf("%d,%d", x, y)
}

// ParseCell reads "x,y".
func ParseCell(size int, text string) (game.Move, error) {
	n, err := numbers(text, "x,y")
	if err != nil {
		return game.NoMove, err
	}
	return Cell(size, n[0], n[1])
}

// numbers reads whole numbers that commas separate, as many as want names.
func numbers(text, want string) ([]int, error) {
	fields := strings.Split(text, ",")
	if len(fields) != strings.Count(want, ",")+1 {
		return nil, fmt.Errorf("%q: want %s", excerpt(text), want)
	}
	list := make([]int, len(fields))
	for i, f := range fields {
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil {
			return nil, fmt.Errorf("%q: want %s", excerpt(text), want)
		}
		list[i] = n
	}
	return list, nil
}
