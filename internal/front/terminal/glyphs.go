package terminal

// glyphs are the letters of the board.
type glyphs struct {
	stones, masters [2]rune // by side
	empty           rune
	temple          rune
	forbidden       rune
	target          rune
	grid            bool // empty cells are crossings of lines
	sparks          []rune
	full, hollow    rune // of a bar
	ellipsis        string
	arrow           string
}

var (
	asciiGlyphs = glyphs{
		stones: [2]rune{'X', 'O'}, masters: [2]rune{'#', '@'}, empty: '.', temple: '^', forbidden: '!', target: '*',
		sparks: []rune("_.-=+*%#"), full: '#', hollow: '-', ellipsis: "..", arrow: ">",
	}
	discGlyphs = glyphs{
		stones: [2]rune{'●', '○'}, masters: [2]rune{'◆', '◇'}, empty: '·', temple: '⌂', forbidden: '×', target: '∘', grid: true,
		sparks: []rune("▁▂▃▄▅▆▇█"), full: '█', hollow: '░', ellipsis: "…", arrow: "▸",
	}
)

// stone returns the letter of a piece. Where colours tell the sides apart both
// have full discs.
func (g *glyphs) stone(side int, master, coloured bool) rune {
	if coloured && g.grid {
		side = 0
	}
	if master {
		return g.masters[side]
	}
	return g.stones[side]
}

// crossing returns the letter of an empty cell whose lines go on to the left,
// right, up and down.
func (g *glyphs) crossing(left, right, up, down bool) rune {
	const letters = "·╴╶─╵┘└┴╷┐┌┬│┤├┼"
	n := 0
	for i, on := range []bool{left, right, up, down} {
		if on {
			n |= 1 << i
		}
	}
	return []rune(letters)[n]
}
