package picture

import "image/color"

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
