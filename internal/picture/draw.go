package picture

import (
	"slices"
	"strconv"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
)

func itoa(n int) string { return strconv.Itoa(n) }

// draw draws a scene.
func (l *layout) draw(c *svgCanvas, o *Options) {
	t := &o.theme
	c.rect(0, 0, l.width, l.height, t.Back)
	l.board(c, o)
	for square, p := range l.s.Pieces {
		if p.Stone != games.NoStone {
			l.piece(c, o, square, p)
		}
	}
	for _, square := range l.s.Win {
		x, y := l.at(square)
		c.ring(x, y, 0.43*unit, 0.1*unit, t.Win)
	}
	if o.Forbidden {
		for _, square := range l.s.Forbidden {
			x, y := l.at(square)
			l.cross(c, x, y, 0.2*unit, 0.08*unit, o)
		}
	}
	l.annotate(c, o)
	l.cards(c, o)
	if l.caption != "" {
		c.text(l.width/2, l.height-footer*unit/2, 0.45*unit, l.caption, t.Text)
	}
}

// cross draws a cross in the colour of closed points.
func (l *layout) cross(c *svgCanvas, x, y, r, width float64, o *Options) {
	c.line(x-r, y-r, x+r, y+r, width, o.theme.Forbidden)
	c.line(x-r, y+r, x+r, y-r, width, o.theme.Forbidden)
}

// board draws the empty board and its coordinates.
func (l *layout) board(c *svgCanvas, o *Options) {
	t, n := &o.theme, l.s.Size
	span := unit * float64(n-1)
	c.rect(l.left-0.5*unit, l.top-0.5*unit, span+unit, span+unit, t.Board)
	for _, square := range l.s.Temples {
		x, y := l.at(square)
		c.rect(x-0.5*unit, y-0.5*unit, unit, unit, t.Hot)
	}
	lines, shift := n, 0.0
	if !l.s.Lines {
		lines, shift = n+1, -0.5*unit
	}
	for i := range lines {
		at := unit*float64(i) + shift
		c.line(l.left+at, l.top+shift, l.left+at, l.top+span-shift, 1.2, t.Line)
		c.line(l.left+shift, l.top+at, l.left+span-shift, l.top+at, 1.2, t.Line)
	}
	if l.s.Lines {
		for _, square := range stars(n) {
			x, y := l.at(square)
			c.disc(x, y, 0.09*unit, t.Line, "")
		}
	}
	if !o.Coordinates {
		return
	}
	for i := range n {
		at := unit * float64(i)
		c.text(l.left+at, l.top+span+0.78*unit, 0.36*unit, string(rune('a'+i)), t.Text)
		c.text(l.left-0.78*unit, l.top+span-at, 0.36*unit, itoa(i+1), t.Text)
	}
}

// stars are the squares that are marked on boards of a size: the centre, and on
// larger boards four around it.
func stars(n int) []int {
	if n%2 == 0 {
		return nil
	}
	middle := n / 2
	squares := []int{middle*n + middle}
	if n < 11 {
		return squares
	}
	for _, y := range []int{3, n - 4} {
		for _, x := range []int{3, n - 4} {
			squares = append(squares, y*n+x)
		}
	}
	return squares
}

// piece draws what stands on a square, with its number or the sign of the last move.
func (l *layout) piece(c *svgCanvas, o *Options, square int, p games.Piece) {
	t, i := &o.theme, side(p)
	x, y := l.at(square)
	c.disc(x, y, 0.45*unit, t.Rims[i], l.s.pieceTitle(square))
	c.disc(x, y, 0.41*unit, t.Pieces[i], "")
	if p.Master {
		c.polygon([][2]float64{
			{x - 0.24*unit, y + 0.16*unit}, {x - 0.26*unit, y - 0.14*unit}, {x - 0.12*unit, y}, {x, y - 0.2*unit},
			{x + 0.12*unit, y}, {x + 0.26*unit, y - 0.14*unit}, {x + 0.24*unit, y + 0.16*unit},
		}, t.Figures[i])
	}
	last := o.Last && slices.Contains(l.s.Last, square)
	n := l.s.numberOf(square)
	switch {
	case o.Numbers && n > 0:
		ink := t.Figures[i]
		if last {
			ink = t.Accent
		}
		c.text(x, y, [...]float64{0, 0.5, 0.46, 0.36}[min(3, len(itoa(n)))]*unit, itoa(n), ink)
	case last && p.Master, last && !l.s.Lines:
		c.ring(x, y, 0.43*unit, 0.07*unit, t.Accent)
	case last:
		c.disc(x, y, 0.13*unit, t.Accent, "")
	}
}

// annotate draws the labels and marks of the record.
func (l *layout) annotate(c *svgCanvas, o *Options) {
	t := &o.theme
	for _, m := range l.s.Marks {
		square := int(m.At)
		if square >= len(l.s.Pieces) {
			continue
		}
		x, y := l.at(square)
		ink := t.Text
		if p := l.s.Pieces[square]; p.Stone != games.NoStone {
			ink = t.Figures[side(p)]
		}
		const r, w = 0.26 * unit, 0.07 * unit
		var points [][2]float64
		switch m.Kind {
		case record.Circle:
			c.ring(x, y, r, w, ink)
		case record.Cross:
			c.line(x-r, y-r, x+r, y+r, w, ink)
			c.line(x-r, y+r, x+r, y-r, w, ink)
		case record.Square:
			points = [][2]float64{{x - r, y - r}, {x + r, y - r}, {x + r, y + r}, {x - r, y + r}}
		default:
			points = [][2]float64{{x, y - r}, {x + r, y + r*0.8}, {x - r, y + r*0.8}}
		}
		for i, p := range points {
			q := points[(i+1)%len(points)]
			c.line(p[0], p[1], q[0], q[1], w, ink)
		}
	}
	for _, label := range l.s.Labels {
		square := int(label.At)
		text := []rune(label.Text)
		if square >= len(l.s.Pieces) || len(text) == 0 {
			continue
		}
		x, y := l.at(square)
		ink := t.Text
		if p := l.s.Pieces[square]; p.Stone != games.NoStone {
			ink = t.Figures[side(p)]
		} else {
			c.disc(x, y, 0.3*unit, t.Board, "")
		}
		const most = 4
		text = text[:min(len(text), most)]
		c.text(x, y, [...]float64{0, 0.55, 0.45, 0.36, 0.28}[len(text)]*unit, string(text), ink)
	}
}

// Layout of a picture, in squares of the board.
const (
	edge       = 0.7 // beside the board
	coordinate = 1.1 // beside the board where coordinates stand
	footer     = 0.9 // below it, where a caption stands
	cardWidth  = 1.7
	cardHeight = 2.0
	unit       = 32.0 // of the canvas: a square
)

// layout is where the board is on the canvas.
type layout struct {
	s             *Scene
	left, top     float64 // of the first square's middle, in units
	width, height float64 // of the picture, in units
	caption       string
}

// newLayout returns the layout of a scene.
func newLayout(s *Scene, o *Options) layout {
	l := layout{s: s, caption: caption(s)}
	side := edge
	if o.Coordinates {
		side = coordinate
	}
	n := float64(s.Size - 1)
	top, right := edge, edge
	if len(s.Hands) > 0 {
		top, right = edge+cardHeight, edge+cardWidth+0.3
	}
	l.left, l.top = side*unit, top*unit
	l.width, l.height = (side+n+right)*unit, (top+n+side)*unit
	if len(s.Hands) > 0 {
		l.height += cardHeight * unit
	}
	if l.caption != "" {
		l.height += footer * unit
	}
	return l
}

// at returns the middle of a square.
func (l *layout) at(square int) (x, y float64) {
	n := l.s.Size
	return l.left + unit*float64(square%n), l.top + unit*float64(n-1-square/n)
}

// caption returns what stands below the board: the caption, and the captured
// pieces where they count.
func caption(s *Scene) string {
	text := s.Caption
	if c := s.Captured; c != nil {
		if text != "" {
			text += "  "
		}
		text += "captured " + itoa(c[0]) + " : " + itoa(c[1])
	}
	return text
}

// side returns 0 or 1 for what stands on a square.
func side(p games.Piece) int { return int(p.Stone - games.FirstStone) }

// cards draws the cards beside the board: the second player's above it, as that
// player's moves go down the board; the first player's below, the spare one to the
// right.
func (l *layout) cards(c *svgCanvas, o *Options) {
	if len(l.s.Hands) < 3 {
		return
	}
	n := float64(l.s.Size - 1)
	middle := l.left + n/2*unit
	row := func(cards []games.Card, y float64, turned bool) {
		for i, card := range cards {
			x := middle + (float64(i)-float64(len(cards)-1)/2)*(cardWidth+0.5)*unit
			l.card(c, o, card, x, y, turned)
		}
	}
	bottom := l.top + (n+0.5+0.3)*unit
	if o.Coordinates {
		bottom += 0.4 * unit
	}
	row(l.s.Hands[1], l.top-0.5*unit-(cardHeight)*unit, true)
	row(l.s.Hands[0], bottom, false)
	for _, card := range l.s.Hands[2] {
		l.card(c, o, card, l.left+(n+0.5+0.2+cardWidth/2)*unit, l.top+n/2*unit-cardHeight/2*unit, false)
	}
}

// card draws a card whose upper edge has its middle at x, y: its name and its
// steps on a board of 5x5, from the side of its owner.
func (l *layout) card(c *svgCanvas, o *Options, card games.Card, x, y float64, turned bool) {
	const (
		rows = 5
		cell = 0.26 * unit
	)
	t := &o.theme
	c.rect(x-cardWidth/2*unit, y, cardWidth*unit, (cardHeight-0.15)*unit, t.Board)
	c.text(x, y+0.22*unit, 0.27*unit, card.Name, t.Text)
	left, top := x-rows*cell/2, y+0.42*unit
	marked := map[[2]int]bool{}
	for _, step := range card.Steps {
		if turned {
			step = [2]int{-step[0], -step[1]}
		}
		marked[[2]int{2 + step[0], 2 - step[1]}] = true
	}
	for row := range rows {
		for column := range rows {
			fill := t.Back
			switch {
			case row == 2 && column == 2:
				fill = t.Line
			case marked[[2]int{column, row}]:
				fill = t.Accent
			}
			c.rect(left+float64(column)*cell+0.5, top+float64(row)*cell+0.5, cell-1, cell-1, fill)
		}
	}
}
