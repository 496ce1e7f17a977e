package picture

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"io"
	"slices"
	"time"
)

// GIF writes scenes one after the other as an animation that begins anew at its
// end. Each stays for delay, the last one three times as long. The scenes must be
// of one board. The end of ctx ends it.
func GIF(ctx context.Context, out io.Writer, scenes []Scene, delay time.Duration, o Options) error {
	if err := o.settle(); err != nil {
		return err
	}
	if len(scenes) == 0 {
		return errors.New("no position to draw")
	}
	frames, err := changes(ctx, scenes, &o)
	if err != nil {
		return err
	}
	palette := commonColours(frames)
	nearest := map[color.RGBA]uint8{}
	film := gif.GIF{Config: image.Config{ColorModel: palette, Width: frames[0].Rect.Dx(), Height: frames[0].Rect.Dy()}}
	for i, frame := range frames {
		if err := ctx.Err(); err != nil {
			return err
		}
		film.Image = append(film.Image, indexed(frame, palette, nearest))
		wait := int(delay / (10 * time.Millisecond))
		if i == len(frames)-1 {
			wait *= 3
		}
		film.Delay = append(film.Delay, wait)
		film.Disposal = append(film.Disposal, gif.DisposalNone)
	}
	var data bytes.Buffer
	if err := gif.EncodeAll(&data, &film); err != nil {
		return err
	}
	_, err = out.Write(markGIF(data.Bytes()))
	return err
}

// changes draws the scenes and returns of each the part that differs from the one
// before.
func changes(ctx context.Context, scenes []Scene, o *Options) ([]*image.RGBA, error) {
	var before *image.RGBA
	var frames []*image.RGBA
	for i := range scenes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		img, err := raster(&scenes[i], o)
		if err != nil {
			return nil, err
		}
		if before != nil && img.Bounds() != before.Bounds() {
			return nil, errors.New("boards of different sizes make no film")
		}
		frames = append(frames, changed(before, img))
		before = img
	}
	return frames, nil
}

// changed returns a copy of the smallest box of img that differs from before, at
// least one pixel.
func changed(before, img *image.RGBA) *image.RGBA {
	box := img.Bounds()
	if before != nil {
		box = image.Rectangle{}
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
				if img.RGBAAt(x, y) != before.RGBAAt(x, y) {
					box = box.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
	}
	if box.Empty() {
		box = image.Rect(0, 0, 1, 1)
	}
	part := image.NewRGBA(box)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		copy(part.Pix[part.PixOffset(box.Min.X, y):][:4*box.Dx()], img.Pix[img.PixOffset(box.Min.X, y):])
	}
	return part
}

// commonColours returns colours that stand for all of the frames: the most frequent,
// and such as lie apart.
func commonColours(frames []*image.RGBA) color.Palette {
	counts := map[color.RGBA]int{}
	for _, f := range frames {
		for i := 0; i < len(f.Pix); i += 4 {
			counts[color.RGBA{f.Pix[i], f.Pix[i+1], f.Pix[i+2], f.Pix[i+3]}]++
		}
	}
	all := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		all = append(all, c)
	}
	code := func(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
	slices.SortFunc(all, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(code(a), code(b)))
	})
	// Colours far from those that are there come first: edges are made of many rare
	// ones.
	var chosen []color.RGBA
	for _, apart := range []int{12, 0} {
		for _, c := range all {
			near := slices.ContainsFunc(chosen, func(d color.RGBA) bool { return furthest(c, d) <= apart })
			if len(chosen) < mostColours && !near {
				chosen = append(chosen, c)
			}
		}
	}
	palette := make(color.Palette, len(chosen))
	for i, c := range chosen {
		palette[i] = c
	}
	return palette
}

// furthest is the largest difference of two colours in red, green or blue.
func furthest(a, b color.RGBA) int {
	gap := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return max(gap(a.R, b.R), gap(a.G, b.G), gap(a.B, b.B))
}

// indexed returns a frame in the colours of a palette; nearest remembers which
// stands for which.
func indexed(frame *image.RGBA, palette color.Palette, nearest map[color.RGBA]uint8) *image.Paletted {
	out := image.NewPaletted(frame.Rect, palette)
	for i := range out.Pix {
		c := color.RGBA{frame.Pix[4*i], frame.Pix[4*i+1], frame.Pix[4*i+2], frame.Pix[4*i+3]}
		index, known := nearest[c]
		if !known {
			index = uint8(palette.Index(c))
			nearest[c] = index
		}
		out.Pix[i] = index
	}
	return out
}
