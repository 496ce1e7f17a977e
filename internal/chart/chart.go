// Package chart draws lines of numbers with their errors for pages that need nothing
// else: the SVG of a chart, and the look that such pages share.
package chart

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
)

// Templates is the text of the templates "style", the styles of a page and of its
// charts, for within <style>, and "chart", the section of one [Chart]. Package
// html/template reads it.
//
//go:embed chart.html
var Templates string

// Size of a chart and of its margins.
const (
	chartWidth  = 420
	chartHeight = 220
	marginLeft  = 52
	marginRight = 14
	marginTop   = 12
	marginBelow = 30
)

// Chart is a picture of some lines: their numbers over rounds or games, or results over
// expectations. [New] and [Draw] make it; the template "chart" reads it.
type Chart struct {
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

// Point is a value that is drawn, with half its error bar, 0 for none.
type Point struct{ X, Y, Bound float64 }

// Line is a named row of points.
type Line struct {
	Name   string
	Points []Point
}

// New draws lines over whole numbers, as rounds are; see [Draw].
func New(title, format string, zero bool, lines ...Line) Chart {
	return Draw(title, format, zero, 1, lines...)
}

// Draw draws lines, their values written by format. Axes are as wide as the points and their errors; y begins at 0
// if zero says so, and the ticks of x are xStep apart or more.
func Draw(title, format string, zero bool, xStep float64, lines ...Line) Chart {
	c := Chart{
		Title: title, Width: chartWidth, Height: chartHeight,
		Left: marginLeft, Right: chartWidth - marginRight, Top: marginTop, Bottom: chartHeight - marginBelow,
	}
	x, y := span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	for _, l := range lines {
		for _, p := range l.Points {
			x.add(p.X)
			y.add(p.Y - p.Bound)
			y.add(p.Y + p.Bound)
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

func (c *Chart) curve(l Line, i int, format string, x, y span) curve {
	out := curve{Name: l.Name, Class: fmt.Sprintf("c%d", i)}
	var path []string
	for _, p := range l.Points {
		at := mark{X: c.x(p.X, x), Y: c.y(p.Y, y), Low: c.y(p.Y-p.Bound, y), High: c.y(p.Y+p.Bound, y)}
		at.Title = fmt.Sprintf("%s at %g: "+format, l.Name, rounded(p.X), p.Y)
		if p.Bound > 0 {
			at.Title += fmt.Sprintf(" +- "+format, p.Bound)
		}
		out.Dots = append(out.Dots, at)
		path = append(path, fmt.Sprintf("%.1f,%.1f", at.X, at.Y))
	}
	out.Path = strings.Join(path, " ")
	return out
}

func (c *Chart) x(v float64, s span) float64 {
	return math.Round(10*(float64(c.Left)+s.share(v)*float64(c.Right-c.Left))) / 10
}

func (c *Chart) y(v float64, s span) float64 {
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

// rounded keeps four decimals.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }
