package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/record/gamefiles"
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
	path, err := name, error(nil)
	if sgf && !strings.EqualFold(filepath.Ext(name), ".txt") {
		text, err = m.sgf()
	}
	switch {
	case err != nil:
	case name == "":
		path, err = m.saveNew(ending, text)
	default:
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

// sgf returns the game in the format SGF. Black is the first player.
func (m *model) sgf() (string, error) {
	h := m.record
	r := gamefiles.Begin(h.variant, h.start)
	t := r.Tree
	t.Program = m.opts.Program
	t.SetOutcome(h.outcome(), h.reason())
	if m.people != Both {
		names := [2]string{"engine (" + m.strength.String() + ")", "engine (" + m.strength.String() + ")"}
		names[m.person()] = "person"
		t.Black, t.White = names[game.First], names[game.Second]
	}
	if _, err := t.Extend(0, h.start.ToMove(), h.played(), nil); err != nil {
		return "", err
	}
	var b strings.Builder
	_, err := r.Write(&b, record.SGF, "")
	return b.String(), err
}
