package terminal

import "fmt"

// helpLines returns the screen of keys.
func (m *model) helpLines() []*strip {
	g := m.glyphs
	lines := []*strip{words(inkTitle, "Keys"), {}}
	for _, k := range [][2]string{
		{"h8 Enter", "play a move by typing it (onitama: crane c1d2)"},
		{"arrows, Enter", "move the cursor and play there; Shift goes five cells"},
		{"mouse", "click where you play; Shift selects text as usual"},
		{"Esc", "leave what was begun; the menu"},
		{"Tab", "the engines' opinion, on and off"},
		{"Ctrl-C, Ctrl-Z", "leave at once; stop the program for a while"},
	} {
		lines = append(lines, words(inkStrong, fmt.Sprintf(" %-15s", k[0])).add(inkText, k[1]))
	}
	for _, c := range commands() {
		lines = append(lines, words(inkStrong, fmt.Sprintf(" %-5s%-10s", c.key, c.word)).add(inkText, c.about))
	}
	marks := fmt.Sprintf(" %c first  %c second  [ ] cursor  %c forbidden  ? hint", g.stones[0], g.stones[1], g.forbidden)
	if m.record.variant.Columns() == 0 {
		marks = fmt.Sprintf(" masters %c %c  others %c %c  %c temple  %c a step", g.masters[0], g.masters[1], g.stones[0], g.stones[1], g.temple, g.target)
	}
	lines = append(lines, words(inkDim, marks))
	if len(lines) > m.height-1 {
		lines = lines[:m.height-1]
	}
	for len(lines) < m.height-1 {
		lines = append(lines, &strip{})
	}
	return append(lines, words(inkDim, " The words can be typed too: undo Enter, or u Enter.  Any key goes on."))
}
