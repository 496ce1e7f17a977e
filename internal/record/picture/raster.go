package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// rasterCanvas draws on pixels, with smooth edges.
type rasterCanvas struct {
	img   *image.RGBA
	scale float64 // pixels of a unit
	fill  vector.Rasterizer
	font  *opentype.Font
	faces map[int]font.Face // by height in 1/64 pixels
}

func newRasterCanvas(width, height int, scale float64, f *opentype.Font) *rasterCanvas {
	return &rasterCanvas{
		img: image.NewRGBA(image.Rect(0, 0, width, height)), scale: scale, font: f, faces: map[int]font.Face{},
	}
}

// shape fills a path, which move and the functions after it lay down relative to
// the corner of its box; the box is in pixels.
func (c *rasterCanvas) shape(x1, y1, x2, y2 float64, ink color.RGBA, lay func(move, line func(x, y float64), curve func(ax, ay, bx, by, x, y float64))) {
	box := image.Rect(int(math.Floor(x1)), int(math.Floor(y1)), int(math.Ceil(x2))+1, int(math.Ceil(y2))+1)
	ox, oy := float64(box.Min.X), float64(box.Min.Y)
	p := func(x, y float64) (float32, float32) { return float32(x - ox), float32(y - oy) }
	c.fill.Reset(box.Dx(), box.Dy())
	lay(func(x, y float64) { c.fill.MoveTo(p(x, y)) },
		func(x, y float64) { c.fill.LineTo(p(x, y)) },
		func(ax, ay, bx, by, x, y float64) {
			a, b := p(ax, ay)
			d, e := p(bx, by)
			f, g := p(x, y)
			c.fill.CubeTo(a, b, d, e, f, g)
		})
	c.fill.ClosePath()
	c.fill.Draw(c.img, box, image.NewUniform(ink), image.Point{})
}

func (c *rasterCanvas) rect(x, y, w, h float64, fill color.RGBA) {
	// Whole pixels: edges of areas are sharp.
	box := image.Rect(c.pixel(x), c.pixel(y), c.pixel(x+w), c.pixel(y+h))
	draw.Draw(c.img, box, image.NewUniform(fill), image.Point{}, draw.Src)
}

func (c *rasterCanvas) pixel(v float64) int { return int(math.Round(v * c.scale)) }

func (c *rasterCanvas) line(x1, y1, x2, y2, width float64, ink color.RGBA) {
	half := max(1, width*c.scale) / 2
	if x1 == x2 || y1 == y2 {
		wide := max(1, int(math.Round(width*c.scale)))
		box := image.Rect(c.pixel(min(x1, x2))-wide/2, c.pixel(min(y1, y2))-wide/2, c.pixel(max(x1, x2))-wide/2+wide, c.pixel(max(y1, y2))-wide/2+wide)
		draw.Draw(c.img, box, image.NewUniform(ink), image.Point{}, draw.Over)
		return
	}
	x1, y1, x2, y2 = x1*c.scale, y1*c.scale, x2*c.scale, y2*c.scale
	length := math.Hypot(x2-x1, y2-y1)
	nx, ny := -(y2-y1)/length*half, (x2-x1)/length*half
	c.path([][2]float64{{x1 + nx, y1 + ny}, {x2 + nx, y2 + ny}, {x2 - nx, y2 - ny}, {x1 - nx, y1 - ny}}, ink)
}

// path fills a polygon whose corners are in pixels.
func (c *rasterCanvas) path(points [][2]float64, ink color.RGBA) {
	x1, y1, x2, y2 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range points {
		x1, y1, x2, y2 = min(x1, p[0]), min(y1, p[1]), max(x2, p[0]), max(y2, p[1])
	}
	c.shape(x1, y1, x2, y2, ink, func(move, line func(x, y float64), _ func(ax, ay, bx, by, x, y float64)) {
		move(points[0][0], points[0][1])
		for _, p := range points[1:] {
			line(p[0], p[1])
		}
	})
}

func (c *rasterCanvas) polygon(points [][2]float64, fill color.RGBA) {
	scaled := make([][2]float64, len(points))
	for i, p := range points {
		scaled[i] = [2]float64{p[0] * c.scale, p[1] * c.scale}
	}
	c.path(scaled, fill)
}

// round lays down a circle; backwards, so that it makes a hole in a larger one.
func round(x, y, r float64, backwards bool, move func(x, y float64), curve func(ax, ay, bx, by, x, y float64)) {
	const k = 0.5522847498 // of the best curve for a quarter
	h, s := k*r, 1.0
	if backwards {
		s = -1
	}
	move(x+r, y)
	curve(x+r, y+s*h, x+h, y+s*r, x, y+s*r)
	curve(x-h, y+s*r, x-r, y+s*h, x-r, y)
	curve(x-r, y-s*h, x-h, y-s*r, x, y-s*r)
	curve(x+h, y-s*r, x+r, y-s*h, x+r, y)
}

func (c *rasterCanvas) disc(x, y, radius float64, fill color.RGBA, _ string) {
	x, y, r := x*c.scale, y*c.scale, radius*c.scale
	c.shape(x-r, y-r, x+r, y+r, fill, func(move, _ func(x, y float64), curve func(ax, ay, bx, by, x, y float64)) {
		round(x, y, r, false, move, curve)
	})
}

func (c *rasterCanvas) ring(x, y, radius, width float64, ink color.RGBA) {
	x, y = x*c.scale, y*c.scale
	outer, inner := (radius+width/2)*c.scale, (radius-width/2)*c.scale
	c.shape(x-outer, y-outer, x+outer, y+outer, ink, func(move, _ func(x, y float64), curve func(ax, ay, bx, by, x, y float64)) {
		round(x, y, outer, false, move, curve)
		round(x, y, inner, true, move, curve)
	})
}

func (c *rasterCanvas) text(x, y, height float64, text string, ink color.RGBA) {
	size := int(math.Round(height * c.scale * 64))
	face := c.faces[size]
	if face == nil {
		var err error
		face, err = opentype.NewFace(c.font, &opentype.FaceOptions{Size: float64(size) / 64, DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			panic(err) // the font is the program's own
		}
		c.faces[size] = face
	}
	d := font.Drawer{Dst: c.img, Src: image.NewUniform(ink), Face: face}
	px := fixed.Int26_6(math.Round(x*c.scale*64)) - d.MeasureString(text)/2
	d.Dot = fixed.Point26_6{X: px, Y: fixed.Int26_6(math.Round((y + baseline*height) * c.scale * 64))}
	d.DrawString(text)
}

// raster draws a scene on pixels.
func raster(s *Scene, o *Options) (*image.RGBA, error) {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	l := newLayout(s, o)
	scale := float64(o.Width) / l.width
	c := newRasterCanvas(o.Width, int(math.Round(l.height*scale)), scale, f)
	l.draw(c, o)
	return c.img, nil
}

// PNG writes a scene as PNG.
func PNG(out io.Writer, s *Scene, o Options) error {
	if err := o.settle(); err != nil {
		return err
	}
	img, err := raster(s, &o)
	if err != nil {
		return err
	}
	var data bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&data, img); err != nil {
		return err
	}
	_, err = out.Write(markPNG(data.Bytes()))
	return err
}
