package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
)

// save writes the game to a new file: SGF where the game has that form and the
// name does not end in .txt, else the position's text.
func (m *model) save(name string) {
	sgf := m.record.variant.Of().SGF > 0
	ending := ".txt"
	if sgf {
		ending = ".sgf"
	}
	text := m.record.variant.FormatGame(m.record.start, m.record.played()) + "\n"
	if sgf && !strings.EqualFold(filepath.Ext(name), ".txt") {
		text = m.sgf()
	}
	path, err := name, error(nil)
	if name == "" {
		path, err = m.saveNew(ending, text)
	} else {
		err = writeNew(path, text)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		m.warn("%s is there already; nothing was written.", path)
	case err != nil:
		m.warn("Nothing was written: %v", err)
	default:
		m.tell("The game is in %s.", path)
	}
}

// mostNames bounds the names that are tried for a file.
const mostNames = 1000

// saveNew writes the first of game-001, game-002 and so on that is free.
func (m *model) saveNew(ending, text string) (path string, err error) {
	for n := 1; n <= mostNames; n++ {
		path = filepath.Join(m.opts.Folder, fmt.Sprintf("game-%03d%s", n, ending))
		if err = writeNew(path, text); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return path, err
}

// writeNew writes a file that is not there yet.
func writeNew(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// sgf returns the game in the format FF[4] (red-bean.com/sgf). Black is the first
// player.
func (m *model) sgf() string {
	var b strings.Builder
	v := m.record.variant
	point := arena.Points(v.Size)
	fmt.Fprintf(&b, "(;GM[%d]FF[4]CA[UTF-8]SZ[%d]RU[%s]\n", v.Of().SGF, v.Size, v.Rule())
	if m.opts.Program != "" {
		fmt.Fprintf(&b, "AP[%s]\n", escaped(m.opts.Program))
	}
	if m.people != Both {
		names := [2]string{"engine (" + m.strength.String() + ")", "engine (" + m.strength.String() + ")"}
		names[m.person()] = "person"
		fmt.Fprintf(&b, "PB[%s]PW[%s]\n", escaped(names[game.First]), escaped(names[game.Second]))
	}
	if result := m.sgfResult(); result != "" {
		fmt.Fprintf(&b, "RE[%s]\n", result)
	}
	for i, name := range []string{"AB", "AW"} {
		cells := ""
		for c, s := range v.Stones(m.record.start) {
			if s == engine.FirstStone+engine.Stone(i) {
				cells += "[" + point(game.Move(c)) + "]"
			}
		}
		if cells != "" {
			b.WriteString(name + cells + "\n")
		}
	}
	for i, move := range m.record.played() {
		if i > 0 && i%12 == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, ";%c[%s]", "BW"[m.record.mover(i)], point(move))
	}
	return b.String() + ")\n"
}

// sgfResult returns the value of the property RE, "" while the game goes on.
func (m *model) sgfResult() string {
	switch outcome := m.record.outcome(); {
	case outcome == game.Undecided:
		return ""
	case outcome == game.Draw:
		return "0"
	default:
		text := "BW"[outcome-game.FirstWins:][:1] + "+"
		if m.record.reason() == game.Resigned {
			text += "R"
		}
		return text
	}
}

// escaped returns a text as SGF has it.
func escaped(text string) string { return strings.NewReplacer(`\`, `\\`, `]`, `\]`).Replace(text) }
