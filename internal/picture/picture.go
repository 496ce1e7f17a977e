// Package picture draws positions as SVG, which stays sharp at any size and whose pieces a
// screen reader can name. A [Scene] is what is drawn: the board as its game describes it,
// with numbers, labels and marks. The same scene and options give the same bytes.
package picture

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
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
		if l := v.Lines(); l != nil && pos.Outcome() == game.Undecided {
			for _, f := range l.Forbidden(pos) {
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

// Options say how scenes are drawn.
type Options struct {
	Width       int    // in pixels; 0: DefaultWidth
	Theme       string // a name; "": the usual one
	Coordinates bool
	Numbers     bool // of moves, on their pieces
	Last        bool // a sign on the last move
	Forbidden   bool // crosses on closed points

	theme Theme
}

// Widths of pictures, in pixels.
const (
	MinWidth     = 64
	DefaultWidth = 600
	MaxWidth     = 4096
)

// All returns the options that show everything.
func All() Options {
	return Options{Coordinates: true, Numbers: true, Last: true, Forbidden: true}
}

// settle fills in defaults and refuses what cannot be drawn.
func (o *Options) settle() (err error) {
	if o.Width == 0 {
		o.Width = DefaultWidth
	}
	if o.Width < MinWidth || o.Width > MaxWidth {
		return fmt.Errorf("a picture of %d pixels: want %d to %d", o.Width, MinWidth, MaxWidth)
	}
	o.theme, err = ThemeOf(o.Theme)
	return err
}

// Theme is a set of colours.
type Theme struct {
	Name                        string
	Back, Board, Line, Text     color.RGBA
	Pieces, Rims, Figures       [2]color.RGBA // by side: the piece, its edge, what is written on it
	Accent, Win, Forbidden, Hot color.RGBA    // the last move, a line that won, closed points, temples
}

// themes are the themes, the usual one first.
var themes = []Theme{
	{
		Name: "light", Back: rgb(0xffffff), Board: rgb(0xf2d59b), Line: rgb(0x7a5a2a), Text: rgb(0x333333),
		Pieces: [2]color.RGBA{rgb(0x1a1a1a), rgb(0xfdfdfd)}, Rims: [2]color.RGBA{rgb(0x000000), rgb(0x6b6b6b)},
		Figures: [2]color.RGBA{rgb(0xffffff), rgb(0x111111)},
		Accent:  rgb(0xd42a2a), Win: rgb(0x118a3c), Forbidden: rgb(0xc01616), Hot: rgb(0xe0b35e),
	},
	{
		Name: "dark", Back: rgb(0x16181c), Board: rgb(0x3a3f47), Line: rgb(0x8a929e), Text: rgb(0xd8dce2),
		Pieces: [2]color.RGBA{rgb(0x0b0c0e), rgb(0xe9ecef)}, Rims: [2]color.RGBA{rgb(0x9aa3ad), rgb(0xffffff)},
		Figures: [2]color.RGBA{rgb(0xf5f7fa), rgb(0x15171a)},
		Accent:  rgb(0xff5f56), Win: rgb(0x37d67a), Forbidden: rgb(0xff7b72), Hot: rgb(0x59636f),
	},
}

// ThemeNames returns the names of the themes, the usual one first.
func ThemeNames() []string {
	var names []string
	for _, t := range themes {
		names = append(names, t.Name)
	}
	return names
}

// ThemeOf returns the theme of that name, the usual one for "".
func ThemeOf(name string) (Theme, error) {
	for _, t := range themes {
		if name == "" || t.Name == name {
			return t, nil
		}
	}
	return Theme{}, fmt.Errorf("unknown theme %q: want one of %s", name, strings.Join(ThemeNames(), ", "))
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

// made stands at the beginning of every picture, by which the program knows that it
// may replace it.
const made = "drawn by carozero"

// headBytes is how far into a picture the mark stands at most.
const headBytes = 512

// Own reports whether a file that begins so is a picture of this program.
func Own(head []byte) bool {
	head = head[:min(len(head), headBytes)]
	return bytes.HasPrefix(head, []byte("<svg ")) && bytes.Contains(head, []byte(made))
}

// svgCanvas writes the elements of an SVG picture.
type svgCanvas struct{ b strings.Builder }

// number writes a length with two decimals at most.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', 2, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func (c *svgCanvas) rect(x, y, w, h float64, fill color.RGBA) {
	fmt.Fprintf(&c.b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n", number(x), number(y), number(w),
		number(h), hex(fill))
}

func (c *svgCanvas) line(x1, y1, x2, y2, width float64, ink color.RGBA) {
	fmt.Fprintf(&c.b, `<path d="M%s %sL%s %s" stroke="%s" stroke-width="%s"/>`+"\n",
		number(x1), number(y1), number(x2), number(y2), hex(ink), number(width))
}

func (c *svgCanvas) disc(x, y, radius float64, fill color.RGBA, title string) {
	fmt.Fprintf(&c.b, `<circle cx="%s" cy="%s" r="%s" fill="%s"`, number(x), number(y), number(radius), hex(fill))
	if title == "" {
		c.b.WriteString("/>\n")
		return
	}
	fmt.Fprintf(&c.b, "><title>%s</title></circle>\n", html.EscapeString(title))
}

func (c *svgCanvas) ring(x, y, radius, width float64, ink color.RGBA) {
	fmt.Fprintf(&c.b, `<circle cx="%s" cy="%s" r="%s" fill="none" stroke="%s" stroke-width="%s"/>`+"\n",
		number(x), number(y), number(radius), hex(ink), number(width))
}

func (c *svgCanvas) polygon(points [][2]float64, fill color.RGBA) {
	c.b.WriteString(`<path d="`)
	for i, p := range points {
		command := 'L'
		if i == 0 {
			command = 'M'
		}
		fmt.Fprintf(&c.b, "%c%s %s", command, number(p[0]), number(p[1]))
	}
	fmt.Fprintf(&c.b, `z" fill="%s"/>`+"\n", hex(fill))
}

// baseline is how far below the middle of its digits a text stands, for a height
// of 1.
const baseline = 0.36

func (c *svgCanvas) text(x, y, height float64, text string, ink color.RGBA) {
	fmt.Fprintf(&c.b, `<text x="%s" y="%s" font-size="%s" text-anchor="middle" fill="%s">%s</text>`+"\n",
		number(x), number(y+baseline*height), number(height), hex(ink), html.EscapeString(clean(text)))
}

// clean drops what XML cannot hold.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// SVG writes a scene as SVG.
func SVG(out io.Writer, s *Scene, o Options) error {
	if err := o.settle(); err != nil {
		return err
	}
	l := newLayout(s, &o)
	var c svgCanvas
	l.draw(&c, &o)
	height := float64(o.Width) * l.height / l.width
	_, err := fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%d" height="%s" role="img" aria-labelledby="title" font-family="sans-serif">
<!-- %s -->
<title id="title">%s</title>
%s</svg>
`, number(l.width), number(l.height), o.Width, number(height), made, html.EscapeString(clean(s.Title)), c.b.String())
	return err
}
