package picture

import "github.com/carozero/carozero/internal/engine/games"

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
