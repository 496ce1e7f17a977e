package terminal

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// command is what a person can ask for by a key, by a word, and in the menu.
type command struct {
	word  string
	key   string // capital, since small letters begin moves
	about string
	run   func(*model) tea.Cmd
}

// does makes a command of what needs nothing further.
func does(f func(*model)) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		f(m)
		return nil
	}
}

// commands returns all of them, in the order of the menu.
func commands() []command {
	return []command{
		{"undo", "U", "take your last move back", does((*model).undo)},
		{"redo", "R", "make moves again that were taken back", does((*model).redo)},
		{"hint", "H", "what the engine would play", does((*model).askHint)},
		{"now", "E", "have the engine move now, with what it knows", does((*model).hurry)},
		{"level", "L", "another strength of the engine", does((*model).openLevels)},
		{"swap", "S", "change sides", does((*model).swap)},
		{"new", "N", "a new game: rules, size, side", does((*model).openSettings)},
		{"opinions", "O", "the engines' opinion, on and off", does((*model).toggleOpinions)},
		{"numbers", "M", "numbers of the moves, on and off", does((*model).toggleNumbers)},
		{"write", "W", "save the game: write FILE", does(func(m *model) { m.save("") })},
		{"resign", "G", "give up", does((*model).openResign)},
		{"board", "B", "draw the screen anew", func(*model) tea.Cmd { return tea.ClearScreen }},
		{"help", "?", "all keys", does(func(m *model) { m.help = true })},
		{"quit", "Q", "leave; how to go on is printed", does(func(m *model) { m.quitting = true })},
	}
}

// byKey returns the command of a key.
func byKey(key string) (command, bool) {
	list := commands()
	i := slices.IndexFunc(list, func(c command) bool { return c.key == key })
	if i < 0 {
		return command{}, false
	}
	return list[i], true
}

// aliases are further words, those of other programs among them.
var aliases = map[string]string{"exit": "quit", "save": "write", "back": "undo", "?": "help", "takeback": "undo"}

// byWord returns the command that a word, its beginning or its key as a small
// letter names. No move is but a single letter.
func byWord(word string) (command, bool) {
	word = strings.ToLower(word)
	if full, known := aliases[word]; known {
		word = full
	}
	var found []command
	for _, c := range commands() {
		if c.word == word || strings.ToLower(c.key) == word {
			return c, true
		}
		if len(word) >= 2 && strings.HasPrefix(c.word, word) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return command{}, false
	}
	return found[0], true
}

// toggleOpinions shows or hides the observers' opinion; hidden ones do not think.
func (m *model) toggleOpinions() {
	m.showOpinions = !m.showOpinions
	m.tell("Opinions are %s.", onOff(m.showOpinions))
	if !m.hinting {
		m.observe()
	}
}

// toggleNumbers shows or hides the numbers of the moves.
func (m *model) toggleNumbers() {
	m.showNumbers = !m.showNumbers
	m.tell("Numbers are %s.", onOff(m.showNumbers))
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
