package gomoku

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
)

// Notation is the text of moves on a board of Size columns and rows: a column
// letter from the left, starting at a, and a row number from the bottom,
// starting at 1. A sequence is its moves one after the other: "h8i9j7".
type Notation struct{ Size int }

var _ game.Notation = Notation{}

// FormatMove returns the text of a move, "none" for one outside the board.
func (n Notation) FormatMove(m game.Move) string {
	return string(n.append(nil, m))
}

// FormatMoves returns the text of a sequence of moves.
func (n Notation) FormatMoves(moves []game.Move) string {
	text := make([]byte, 0, 3*len(moves))
	for _, m := range moves {
		text = n.append(text, m)
	}
	return string(text)
}

func (n Notation) append(text []byte, m game.Move) []byte {
	if int(m) >= n.Size*n.Size {
		return append(text, "none"...)
	}
	text = append(text, 'a'+byte(int(m)%n.Size))
	return strconv.AppendInt(text, int64(int(m)/n.Size+1), 10)
}

// ParseMoves reads a sequence of moves; capital letters are accepted. The
// error wraps ErrNotation.
func (n Notation) ParseMoves(text string) ([]game.Move, error) {
	var moves []game.Move
	for at := 0; at < len(text); {
		m, length := n.scan(text[at:])
		if length == 0 {
			return nil, fmt.Errorf("%w: move %d, %q at character %d, should be a column a-%c and a row 1-%d",
				ErrNotation, len(moves)+1, excerpt(text[at:]), at+1, 'a'+n.Size-1, n.Size)
		}
		moves = append(moves, m)
		at += length
	}
	return moves, nil
}

// scan reads the move at the start of text and returns its length, 0 if there
// is none on this board.
func (n Notation) scan(text string) (game.Move, int) {
	x := int(text[0]|0x20) - 'a'
	end, y := 1, 0
	for end < len(text) && end < 4 && '0' <= text[end] && text[end] <= '9' {
		y = 10*y + int(text[end]-'0')
		end++
	}
	if x < 0 || x >= n.Size || y < 1 || y > n.Size || text[1] == '0' {
		return game.NoMove, 0
	}
	return game.Move((y-1)*n.Size + x), end
}

// excerpt shortens text for a message.
func excerpt(text string) string {
	const most = 8
	for i := range text {
		if i >= most {
			return text[:i] + "..."
		}
	}
	return text
}

// ParsePosition returns the board after a sequence of moves from the empty
// one. The error wraps ErrRule, ErrSize, ErrNotation, ErrIllegal or ErrOver
// and names the first move at fault.
func ParsePosition(r Rules, size int, text string) (*Board, error) {
	b, err := New(r, size)
	if err != nil {
		return nil, err
	}
	n := Notation{Size: size}
	moves, err := n.ParseMoves(text)
	if err != nil {
		return nil, err
	}
	for i, m := range moves {
		if err := b.check(m); err != nil {
			return nil, fmt.Errorf("move %d, %s: %w", i+1, n.FormatMove(m), err)
		}
		b.Play(m)
	}
	return b, nil
}

// check returns nil if m is legal, or an error that wraps ErrOver or
// ErrIllegal and says why not.
func (b *Board) check(m game.Move) error {
	switch {
	case b.outcome == game.Draw:
		return fmt.Errorf("%w: it ended in a draw (%s) before this move", ErrOver, b.reason)
	case b.outcome != game.Undecided:
		return fmt.Errorf("%w: %v won (%s) before this move", ErrOver, b.outcome, b.reason)
	case int(m) >= b.geo.cells:
		return fmt.Errorf("%w: the cell is outside the board of %dx%d", ErrIllegal, b.geo.size, b.geo.size)
	case b.cells[m] != Empty:
		return fmt.Errorf("%w: the cell is taken; play an empty one", ErrIllegal)
	case b.AllowedFor(b.toMove, int(m)):
		return nil
	case b.tooClose(b.toMove, int(m)):
		return fmt.Errorf("%w: the third stone must be %d columns or rows from the first", ErrIllegal, b.rules.OpenDistance)
	case b.rules.Renju[b.toMove]:
		return fmt.Errorf("%w: an overline, double-four or double-three, forbidden to %v under %s",
			ErrIllegal, b.toMove, b.rules.Name)
	}
	return fmt.Errorf("%w: two free-threes at once, forbidden under %s", ErrIllegal, b.rules.Name)
}

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
