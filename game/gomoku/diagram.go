package gomoku

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
)

// DiagramOptions holds the parts of a position that a diagram does not show.
type DiagramOptions struct {
	ToMove   *game.Side // nil: by the number of stones
	Captured [2]int     // stones taken, by the side that took them
}

// ParseDiagram reads a position drawn one line a row from the top: '.' is an
// empty cell, 'X' a stone of First and 'O' one of Second. Spaces and blank
// lines are ignored. Size 0 takes the diagram's own size. Without a side to
// move in the options, the number of stones tells it: see [Setup.Turn].
//
// The error wraps ErrNotation, ErrSize or ErrRule, or is a [SetupError].
func ParseDiagram(r Rules, size int, text string, opts DiagramOptions) (*Board, error) {
	drawn, err := readDiagram(text)
	if err != nil {
		return nil, err
	}
	if size == 0 {
		size = len(drawn)
	}
	if size < MinSize || size > MaxSize {
		return nil, fmt.Errorf("%w %d: boards are %d to %d wide", ErrSize, size, MinSize, MaxSize)
	}
	if len(drawn) != size {
		return nil, fmt.Errorf("%w: the diagram has %d rows; a board of %dx%d has %d",
			ErrSize, len(drawn), size, size, size)
	}
	s := Setup{Captured: opts.Captured, Stones: make([]Stone, 0, size*size)}
	for y := range size {
		row := drawn[size-1-y]
		if len(row.stones) != size {
			return nil, fmt.Errorf("%w: line %d of the diagram has %d cells; the board is %d wide",
				ErrSize, row.line, len(row.stones), size)
		}
		s.Stones = append(s.Stones, row.stones...)
	}
	if opts.ToMove != nil {
		s.ToMove = *opts.ToMove
	} else if s.ToMove, err = s.Turn(); err != nil {
		return nil, err
	}
	return NewSetup(r, size, s)
}

// DiagramRows returns the number of rows that a diagram draws, the size of its
// board if that is square. The error wraps ErrNotation.
func DiagramRows(text string) (int, error) {
	drawn, err := readDiagram(text)
	return len(drawn), err
}

// drawnRow is a row of a diagram and the number of its line.
type drawnRow struct {
	line   int
	stones []Stone
}

func readDiagram(text string) ([]drawnRow, error) {
	var drawn []drawnRow
	number := 0
	for line := range strings.Lines(text) {
		number++
		row := drawnRow{line: number}
		for i, c := range line {
			switch c {
			case '.':
				row.stones = append(row.stones, Empty)
			case 'X', 'x':
				row.stones = append(row.stones, FirstStone)
			case 'O', 'o':
				row.stones = append(row.stones, SecondStone)
			case ' ', '\t', '\r', '\n':
			default:
				return nil, fmt.Errorf("%w: line %d of the diagram has %q at character %d; a cell is '.', 'X' or 'O'",
					ErrNotation, number, c, i+1)
			}
		}
		if row.stones != nil {
			drawn = append(drawn, row)
		}
	}
	return drawn, nil
}

// String draws the board as ParseDiagram reads it.
func (b *Board) String() string {
	const symbols = ".XO"
	size := b.geo.size
	text := make([]byte, 0, 2*b.geo.cells)
	for y := size - 1; y >= 0; y-- {
		for x := range size {
			if x > 0 {
				text = append(text, ' ')
			}
			text = append(text, symbols[b.cells[y*size+x]])
		}
		text = append(text, '\n')
	}
	return string(text)
}
