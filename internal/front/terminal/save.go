package terminal

import (
	"errors"
	"fmt"
	"io"
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
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
	if sgf && !strings.EqualFold(filepath.Ext(name), ".txt") {
		text, err = m.sgf()
	}
	switch {
	case err != nil:
	case name == "":
		path, err = m.saveNew(ending, write)
	default:
		err = writeNew(path, write)
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
func (m *model) saveNew(ending string, write func(io.Writer) error) (path string, err error) {
	for n := 1; n <= mostNames; n++ {
		path = filepath.Join(m.opts.Folder, fmt.Sprintf("game-%03d%s", n, ending))
		if err = writeNew(path, write); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return path, err
}

// writeNew writes a file that is not there yet: completely, or not at all if anything fails.
func writeNew(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err = errors.Join(write(file), file.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
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
