package terminal

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
)

// menu is a list over the panel, with one line chosen.
type menu struct {
	title string
	items []item
	at    int
}

// item is a line of a menu.
type item struct {
	text   string
	about  string
	values []string // to choose from by the left and right keys; nil: none
	value  int
	idle   func() bool          // reports whether the value counts for nothing now; nil: it always counts
	run    func(*model) tea.Cmd // nil: Enter does what the last item does
}

// open shows a menu.
func (m *model) open(u *menu) {
	m.menus = append(m.menus, u)
	m.from, m.choices = -1, nil
}

// menuKey does what a key does in a menu.
func (m *model) menuKey(name string) tea.Cmd {
	u := m.menus[len(m.menus)-1]
	count := len(u.items)
	switch name {
	case "up", "k", "shift+tab":
		u.at = (u.at + count - 1) % count
	case "down", "j", "tab":
		u.at = (u.at + 1) % count
	case "home", "pgup":
		u.at = 0
	case "end", "pgdown":
		u.at = count - 1
	case "left", "h":
		u.turn(-1)
	case "right", "l":
		u.turn(1)
	case "enter", "space":
		return m.chooseItem(u)
	case "esc", "q", "backspace":
		m.menus = m.menus[:len(m.menus)-1]
	default:
		if len(m.menus) == 1 && u.title == menuTitle {
			if c, ok := byKey(name); ok {
				m.menus = nil
				return c.run(m)
			}
		}
	}
	return nil
}

// turn takes the next value of the chosen line.
func (u *menu) turn(by int) {
	if it := &u.items[u.at]; len(it.values) > 0 {
		it.value = (it.value + by + len(it.values)) % len(it.values)
	}
}

// chooseItem does what the chosen line stands for, or in a form, whose lines have
// values, what the last one does.
func (m *model) chooseItem(u *menu) tea.Cmd {
	run := u.items[u.at].run
	if run == nil {
		run = u.items[len(u.items)-1].run
	}
	m.menus = nil
	return run(m)
}

// menuClick chooses the line that was clicked; a click elsewhere closes the menu.
func (m *model) menuClick(l *layout, x, y int) {
	u := m.menus[len(m.menus)-1]
	first, at, shown := l.menuLines(u)
	line := y - l.panelY - first
	if x < l.panelX || x >= l.panelX+l.panelWidth || line < 0 || line >= shown {
		m.menus = nil
		return
	}
	u.at = at + line
	if it := &u.items[u.at]; len(it.values) > 0 {
		u.turn(1)
		return
	}
	m.chooseItem(u)
}

const menuTitle = "Menu"

// openMenu shows all commands.
func (m *model) openMenu() {
	u := &menu{title: menuTitle}
	for _, c := range commands() {
		u.items = append(u.items, item{text: c.key + "  " + c.word, about: c.about, run: c.run})
	}
	m.open(u)
}

// openLevels lets the person choose another strength, in the middle of a game.
func (m *model) openLevels() {
	list := strengths(m.opts.Strength)
	u := &menu{title: "Strength of the engine", at: max(0, slices.Index(list, m.strength))}
	for _, s := range list {
		u.items = append(u.items, item{text: s.String(), about: s.about(m.opts.Variant.Of().Name), run: does(func(m *model) {
			m.strength = s
			m.resume()
			m.tell("The engine is now %v.", s)
		})})
	}
	m.open(u)
}

// openResign asks whether it is meant.
func (m *model) openResign() {
	if m.over() {
		m.resign()
		return
	}
	m.open(&menu{title: "Give the game up?", items: []item{
		{text: "no, play on", run: does(func(m *model) { m.tell("Play on.") })},
		{text: "yes, resign", run: does((*model).resign)},
	}})
}

// menuLines returns the lines of a menu, and what the chosen one is about.
func (m *model) menuLines(l *layout, u *menu) []*strip {
	_, at, shown := l.menuLines(u)
	lines := []*strip{words(inkTitle, u.title), {}}
	widest, form := 0, false
	for _, it := range u.items {
		widest = max(widest, len([]rune(it.text)))
		form = form || len(it.values) > 0
	}
	for i := at; i < at+shown; i++ {
		it := u.items[i]
		text := it.text
		switch {
		case len(it.values) == 0:
		case it.idle != nil && it.idle():
			text = fmt.Sprintf("%-*s    -", widest, it.text)
		default:
			text = fmt.Sprintf("%-*s  < %s >", widest, it.text, it.values[it.value])
		}
		if i == u.at {
			lines = append(lines, words(inkSelected, " "+text).fill(min(l.panelWidth-1, menuWidth), inkSelected))
		} else {
			lines = append(lines, words(inkText, " "+text))
		}
	}
	keys := "Up, Down, Enter; Esc leaves"
	if form {
		keys = "arrows, Enter starts; Esc leaves"
	}
	return append(lines, words(inkText, " "+u.items[u.at].about), words(inkDim, " "+keys))
}

// menuLines returns the line of the panel at which a menu's items begin, and
// which of them are shown: shown ones from at on.
func (l *layout) menuLines(u *menu) (first, at, shown int) {
	const frame = 4 // title and a blank line, what it is about and keys
	shown = max(1, min(len(u.items), l.panelHeight-frame))
	at = min(max(0, u.at-shown/2), len(u.items)-shown)
	return 2, at, shown
}
