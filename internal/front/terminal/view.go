package terminal

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/carozero/carozero/game"
)

// View implements [tea.Model].
func (m *model) View() tea.View {
	v := tea.View{AltScreen: true, WindowTitle: m.windowTitle()}
	if !m.opts.NoMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	lines, x, y := m.screen()
	if x >= 0 {
		v.Cursor = tea.NewCursor(x, y)
		v.Cursor.Blink = false
	}
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		m.palette.draw(&b, line)
	}
	v.Content = b.String()
	return v
}

// windowTitle tells in a list of windows whose turn it is.
func (m *model) windowTitle() string {
	return fmt.Sprintf("CaroZero: %s (%d)", strings.ToLower(m.state()), m.record.at+1)
}

// state says in a few words what is waited for.
func (m *model) state() string {
	switch {
	case m.over():
		return "Game over"
	case m.hinting:
		return "Hint"
	case m.broken:
		return "No answer"
	case !m.mine():
		return "Engine thinks"
	case m.people == Both:
		return "Move of " + m.record.pos.ToMove().String()
	}
	return "Your move"
}

// screen returns the lines of the screen, and where the terminal's cursor is, -1
// for nowhere.
func (m *model) screen() (lines []*strip, x, y int) {
	lines, x, y = m.uncut()
	for _, line := range lines {
		line.cut(m.width)
	}
	return lines[:min(len(lines), max(m.height, 1))], x, y
}

// uncut is screen with lines that may be too long.
func (m *model) uncut() (lines []*strip, x, y int) {
	l := m.layout()
	switch {
	case l.small:
		text := fmt.Sprintf("carozero needs %dx%d, not %dx%d", leastWidth, leastHeight, m.width, m.height)
		return []*strip{words(inkText, text)}, -1, -1
	case m.help:
		return m.helpLines(), -1, -1
	}
	lines = append(lines, m.titleLine())
	board, cards, panel := m.boardLines(l), m.cardLines(l), m.panelLines(l)
	over := len(m.menus) > 0 && l.panelX == 0
	for i := range l.panelHeight {
		line := &strip{}
		if i < len(board) && !over {
			line = board[i]
		}
		line = beside(line, cards, i, l.cardsX, l.cardsWidth)
		lines = append(lines, beside(line, panel, i, l.panelX, l.panelWidth))
	}
	prompt, x := m.promptLine()
	lines = append(lines, m.messageLine(), prompt)
	y = l.promptY
	switch square, line, seen := l.board.place(m.cursor); {
	case len(m.menus) > 0:
		return lines, -1, -1
	case m.prompt == "" && seen:
		return lines, l.boardX + square, l.boardY + line
	}
	return lines, x, y
}

// beside puts a line of a column of the screen after what is left of it.
func beside(line *strip, column []*strip, i, x, width int) *strip {
	if width == 0 || i >= len(column) {
		return line
	}
	line = line.cut(x).fill(x, inkText)
	part := column[i].cut(width)
	line.letters, line.inks = append(line.letters, part.letters...), append(line.inks, part.inks...)
	return line
}

// boardLines returns the lines of the board.
func (m *model) boardLines(l *layout) []*strip {
	b := &l.board
	v, pos := m.record.variant, m.record.pos
	if v.Of().HasForbidden() && !m.over() {
		b.forbidden = map[int]bool{}
		for _, f := range v.Forbidden(pos) {
			b.forbidden[int(f.Move)] = true
		}
	}
	if m.from >= 0 {
		b.targets = map[int]bool{}
		for _, move := range pos.Moves(nil) {
			if s := v.Step(move); s.From == m.from {
				b.targets[s.To] = true
			}
		}
	}
	if m.showNumbers {
		b.numbers = numbersOf(v, m.record.played())
	}
	return b.draw()
}

// titleLine says what is played.
func (m *model) titleLine() *strip {
	line := words(inkTitle, "CaroZero").add(inkText, "  "+m.record.variant.String())
	if m.people == Both {
		return line.add(inkDim, "  you play both sides")
	}
	return line.add(inkDim, "  you play "+m.people.String()+" against "+m.strength.String())
}

// messageLine is the line that tells the person something.
func (m *model) messageLine() *strip {
	text, in := []rune(m.message), inkStrong
	if m.alarm {
		in = inkBad
	}
	if more := []rune(m.glyphs.ellipsis); len(text) > m.width {
		text = append(text[:m.width-len(more)], more...)
	}
	return words(in, string(text))
}

// hints are the keys that the prompt line names, the most important last: those
// that there is no room for are left out from the left.
var hints = []string{"Tab opinions", "U undo", "Enter plays", "Esc menu", "? help", "Q quit"}

// promptLine is where moves and words are typed; it returns the column after
// them too.
func (m *model) promptLine() (*strip, int) {
	line := words(inkText, m.state()+" ")
	if !m.over() {
		m.stone(line, m.record.pos.ToMove()).add(inkText, " ")
	}
	line.add(inkDim, m.glyphs.arrow+" ")
	room := m.width - len(line.letters) - 1
	typed := []rune(m.prompt)
	for len(typed) > 0 && lipgloss.Width(string(typed)) > room { // letters of a file's name may be wide
		typed = typed[1:]
	}
	line.add(inkStrong, string(typed))
	x := lipgloss.Width(string(line.letters))
	if m.prompt != "" {
		return line, x
	}
	for first := range hints {
		text := strings.Join(hints[first:], "  ")
		if at := m.width - len(text); at > x+1 {
			return line.fill(at, inkText).add(inkDim, text), x
		}
	}
	return line, x
}

// stone adds the stone of a side as the board shows it.
func (m *model) stone(line *strip, side game.Side) *strip {
	in := inkFirst + ink(side)
	if m.palette.colour {
		line.add(in, " ")
	}
	line.add(in, string(m.glyphs.stone(int(side), false, m.palette.shades)))
	if m.palette.colour {
		line.add(in, " ")
	}
	return line
}
