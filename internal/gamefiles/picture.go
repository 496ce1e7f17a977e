package gamefiles

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
)

// Scene is a position with what is drawn on it: the board as its game describes it, with numbers. Squares
// are numbered row by row from the bottom left.
type Scene struct {
	games.Display
	Lines     bool   // pieces stand where lines cross, not inside squares
	Numbers   []int  // of the moves that put the pieces there, by square; 0: none; nil for none at all
	Forbidden []int  // squares that the side to move may not play
	Title     string // what the picture shows, in words
	Caption   string // a line below the board; "": none
}

// NewScene returns the scene of a position after moves of a variant from start.
func NewScene(v games.Variant, start game.Position, moves []game.Move) Scene {
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
	s.Title = fmt.Sprintf("%s after %d moves: ", v, len(moves))
	switch o := pos.Outcome(); o {
	case game.Undecided:
		s.Title += pos.ToMove().String() + " to move"
	case game.Draw:
		s.Title += "draw"
	default:
		s.Title += o.String() + " has won"
	}
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

// numberOf returns the number of the piece on a square, 0 for none.
func (s *Scene) numberOf(square int) int {
	if square < len(s.Numbers) {
		return s.Numbers[square]
	}
	return 0
}

// pieceTitle says what stands on a square, for a screen reader.
func (s *Scene) pieceTitle(square int) string {
	text := fmt.Sprintf("%c%d %s", 'a'+square%s.Size, square/s.Size+1,
		[...]string{"", "first", "second"}[s.Pieces[square].Stone])
	if s.Pieces[square].Master {
		text += " master"
	}
	if n := s.numberOf(square); n > 0 {
		text += fmt.Sprintf(" move %d", n)
	}
	return text
}

// made stands at the beginning of every picture, by which the program knows that it
// may replace it.
const made = "drawn by carozero"

// OwnPicture reports whether a file that begins so is a picture of this program.
func OwnPicture(head []byte) bool {
	return bytes.HasPrefix(head, []byte("<svg ")) && bytes.Contains(head[:min(len(head), 512)], []byte(made))
}

// Colours of a picture.
const (
	backColour      = "#ffffff"
	boardColour     = "#f2d59b"
	lineColour      = "#7a5a2a"
	textColour      = "#333333"
	accentColour    = "#d42a2a" // the last move
	winColour       = "#118a3c"
	forbiddenColour = "#c01616"
	templeColour    = "#e0b35e"
)

// Colours by side: the piece, its edge, and what is written on it.
var (
	pieceColours  = [2]string{"#1a1a1a", "#fdfdfd"}
	rimColours    = [2]string{"#000000", "#6b6b6b"}
	figureColours = [2]string{"#ffffff", "#111111"}
)

// Lengths of a picture, in squares of the board. The middle of its upper left square is at
// 0, 0.
const (
	edge       = 0.7 // beside the board
	coordinate = 1.1 // beside the board where coordinates stand
	footer     = 0.9 // below it, where a caption stands
	cardWidth  = 1.7
	cardHeight = 2.0
)

// width is that of a picture, in pixels, where nothing scales it.
const width = 600

// SVG writes a scene as SVG, which is sharp at any size and whose pieces a screen reader can name. The
// same scene gives the same bytes.
func SVG(out io.Writer, s *Scene) error {
	n := float64(s.Size - 1)
	left, top, right, bottom := -coordinate, -edge, n+edge, n+coordinate
	if len(s.Hands) > 0 {
		top, right, bottom = top-cardHeight, right+cardWidth+0.3, bottom+cardHeight
	}
	caption := s.Caption
	if by := s.Captured; by != nil {
		caption = strings.TrimSpace(fmt.Sprintf("%s  captured %d : %d", caption, by[0], by[1]))
	}
	if caption != "" {
		bottom += footer
	}
	c := canvas{s: s}
	c.rect(left, top, right-left, bottom-top, backColour)
	c.board()
	for square, p := range s.Pieces {
		if p.Stone != games.NoStone {
			c.piece(square, p)
		}
	}
	for _, square := range s.Win {
		x, y := c.at(square)
		c.ring(x, y, 0.43, 0.1, winColour)
	}
	for _, square := range s.Forbidden {
		x, y := c.at(square)
		c.figure(x, y, "m-.2-.2l.4 .4m0-.4l-.4 .4", 0.08, forbiddenColour)
	}
	c.cards()
	if caption != "" {
		c.text((left+right)/2, bottom-footer/2, 0.45, caption, textColour)
	}
	_, err := fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="%.4g %.4g %.4g %.4g" `+
		`width="%d" height="%.4g" role="img" aria-labelledby="title" font-family="sans-serif">`+
		"\n<!-- %s -->\n<title id=\"title\">%s</title>\n%s</svg>\n",
		left, top, right-left, bottom-top, width, width*(bottom-top)/(right-left), made, escaped(s.Title), c.String())
	return err
}

// canvas takes the elements of a picture.
type canvas struct {
	strings.Builder
	s *Scene
}

// at returns the middle of a square.
func (c *canvas) at(square int) (x, y float64) {
	return float64(square % c.s.Size), float64(c.s.Size - 1 - square/c.s.Size)
}

func (c *canvas) rect(x, y, w, h float64, fill string) {
	fmt.Fprintf(c, "<rect x=\"%.4g\" y=\"%.4g\" width=\"%.4g\" height=\"%.4g\" fill=\"%s\"/>\n", x, y, w, h, fill)
}

func (c *canvas) disc(x, y, radius float64, fill, title string) {
	end := "/>"
	if title != "" {
		end = "><title>" + title + "</title></circle>"
	}
	fmt.Fprintf(c, "<circle cx=\"%.4g\" cy=\"%.4g\" r=\"%.4g\" fill=\"%s\"%s\n", x, y, radius, fill, end)
}

func (c *canvas) ring(x, y, radius, width float64, ink string) {
	fmt.Fprintf(c, "<circle cx=\"%.4g\" cy=\"%.4g\" r=\"%.4g\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.4g\"/>\n",
		x, y, radius, ink, width)
}

// figure draws a path, which is relative to a point, with a pen.
func (c *canvas) figure(x, y float64, path string, width float64, ink string) {
	fmt.Fprintf(c, "<path d=\"M%.4g %.4g%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.4g\"/>\n", x, y, path, ink,
		width)
}

// baseline is how far below the middle of its digits a text stands, for a height
// of 1.
const baseline = 0.36

func (c *canvas) text(x, y, height float64, text, ink string) {
	fmt.Fprintf(c, "<text x=\"%.4g\" y=\"%.4g\" font-size=\"%.4g\" text-anchor=\"middle\" fill=\"%s\">%s</text>\n", x,
		y+baseline*height, height, ink, escaped(text))
}

// escaped returns a text as XML has it, without what that cannot hold.
func escaped(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
}

// board draws the empty board and its coordinates.
func (c *canvas) board() {
	n := c.s.Size
	span := float64(n - 1)
	c.rect(-0.5, -0.5, span+1, span+1, boardColour)
	for _, square := range c.s.Temples {
		x, y := c.at(square)
		c.rect(x-0.5, y-0.5, 1, 1, templeColour)
	}
	lines, shift := n, 0.0
	if !c.s.Lines {
		lines, shift = n+1, -0.5
	}
	for i := range lines {
		at := float64(i) + shift
		c.figure(at, shift, fmt.Sprintf("v%.4g", span-2*shift), 0.04, lineColour)
		c.figure(shift, at, fmt.Sprintf("h%.4g", span-2*shift), 0.04, lineColour)
	}
	if c.s.Lines {
		for _, square := range stars(n) {
			x, y := c.at(square)
			c.disc(x, y, 0.09, lineColour, "")
		}
	}
	for i := range n {
		at := float64(i)
		c.text(at, span+0.78, 0.36, string(rune('a'+i)), textColour)
		c.text(-0.78, span-at, 0.36, strconv.Itoa(i+1), textColour)
	}
}

// stars are the squares that are marked on boards of a size: the centre, and on
// larger boards four around it.
func stars(n int) []int {
	if n%2 == 0 {
		return nil
	}
	squares := []int{n * n / 2}
	if n >= 11 {
		squares = append(squares, 3*n+3, 3*n+n-4, (n-4)*n+3, (n-4)*n+n-4)
	}
	return squares
}

// piece draws what stands on a square, with its number or the sign of the last move.
func (c *canvas) piece(square int, p games.Piece) {
	side := p.Stone - games.FirstStone
	x, y := c.at(square)
	c.disc(x, y, 0.45, rimColours[side], c.s.pieceTitle(square))
	c.disc(x, y, 0.41, pieceColours[side], "")
	if p.Master {
		c.figure(x, y, "m-.24 .16l-.02-.3l.14 .14l.12-.2l.12 .2l.14-.14l-.02 .3z", 0.06, figureColours[side])
	}
	last := slices.Contains(c.s.Last, square)
	switch n := strconv.Itoa(c.s.numberOf(square)); {
	case n != "0":
		ink := figureColours[side]
		if last {
			ink = accentColour
		}
		c.text(x, y, [...]float64{0, 0.5, 0.46, 0.36}[min(3, len(n))], n, ink)
	case last && (p.Master || !c.s.Lines):
		c.ring(x, y, 0.43, 0.07, accentColour)
	case last:
		c.disc(x, y, 0.13, accentColour, "")
	}
}

// cards draws the cards beside the board: the second player's above it, as that
// player's moves go down the board; the first player's below, the spare one to the
// right.
func (c *canvas) cards() {
	if len(c.s.Hands) < 3 {
		return
	}
	n := float64(c.s.Size - 1)
	row := func(cards []games.Card, middle, y float64, turned bool) {
		for i, card := range cards {
			c.card(card, middle+(float64(i)-float64(len(cards)-1)/2)*(cardWidth+0.5), y, turned)
		}
	}
	row(c.s.Hands[1], n/2, -0.5-cardHeight, true)
	row(c.s.Hands[0], n/2, n+1.2, false)
	row(c.s.Hands[2], n+0.7+cardWidth/2, n/2-cardHeight/2, false)
}

// card draws a card whose upper edge has its middle at x, y: its name and its
// steps on a board of 5x5, from the side of its owner.
func (c *canvas) card(card games.Card, x, y float64, turned bool) {
	const (
		rows = 5
		cell = 0.26
	)
	c.rect(x-cardWidth/2, y, cardWidth, cardHeight-0.15, boardColour)
	c.text(x, y+0.22, 0.27, card.Name, textColour)
	fills := [rows * rows]string{rows * rows / 2: lineColour}
	for _, step := range card.Steps {
		if turned {
			step = [2]int{-step[0], -step[1]}
		}
		fills[(rows/2-step[1])*rows+rows/2+step[0]] = accentColour
	}
	for i, fill := range fills {
		left, top := x-rows*cell/2+float64(i%rows)*cell, y+0.42+float64(i/rows)*cell
		c.rect(left, top, cell-0.03, cell-0.03, cmp.Or(fill, backColour))
	}
}
