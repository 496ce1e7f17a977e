package picture

import (
	"fmt"
	"image/color"
	"strings"
)

// Theme is a set of colours.
type Theme struct {
	Name                        string
	Back, Board, Line, Text     color.RGBA
	Pieces, Rims, Figures       [2]color.RGBA // by side: the piece, its edge, what is written on it
	Accent, Win, Forbidden, Hot color.RGBA    // the last move, a line that won, closed points, temples
}

// themes are the themes, the usual one first.
var themes = []Theme{
	{
		Name: "light", Back: rgb(0xffffff), Board: rgb(0xf2d59b), Line: rgb(0x7a5a2a), Text: rgb(0x333333),
		Pieces: [2]color.RGBA{rgb(0x1a1a1a), rgb(0xfdfdfd)}, Rims: [2]color.RGBA{rgb(0x000000), rgb(0x6b6b6b)},
		Figures: [2]color.RGBA{rgb(0xffffff), rgb(0x111111)},
		Accent:  rgb(0xd42a2a), Win: rgb(0x118a3c), Forbidden: rgb(0xc01616), Hot: rgb(0xe0b35e),
	},
	{
		Name: "dark", Back: rgb(0x16181c), Board: rgb(0x3a3f47), Line: rgb(0x8a929e), Text: rgb(0xd8dce2),
		Pieces: [2]color.RGBA{rgb(0x0b0c0e), rgb(0xe9ecef)}, Rims: [2]color.RGBA{rgb(0x9aa3ad), rgb(0xffffff)},
		Figures: [2]color.RGBA{rgb(0xf5f7fa), rgb(0x15171a)},
		Accent:  rgb(0xff5f56), Win: rgb(0x37d67a), Forbidden: rgb(0xff7b72), Hot: rgb(0x59636f),
	},
}

// ThemeNames returns the names of the themes, the usual one first.
func ThemeNames() []string {
	var names []string
	for _, t := range themes {
		names = append(names, t.Name)
	}
	return names
}

// ThemeOf returns the theme of that name, the usual one for "".
func ThemeOf(name string) (Theme, error) {
	for _, t := range themes {
		if name == "" || t.Name == name {
			return t, nil
		}
	}
	return Theme{}, fmt.Errorf("unknown theme %q: want one of %s", name, strings.Join(ThemeNames(), ", "))
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}
