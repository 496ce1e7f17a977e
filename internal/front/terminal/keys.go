package terminal

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// key does what a key stands for.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	switch name {
	case "ctrl+c":
		m.quitting, m.interrupted = true, true
		return nil
	case "ctrl+z":
		return m.suspend()
	case "ctrl+l":
		return tea.ClearScreen
	}
	switch {
	case m.help:
		m.help = false
		return nil
	case len(m.menus) > 0:
		return m.menuKey(name)
	case m.moveCursor(name):
		return nil
	}
	if name == "enter" {
		return m.commit()
	}
	if m.edit(name) {
		return nil
	}
	if m.prompt == "" {
		if m.chosen(name) {
			return nil
		}
		if c, ok := byKey(name); ok {
			return c.run(m)
		}
	}
	m.write(msg.Text)
	return nil
}

// edit handles the keys that edit the prompt and the other keys without letters; it returns
// false for all others.
func (m *model) edit(name string) bool {
	switch name {
	case "space":
		if m.prompt != "" {
			return false
		}
		m.enter()
	case "esc":
		m.escape()
	case "backspace", "ctrl+h":
		if letters := []rune(m.prompt); len(letters) > 0 {
			m.prompt = string(letters[:len(letters)-1])
		}
	case "ctrl+u", "ctrl+w":
		m.prompt = ""
	case "ctrl+d":
		m.quitting = m.prompt == ""
	case "tab":
		m.toggleOpinions()
	case "f1":
		m.help = true
	case "f10":
		m.openMenu()
	default:
		return false
	}
	return true
}

// chosen plays the move whose number was pressed, where there is a choice.
func (m *model) chosen(key string) bool {
	if len(key) != 1 || key[0] < '1' || int(key[0]-'1') >= len(m.choices) {
		return false
	}
	m.make(m.choices[key[0]-'1'])
	return true
}

// longestPrompt bounds what is typed, in letters.
const longestPrompt = 200

// write adds text to the prompt.
func (m *model) write(text string) {
	for _, c := range text {
		if c >= ' ' && c != 0x7f && len([]rune(m.prompt)) < longestPrompt {
			m.prompt += string(c)
		}
	}
}

// paste adds the first line of a pasted text to the prompt.
func (m *model) paste(text string) {
	if m.help || len(m.menus) > 0 {
		return
	}
	text = strings.TrimSpace(text)
	if end := strings.IndexAny(text, "\r\n"); end >= 0 { // most terminals paste ends of lines as \r
		text = text[:end]
	}
	m.write(text)
}

// suspend stops the program if something is there to continue it, and says so if not.
func (m *model) suspend() tea.Cmd {
	if m.stoppable() {
		return tea.Suspend
	}
	m.warn("Nothing here could continue the program, so it goes on; Q leaves it.")
	return nil
}

// moveCursor moves the cursor if the key is for that.
func (m *model) moveCursor(key string) bool {
	size := m.record.variant.Size
	x, y := m.cursor%size, m.cursor/size
	const far = 5
	switch key {
	case "left":
		x--
	case "right":
		x++
	case "up":
		y++
	case "down":
		y--
	case "shift+left", "ctrl+left":
		x -= far
	case "shift+right", "ctrl+right":
		x += far
	case "shift+up", "ctrl+up", "pgup":
		y += far
	case "shift+down", "ctrl+down", "pgdown":
		y -= far
	case "home":
		x = 0
	case "end":
		x = size - 1
	default:
		return false
	}
	m.cursor = min(max(y, 0), size-1)*size + min(max(x, 0), size-1)
	return true
}

// commit does what was typed, or plays at the cursor if nothing was.
func (m *model) commit() tea.Cmd {
	text := strings.TrimSpace(m.prompt)
	m.prompt = ""
	if text == "" {
		m.enter()
		return nil
	}
	word, rest, _ := strings.Cut(text, " ")
	c, known := byWord(word)
	switch {
	case strings.EqualFold(text, "menu"):
		m.openMenu()
		return nil
	case known && c.word == "write":
		m.save(strings.TrimSpace(rest))
		return nil
	case known && rest == "":
		return c.run(m)
	}
	m.typed(text)
	return nil
}

// escape leaves what was begun, or opens the menu.
func (m *model) escape() {
	switch {
	case m.prompt != "":
		m.prompt = ""
	case len(m.choices) > 0:
		m.choices = nil
		m.tell("Nothing was played.")
	case m.from >= 0:
		m.from = -1
		m.tell("Put back.")
	case m.hinting:
		m.resume()
		m.tell("No hint.")
	default:
		m.openMenu()
	}
}

// click plays where the mouse points, or chooses a line of the menu.
func (m *model) click(msg tea.MouseClickMsg) {
	if msg.Button != tea.MouseLeft {
		return
	}
	l := m.layout()
	switch {
	case l.small:
	case m.help:
		m.help = false
	case len(m.menus) > 0:
		m.menuClick(l, msg.X, msg.Y)
	default:
		if square := l.board.square(msg.X-l.boardX, msg.Y-l.boardY); square >= 0 {
			m.cursor = square
			m.enter()
		}
	}
}

// wheel moves a menu's choice, or the cursor.
func (m *model) wheel(msg tea.MouseWheelMsg) {
	name := map[tea.MouseButton]string{tea.MouseWheelUp: "up", tea.MouseWheelDown: "down"}[msg.Button]
	switch {
	case name == "" || m.help:
	case len(m.menus) > 0:
		m.menuKey(name)
	default:
		m.moveCursor(name)
	}
}
