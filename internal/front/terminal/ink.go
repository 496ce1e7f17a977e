package terminal

import (
	"image/color"
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// ink is what a letter on the screen means, which its looks follow.
type ink uint8

// The inks.
const (
	inkText ink = iota
	inkDim
	inkStrong
	inkTitle
	inkGood
	inkBad
	inkLabel // coordinates
	inkGrid
	inkFirst
	inkSecond
	inkFirstLast
	inkSecondLast
	inkFirstWin
	inkSecondWin
	inkCursor
	inkForbidden
	inkHint
	inkTarget
	inkSelected // line of a menu
	inks
)

// palette draws letters in their inks.
type palette struct {
	styles [inks]lipgloss.Style
	colour bool // the board has a colour of its own
	shades bool // there are enough colours to tell stones by theirs
}

// newPalette returns the palette for a terminal's colours and background.
func newPalette(profile colorprofile.Profile, dark bool) palette {
	var p palette
	style := lipgloss.NewStyle
	for i := range p.styles {
		p.styles[i] = style()
	}
	if profile <= colorprofile.NoTTY {
		return p
	}
	p.styles[inkStrong] = style().Bold(true)
	p.styles[inkTitle] = style().Bold(true)
	p.styles[inkFirstWin], p.styles[inkSecondWin] = style().Bold(true).Reverse(true), style().Bold(true).Reverse(true)
	p.styles[inkCursor] = style().Bold(true)
	p.styles[inkSelected] = style().Reverse(true)
	if profile <= colorprofile.ASCII {
		return p
	}
	p.colour, p.shades = true, profile >= colorprofile.ANSI256
	p.coloured(lipgloss.Complete(profile), lipgloss.LightDark(dark))
	return p
}

// coloured gives the inks their colours: 16, 256 or all of them. Those for a dark
// background can be read on a light one too: some terminals do not say what they
// have.
func (p *palette) coloured(pick lipgloss.CompleteFunc, by lipgloss.LightDarkFunc) {
	of := func(ansi, ansi256, rgb string) color.Color {
		return pick(lipgloss.Color(ansi), lipgloss.Color(ansi256), lipgloss.Color(rgb))
	}
	fore := func(c color.Color) lipgloss.Style { return lipgloss.NewStyle().Foreground(c) }
	p.styles[inkDim] = fore(by(of("8", "243", "#767676"), of("7", "245", "#8a8a8a")))
	p.styles[inkTitle] = fore(by(of("4", "25", "#005faf"), of("14", "39", "#00afff"))).Bold(true)
	p.styles[inkGood] = fore(by(of("2", "28", "#008700"), of("10", "71", "#5faf5f")))
	p.styles[inkBad] = fore(by(of("1", "160", "#d70000"), of("9", "203", "#ff5f5f")))
	p.styles[inkLabel] = p.styles[inkDim]

	wood := of("3", "179", "#d7af5f")
	black, white := of("0", "16", "#000000"), of("15", "231", "#ffffff")
	on := func(c color.Color) lipgloss.Style { return fore(c).Background(wood) }
	last := of("6", "73", "#5fafaf")
	won := of("2", "70", "#5faf00")
	p.styles[inkGrid] = on(of("0", "137", "#9b7a3c"))
	p.styles[inkFirst], p.styles[inkSecond] = on(black), on(white).Bold(true)
	p.styles[inkFirstLast], p.styles[inkSecondLast] = fore(black).Background(last), fore(white).Background(last).Bold(true)
	p.styles[inkFirstWin], p.styles[inkSecondWin] = fore(black).Background(won), fore(white).Background(won).Bold(true)
	p.styles[inkCursor] = on(of("1", "124", "#af0000")).Bold(true)
	p.styles[inkForbidden] = on(of("1", "124", "#af0000"))
	p.styles[inkHint] = on(of("4", "20", "#0000d7")).Bold(true)
	p.styles[inkTarget] = on(of("4", "20", "#0000d7"))
}

// strip is a line of letters, each in its ink.
type strip struct {
	letters []rune
	inks    []ink
}

// newStrip returns a strip of so many spaces.
func newStrip(width int, in ink) *strip {
	s := &strip{}
	return s.fill(width, in)
}

// fill adds spaces until the strip is so wide.
func (s *strip) fill(width int, in ink) *strip {
	for len(s.letters) < width {
		s.letters, s.inks = append(s.letters, ' '), append(s.inks, in)
	}
	return s
}

// put sets a letter.
func (s *strip) put(x int, letter rune, in ink) { s.letters[x], s.inks[x] = letter, in }

// add writes text at the end. Every letter counts as one column wide; those that
// a terminal would obey become spaces.
func (s *strip) add(in ink, text string) *strip {
	for _, c := range text {
		if unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) {
			c = ' '
		}
		s.letters, s.inks = append(s.letters, c), append(s.inks, in)
	}
	return s
}

// words returns a strip of one text.
func words(in ink, text string) *strip { return (&strip{}).add(in, text) }

// cut shortens the strip to a width.
func (s *strip) cut(width int) *strip {
	if len(s.letters) > width {
		s.letters, s.inks = s.letters[:max(width, 0)], s.inks[:max(width, 0)]
	}
	return s
}

// draw writes the strip in a palette.
func (p *palette) draw(b *strings.Builder, s *strip) {
	for from := 0; from < len(s.letters); {
		to := from + 1
		for to < len(s.letters) && s.inks[to] == s.inks[from] {
			to++
		}
		text := string(s.letters[from:to])
		if in := s.inks[from]; in == inkText {
			b.WriteString(text)
		} else {
			b.WriteString(p.styles[in].Render(text))
		}
		from = to
	}
}
