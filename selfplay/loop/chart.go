package loop

import (
	"fmt"
	"math"
	"strings"
)

// Size of a chart and of its margins.
const (
	chartWidth  = 420
	chartHeight = 220
	marginLeft  = 52
	marginRight = 14
	marginTop   = 12
	marginBelow = 30
)

// chart is a picture of some numbers over the rounds, or of results over
// expectations.
type chart struct {
	Title, Note   string
	Width, Height int
	XTicks        []tick
	YTicks        []tick
	Left, Right   int
	Top, Bottom   int
	Curves        []curve
}

type tick struct {
	At   float64
	Text string
}

// curve is one line of a chart with its dots.
type curve struct {
	Name, Class string
	Path        string
	Dots        []mark
}

// mark is a dot with its error, Low and High being the same without one.
type mark struct {
	X, Y, Low, High float64
	Title           string
}

// point is a value that is drawn.
type point struct{ x, y, bound float64 }

// line is a named row of points.
type line struct {
	name   string
	points []point
}

// newChart draws lines over the rounds; see draw.
func newChart(title, format string, zero bool, lines ...line) chart {
	return draw(title, format, zero, 1, lines...)
}

// draw draws lines. Axes are as wide as the points and their errors; y begins at 0
// if zero says so, and the ticks of x are xStep apart or more.
func draw(title, format string, zero bool, xStep float64, lines ...line) chart {
	c := chart{
		Title: title, Width: chartWidth, Height: chartHeight,
		Left: marginLeft, Right: chartWidth - marginRight, Top: marginTop, Bottom: chartHeight - marginBelow,
	}
	x, y := span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	for _, l := range lines {
		for _, p := range l.points {
			x.add(p.x)
			y.add(p.y - p.bound)
			y.add(p.y + p.bound)
		}
	}
	if x.low > x.high {
		c.Note = "nothing is known yet"
		return c
	}
	if zero {
		y.add(0)
	}
	x.widen()
	y.widen()
	for _, v := range y.ticks(5, 0) {
		c.YTicks = append(c.YTicks, tick{c.y(v, y), fmt.Sprintf(format, v)})
	}
	for _, v := range x.ticks(8, xStep) {
		c.XTicks = append(c.XTicks, tick{c.x(v, x), fmt.Sprintf("%g", rounded(v))})
	}
	for i, l := range lines {
		c.Curves = append(c.Curves, c.curve(l, i, format, x, y))
	}
	return c
}

func (c *chart) curve(l line, i int, format string, x, y span) curve {
	out := curve{Name: l.name, Class: fmt.Sprintf("c%d", i)}
	var path []string
	for _, p := range l.points {
		at := mark{X: c.x(p.x, x), Y: c.y(p.y, y), Low: c.y(p.y-p.bound, y), High: c.y(p.y+p.bound, y)}
		at.Title = fmt.Sprintf("%s at %g: "+format, l.name, rounded(p.x), p.y)
		if p.bound > 0 {
			at.Title += fmt.Sprintf(" +- "+format, p.bound)
		}
		out.Dots = append(out.Dots, at)
		path = append(path, fmt.Sprintf("%.1f,%.1f", at.X, at.Y))
	}
	out.Path = strings.Join(path, " ")
	return out
}

func (c *chart) x(v float64, s span) float64 {
	return math.Round(10*(float64(c.Left)+s.share(v)*float64(c.Right-c.Left))) / 10
}

func (c *chart) y(v float64, s span) float64 {
	return math.Round(10*(float64(c.Bottom)-s.share(v)*float64(c.Bottom-c.Top))) / 10
}

// span is the range of an axis.
type span struct{ low, high float64 }

func (s *span) add(v float64) { s.low, s.high = min(s.low, v), max(s.high, v) }

// widen makes room where all values are one.
func (s *span) widen() {
	if s.high-s.low < 1e-9 {
		s.low, s.high = s.low-0.5, s.high+0.5
	}
}

// share returns where in the span a value lies, 0 to 1.
func (s *span) share(v float64) float64 { return (v - s.low) / (s.high - s.low) }

// ticks returns at most about n round numbers within the span: multiples of 1, 2 or
// 5 times a power of ten, which is least or more.
func (s *span) ticks(n int, least float64) []float64 {
	raw := max((s.high-s.low)/float64(n), least)
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5, 10} {
		if step*m >= raw*(1-1e-9) {
			step *= m
			break
		}
	}
	var list []float64
	for i := math.Ceil(s.low/step - 1e-9); i*step <= s.high+step/1e6; i++ {
		list = append(list, i*step+0) // no negative zero
	}
	return list
}
