package picture

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record"
)

// Scene is a position with what is drawn on it. Squares are numbered row by row
// from the bottom left.
type Scene struct {
	games.Display
	Lines     bool  // pieces stand where lines cross, not inside squares
	Numbers   []int // of the moves that put the pieces there, by square; 0: none
	Forbidden []int // squares that the side to move may not play
	Labels    []record.Label
	Marks     []record.Mark
	Title     string // what the picture shows, in words
	Caption   string // a line below the board; "": none
}

// NewScene returns the scene of a position after moves of a variant from start, and
// what its record says of it: nil if nothing.
func NewScene(v games.Variant, start game.Position, moves []game.Move, note *record.Note) Scene {
	pos := start.Clone()
	for _, m := range moves {
		pos.Play(m)
	}
	s := Scene{Display: v.Display(pos), Lines: v.Columns() > 0}
	if s.Lines {
		s.number(moves)
		if v.Of().HasForbidden() && pos.Outcome() == game.Undecided {
			for _, f := range v.Forbidden(pos) {
				s.Forbidden = append(s.Forbidden, int(f.Move))
			}
		}
	}
	if note != nil {
		s.Labels, s.Marks = note.Labels, note.Marks
	}
	s.Title = describe(v, pos, len(moves))
	return s
}

// number gives the pieces that stand the numbers of their moves.
func (s *Scene) number(moves []game.Move) {
	s.Numbers = make([]int, len(s.Pieces))
	for i, m := range moves {
		s.Numbers[m] = i + 1
	}
	for square, p := range s.Pieces {
		if p.Stone == games.NoStone {
			s.Numbers[square] = 0
		}
	}
}

// CountFrom makes the numbers of moves begin after the first moves, which set the
// board up and get none.
func (s *Scene) CountFrom(moves int) {
	for square, n := range s.Numbers {
		s.Numbers[square] = max(0, n-moves)
	}
}

// describe says what a position is, in words.
func describe(v games.Variant, pos game.Position, moves int) string {
	text := fmt.Sprintf("%s after %d moves: ", v, moves)
	switch o := pos.Outcome(); o {
	case game.Undecided:
		return text + pos.ToMove().String() + " to move"
	case game.Draw:
		return text + "draw"
	default:
		return text + o.String() + " has won"
	}
}

// squareName returns a square as text: its column, a letter from a, and its row
// from the bottom, from 1.
func squareName(size, square int) string {
	return string(rune('a'+square%size)) + strconv.Itoa(square/size+1)
}

// pieceTitle says what stands on a square, for a screen reader.
func (s *Scene) pieceTitle(square int) string {
	parts := []string{squareName(s.Size, square), [...]string{"", "first", "second"}[s.Pieces[square].Stone]}
	if s.Pieces[square].Master {
		parts = append(parts, "master")
	}
	if n := s.numberOf(square); n > 0 {
		parts = append(parts, "move "+strconv.Itoa(n))
	}
	return strings.Join(parts, " ")
}

// numberOf returns the number of the piece on a square, 0 for none.
func (s *Scene) numberOf(square int) int {
	if square < len(s.Numbers) {
		return s.Numbers[square]
	}
	return 0
}

// canvas is what scenes are drawn on. Lengths are in units of the canvas's own, x
// to the right and y down. A title names what is drawn for a screen reader; "" is
// for what is only decoration.
type canvas interface {
	rect(x, y, w, h float64, fill color.RGBA)
	line(x1, y1, x2, y2, width float64, c color.RGBA)
	disc(x, y, radius float64, fill color.RGBA, title string)
	ring(x, y, radius, width float64, c color.RGBA)
	polygon(points [][2]float64, fill color.RGBA)
	text(x, y, height float64, text string, c color.RGBA) // the middle is at x, y
}
