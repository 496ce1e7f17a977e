package terminal

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
)

// panelLines returns the lines beside the board: who plays, the curve of win
// rates, the engines' opinion and the moves, or a menu.
func (m *model) panelLines(l *layout) []*strip {
	if l.panelWidth == 0 {
		return nil
	}
	if len(m.menus) > 0 {
		return m.menuLines(l, m.menus[len(m.menus)-1])
	}
	lines := m.playerLines(l)
	if l.cardsWidth == 0 && l.board.Hands != nil {
		lines = append(lines, m.handLines(l)...)
	}
	blank := &strip{}
	lines = append(append(lines, blank), m.chartLines(l.panelWidth)...)
	if m.showOpinions || m.thinking != nil {
		lines = append(append(lines, blank), m.opinionLines(l.panelWidth)...)
	}
	lines = append(lines, blank)
	if left := l.panelHeight - len(lines); left > 0 {
		lines = append(lines, m.moveLines(l.panelWidth, left)...)
	}
	return lines[:min(len(lines), l.panelHeight)]
}

// playerLines returns a line about each side: its stone, who plays it, its time
// and captures, with a mark at the side to move.
func (m *model) playerLines(l *layout) []*strip {
	var lines []*strip
	for _, side := range []game.Side{game.First, game.Second} {
		mark, in := " ", inkText
		if !m.over() && m.record.pos.ToMove() == side {
			mark, in = m.glyphs.arrow, inkStrong
		}
		name := "engine"
		switch {
		case m.people == Both:
			name = side.String()
		case m.people.has(side):
			name = "you"
		}
		line := words(in, mark+" ")
		m.stone(line, side).add(in, fmt.Sprintf(" %-7s %7s", name, m.clock.text(side)))
		if c := l.board.Captured; c != nil {
			line.add(inkText, fmt.Sprintf("  took %d", c[side]))
		}
		lines = append(lines, line)
	}
	return lines
}

// handLines returns the cards as words, where there is no room to draw them.
func (m *model) handLines(l *layout) []*strip {
	var lines []*strip
	for i, name := range []string{"first", "second", "spare"} {
		text := name + ":"
		for _, c := range l.board.Hands[i] {
			text += " " + c.Name
		}
		lines = append(lines, words(inkText, text))
	}
	return lines
}

// moveLines returns the last moves that so many lines have room for, those that
// were taken back dim.
func (m *model) moveLines(width, height int) []*strip {
	notation := m.record.variant.Notation()
	names, longest := make([]string, len(m.record.moves)), 0
	for i, move := range m.record.moves {
		names[i] = notation.FormatMove(move)
		longest = max(longest, len(names[i]))
	}
	digits := len(strconv.Itoa(len(names)))
	cell := digits + 1 + longest + 2
	columns := max(1, (width+2)/cell)
	if columns > 1 {
		columns -= columns % 2 // first's moves stand below each other
	}
	rows := (len(names) + columns - 1) / columns
	first := max(0, (m.record.at+columns-1)/columns-height)
	var lines []*strip
	for row := first; row < min(rows, first+height); row++ {
		line := &strip{}
		for i := row * columns; i < min(len(names), (row+1)*columns); i++ {
			in := inkText
			switch {
			case i >= m.record.at:
				in = inkDim
			case i == m.record.at-1:
				in = inkStrong
			}
			line.add(inkDim, fmt.Sprintf("%*d ", digits, i+1)).add(in, names[i])
			line.add(inkText, strings.Repeat(" ", longest-len(names[i])+2))
		}
		lines = append(lines, line)
	}
	return lines
}
