package terminal

import (
	"slices"
	"strconv"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// board draws a Display, or as much of it as there is room for.
type board struct {
	games.Display
	glyphs  *glyphs
	palette *palette

	cursor    int
	from      int // the piece that was chosen, -1: none
	hint      int // -1: none
	forbidden map[int]bool
	targets   map[int]bool // squares to which that piece can go
	numbers   map[int]int  // by square, of the moves; nil: not shown

	cellWidth, cellHeight int
	left, top             int // first column and row from the top that are seen
	columns, rows         int // seen
}

// Letters beside the cells: row numbers, and a bracket at each end.
const (
	labelWidth  = 2
	boardMargin = labelWidth + 1
)

// width and height return what is drawn, the line of column letters included.
func (b *board) width() int  { return boardMargin + b.columns*b.cellWidth }
func (b *board) height() int { return b.rows*b.cellHeight - (b.cellHeight - 1) + 1 }

// at returns the column, within a line, of the centre of a seen column's cells.
func (b *board) at(column int) int { return labelWidth + column*b.cellWidth + b.cellWidth/2 }

// square returns the square that is drawn at a column and line, -1 if none is.
func (b *board) square(x, y int) int {
	x -= labelWidth + (b.cellWidth-1)/3 // the first column of a cell is left of its letter
	column, row := x/b.cellWidth, y/b.cellHeight
	if x < 0 || y < 0 || column >= b.columns || row >= b.rows {
		return -1
	}
	return (b.Size-1-b.top-row)*b.Size + b.left + column
}

// place returns the column and line at which a square is drawn; false: it is not
// seen.
func (b *board) place(square int) (x, y int, seen bool) {
	column, row := square%b.Size-b.left, b.Size-1-square/b.Size-b.top
	if column < 0 || column >= b.columns || row < 0 || row >= b.rows {
		return 0, 0, false
	}
	return b.at(column), row * b.cellHeight, true
}

// draw returns the lines of the board, column letters last.
func (b *board) draw() []*strip {
	var lines []*strip
	for row := range b.rows {
		lines = append(lines, b.row(b.Size-1-b.top-row))
		if row+1 < b.rows {
			for range b.cellHeight - 1 {
				lines = append(lines, b.between())
			}
		}
	}
	letters := newStrip(b.width(), inkLabel)
	for column := range b.columns {
		letters.put(b.at(column), rune('a'+b.left+column), inkLabel)
	}
	return append(lines, letters)
}

// between returns a line between two rows.
func (b *board) between() *strip {
	line := newStrip(labelWidth, inkLabel).fill(b.width(), inkGrid)
	for column := range b.columns {
		if b.lined() {
			line.put(b.at(column), '│', inkGrid)
		}
	}
	return line
}

// lined reports whether empty cells are crossings of lines, which without a
// colour of their own would hide the stones.
func (b *board) lined() bool { return b.glyphs.grid && b.palette.colour }

// row returns the line of a row, which counts from the bottom.
func (b *board) row(y int) *strip {
	line := newStrip(labelWidth, inkLabel)
	number := strconv.Itoa(y + 1)
	for i, digit := range number {
		line.put(labelWidth-len(number)+i, digit, inkLabel)
	}
	line.fill(b.width(), inkGrid)
	if b.lined() {
		for x := b.at(0); x < b.at(b.columns-1); x++ {
			line.put(x, '─', inkGrid)
		}
	}
	for column := range b.columns {
		b.cell(line, b.at(column), y*b.Size+b.left+column)
	}
	for column := range b.columns {
		b.brackets(line, b.at(column), y*b.Size+b.left+column)
	}
	return line
}

// cell draws what is on a square.
func (b *board) cell(line *strip, x, square int) {
	piece := b.Pieces[square]
	if piece.Stone == games.NoStone {
		letter, in := b.empty(square)
		line.put(x, letter, in)
		return
	}
	side := int(piece.Stone - games.FirstStone)
	in := inkFirst + ink(side)
	switch {
	case slices.Contains(b.Win, square):
		in = inkFirstWin + ink(side)
	case len(b.Last) > 0 && b.Last[0] == square:
		in = inkFirstLast + ink(side)
	case b.targets[square] && !b.palette.colour:
		in = inkStrong
	}
	n, numbered := b.numbers[square]
	if !numbered || b.cellWidth < 3 {
		line.put(x, b.glyphs.stone(side, piece.Master, b.palette.shades), in)
		return
	}
	digits := []rune(strconv.Itoa(n%100) + " ") // the last two
	if n > 100 && n%100 < 10 {
		digits = []rune{'0', digits[0]}
	}
	line.put(x, digits[0], in)
	line.put(x+1, digits[1], in)
}

// empty returns the letter of an empty square.
func (b *board) empty(square int) (rune, ink) {
	x, y, most := square%b.Size, square/b.Size, b.Size-1
	switch {
	case square == b.hint:
		return '?', inkHint
	case b.targets[square]:
		return b.glyphs.target, inkTarget
	case b.forbidden[square]:
		return b.glyphs.forbidden, inkForbidden
	case slices.Contains(b.Temples, square):
		return b.glyphs.temple, inkGrid
	case b.lined():
		return b.glyphs.crossing(x > 0, x < most, y < most, y > 0), inkGrid
	}
	return b.glyphs.empty, inkGrid
}

// brackets are drawn around the cursor, the piece that was chosen, and, where no
// colour tells them, the last move and the stones that have won.
func (b *board) brackets(line *strip, x, square int) {
	marks, in := "", inkCursor
	switch {
	case square == b.cursor:
		marks = "[]"
	case square == b.from:
		marks = "<>"
	case b.palette.colour:
		return
	case len(b.Last) > 0 && square == b.Last[0] && len(b.Win) == 0:
		marks, in = "()", inkText
	case slices.Contains(b.Win, square):
		marks, in = "**", inkText
	default:
		return
	}
	if square != b.cursor && line.letters[x-1] == ']' {
		marks = "]" + marks[1:] // of the cursor on the left
	}
	line.put(x-1, rune(marks[0]), in)
	right := x + 1
	if b.cellWidth == 3 {
		right++
	}
	line.put(right, rune(marks[1]), in)
}

// numbersOf returns the number of the last move to each square that holds a
// piece, counted from 1.
func numbersOf(v games.Variant, moves []game.Move) map[int]int {
	numbers := map[int]int{}
	for i, m := range moves {
		if s := v.Step(m); s.To >= 0 {
			delete(numbers, s.From)
			numbers[s.To] = i + 1
		}
	}
	return numbers
}
