package picture

import "fmt"

// Options say how scenes are drawn.
type Options struct {
	Width       int    // in pixels; 0: DefaultWidth
	Theme       string // a name; "": the usual one
	Coordinates bool
	Numbers     bool // of moves, on their pieces
	Last        bool // a sign on the last move
	Forbidden   bool // crosses on closed points

	theme Theme
}

// Widths of pictures, in pixels.
const (
	MinWidth     = 64
	DefaultWidth = 600
	MaxWidth     = 4096
)

// All returns the options that show everything.
func All() Options {
	return Options{Coordinates: true, Numbers: true, Last: true, Forbidden: true}
}

// settle fills in defaults and refuses what cannot be drawn.
func (o *Options) settle() (err error) {
	if o.Width == 0 {
		o.Width = DefaultWidth
	}
	if o.Width < MinWidth || o.Width > MaxWidth {
		return fmt.Errorf("a picture of %d pixels: want %d to %d", o.Width, MinWidth, MaxWidth)
	}
	o.theme, err = ThemeOf(o.Theme)
	return err
}
