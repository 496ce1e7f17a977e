package picture

import (
	"fmt"
	"html"
	"image/color"
	"io"
	"strconv"
	"strings"
)

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
	fmt.Fprintf(&c.b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n", number(x), number(y), number(w), number(h), hex(fill))
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
