package picture

import (
	"slices"
	"strconv"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record"
)

func itoa(n int) string { return strconv.Itoa(n) }

// draw draws a scene.
func (l *layout) draw(c canvas, o *Options) {
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
func (l *layout) cross(c canvas, x, y, r, width float64, o *Options) {
	c.line(x-r, y-r, x+r, y+r, width, o.theme.Forbidden)
	c.line(x-r, y+r, x+r, y-r, width, o.theme.Forbidden)
}

// board draws the empty board and its coordinates.
func (l *layout) board(c canvas, o *Options) {
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
func (l *layout) piece(c canvas, o *Options, square int, p games.Piece) {
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
func (l *layout) annotate(c canvas, o *Options) {
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
