package terminal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record/gamefiles"
)

// A saved game is what the program's own reader of SGF finds in the file, also
// one that was given up, and nothing is written over.
func TestSavedGames(t *testing.T) {
	s := newSession(t, variantOf(t, "renju", 13), Second, "h8")
	s.opts.Folder = t.TempDir()
	s.press("'h7", "enter", "U", "'g7", "enter")
	s.reply("a13")
	s.press("W")
	s.press("G", "down", "enter", "'save", "enter")
	for name, want := range map[string]string{"game-001.sgf": "", "game-002.sgf": "RE[B+R]"} {
		path := filepath.Join(s.opts.Folder, name)
		r, err := gamefiles.Open([]string{path}, gamefiles.Options{Variant: variantOf(t, "caro", 15)})
		if err != nil {
			t.Fatal(err)
		}
		g, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Text(len(g.Moves)); got != "h8g7a13" || r.Variant().String() != "renju 13x13" {
			t.Errorf("%s holds %v and %s, want renju 13x13 and h8g7a13", name, r.Variant(), got)
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "RE[") != (want != "") {
			t.Errorf("%s: %v, %s", name, err, text)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	s.press("'write "+filepath.Join(s.opts.Folder, "game-001.sgf"), "enter")
	if !s.alarm || !strings.Contains(s.message, "there already") {
		t.Errorf("says %q", s.message)
	}
	s.press("'write "+filepath.Join(s.opts.Folder, "missing", "x.sgf"), "enter")
	if !s.alarm || !strings.Contains(s.message, "Nothing was written") {
		t.Errorf("says %q", s.message)
	}
}

// A file that could not be written whole, as on a full disk, is not left behind: its name is free
// for the next try.
func TestNothingIsHalfSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game.sgf")
	full := errors.New("no space left")
	err := writeNew(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "(;GM[4]")
		return errors.Join(err, full)
	})
	if !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
	whole := func(w io.Writer) error { _, err := io.WriteString(w, "whole"); return err }
	if err := writeNew(path, whole); err != nil {
		t.Error(err)
	}
	if err := writeNew(path, func(io.Writer) error { return full }); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "whole" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// Stones that were set up are in the file, and who was to move; a game without
// SGF is saved as its text, which can be gone on with.
func TestSavedSetUpsAndTexts(t *testing.T) {
	v := variantOf(t, "caro", 5)
	start, err := v.ParseDiagram(games.Diagram{Text: ".....\n..X..\n.XO..\n.....\n.....\n"})
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(t, v, Both, "")
	s.begin(newHistory(v, start, nil))
	s.press("'a1", "enter")
	if text, err := s.sgf(); err != nil || !strings.Contains(text, "AB[cb][bc]\nAW[cc]\n;W[ae])") && !strings.Contains(text, "AB[bc][cb]\nAW[cc]\n;W[ae])") {
		t.Errorf("the file is %s, %v", text, err)
	}
	o := newSession(t, variantOf(t, "onitama", 0), First, "")
	o.opts.Folder = t.TempDir()
	o.press("'crane c1c2", "enter", "W")
	text, err := os.ReadFile(filepath.Join(o.opts.Folder, "game-001.txt"))
	if err != nil || string(text) != "Monkey,Crane/Tiger,Crab/Dragon:crane c1c2\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// What a terminal can show is told by its variables, the last of a name counts.
func TestParseEnvironment(t *testing.T) {
	for text, want := range map[string]Environment{
		"TERM=xterm LANG=C.UTF-8":                   {},
		"TERM=xterm-256color LC_ALL=en_US.utf8":     {},
		"TERM=xterm LANG=C.UTF-8 LC_ALL=C":          {ASCII: true},
		"TERM=xterm LANG=C LC_CTYPE=de_DE.UTF-8":    {},
		"TERM=linux LANG=C.UTF-8":                   {ASCII: true},
		"TERM=xterm":                                {ASCII: true},
		"TERM=dumb LANG=C.UTF-8":                    {Plain: true},
		"LANG=C.UTF-8":                              {Plain: true},
		"TERM=xterm LANG=C.UTF-8 TERM=dumb LANG=de": {Plain: true, ASCII: true},
	} {
		if got := ParseEnvironment(strings.Fields(text)); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// Every command has a key of its own that begins no move, and a word, whose
// beginning is enough where it is no other's.
func TestCommandWords(t *testing.T) {
	keys := map[string]bool{}
	for _, c := range commands() {
		if keys[c.key] || c.key != "?" && (c.key < "A" || c.key > "Z") || c.about == "" {
			t.Errorf("the key of %s is %q", c.word, c.key)
		}
		keys[c.key] = true
		for _, word := range []string{c.word, strings.ToUpper(c.word), strings.ToLower(c.key)} {
			if got, ok := byWord(word); !ok || got.word != c.word {
				t.Errorf("%q is %q, want %q", word, got.word, c.word)
			}
		}
	}
	for word, want := range map[string]string{"und": "undo", "save": "write", "exit": "quit", "re": "", "h8": "", "": "", "xyz": "", "le": "level"} {
		if got, _ := byWord(word); got.word != want {
			t.Errorf("%q is %q, want %q", word, got.word, want)
		}
	}
}
