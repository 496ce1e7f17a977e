package terminal

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/enginetest"
	"github.com/carozero/carozero/internal/engine/games"
)

var update = flag.Bool("update", false, "write the golden screens again")

// golden compares a screen with the file of that name.
func golden(t *testing.T, name, screen string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(screen), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if screen != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", path, screen, want)
	}
}

// opine has both observers say something of the position.
func (s *session) opine(moves ...string) {
	s.t.Helper()
	for i, role := range []role{treeObserver, classicalObserver} {
		q := s.desk.open[role]
		if q == nil {
			s.t.Fatal("an observer is not asked")
		}
		line, err := q.variant.Notation().ParseMoves(moves[i])
		if err != nil {
			s.t.Fatal(err)
		}
		a := &engine.Answer{Move: line[0], Value: 0.3, RootValue: 0.2, Line: line, Stats: engine.Stats{Visits: 12345, Depth: 11, Nodes: 2_500_000}}
		a.Moves = []engine.Opinion{{Move: line[0], Value: 0.3, Visits: 9000}, {Move: line[1], Value: -0.4, Visits: 300}, {Move: line[2], Value: -1, Visits: 4, Proof: engine.Proof{Result: engine.Loss, Plies: 6}}}
		if role == classicalObserver {
			a.Moves = []engine.Opinion{{Move: line[0], Value: 1, Depth: 11, Proof: engine.Proof{Result: engine.Win, Plies: 9, Claimed: true}}}
		}
		s.Update(thought{role: role, id: q.id, answer: a})
	}
}

// The screens of several rule sets at two sizes are as they were looked at.
func TestScreens(t *testing.T) {
	const school = "e5d5f5g5h1c5d4f4a1e3"
	for name, c := range map[string]struct {
		rule          string
		size          int
		position      string
		width, height int
		do            func(s *session)
	}{
		"caro-80x24": {"caro", 15, "h8i9j8i8h9", 80, 24, func(s *session) {
			s.reply("h7")
			s.opine("i10h10g10", "h10g9g8")
		}},
		"renju-80x24": {"renju", 15, "h8a1i9a3j8a5i7a7", 80, 24, func(s *session) { s.press("M", "'i1") }},
		"school42-120x40": {"school42", 13, school, 120, 40, func(s *session) {
			s.opine("d6g3g4", "d6g3g4")
			s.press("right", "up")
		}},
		"freestyle-won-80x24": {"freestyle", 9, "a1a9b1b9c1c9d1d9", 80, 24, func(s *session) { s.press("'e1", "enter") }},
		"standard-22-80x24":   {"standard", 22, "k11", 80, 24, func(s *session) { s.reply("l12"); s.press("pgup", "pgup", "pgup") }},
		"caro-40x12":          {"caro", 15, "h8i9", 40, 12, func(s *session) { s.press("'h9"); s.press("enter") }},
		"onitama-80x24":       {"onitama", 0, "", 80, 24, func(s *session) { s.press("down", "down", "enter") }},
		"onitama-120x40":      {"onitama", 0, "Monkey,Crane/Tiger,Crab/Dragon:crane c1c2 crab c5c4", 120, 40, func(*session) {}},
		"caro-5-120x40":       {"caro", 5, "c3", 120, 40, func(*session) {}},
		"menu-80x24":          {"caro", 15, "h8i9", 80, 24, func(s *session) { s.press("esc", "down", "down") }},
		"new-80x24":           {"caro", 15, "h8i9", 80, 24, func(s *session) { s.press("N", "down") }},
		"level-80x24":         {"caro", 19, "", 80, 24, func(s *session) { s.press("L") }},
		"help-80x24":          {"caro", 15, "", 80, 24, func(s *session) { s.press("?") }},
		"small-30x8":          {"caro", 15, "", 30, 8, func(*session) {}},
	} {
		s := newSession(t, variantOf(t, c.rule, c.size), First, c.position)
		s.Update(tea.WindowSizeMsg{Width: c.width, Height: c.height})
		c.do(s)
		screen := s.text()
		golden(t, name, screen)
		for i, line := range strings.Split(screen, "\n") {
			if n := len([]rune(line)); n > c.width || i > c.height {
				t.Errorf("%s: line %d has %d columns of %d", name, i+1, n, c.width)
			}
		}
	}
}

// With colours both sides have discs of one shape, and without them two; the
// letters are the same for 16, 256 and all colours, and ASCII is ASCII.
func TestColours(t *testing.T) {
	s := newSession(t, variantOf(t, "renju", 9), First, "e5e4f6")
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.reply("d4")
	for _, c := range []struct {
		profile colorprofile.Profile
		codes   string // that are to be found
		discs   int    // hollow ones
	}{
		{colorprofile.NoTTY, "", 3}, {colorprofile.ASCII, "\x1b[1m", 3},
		{colorprofile.ANSI, "\x1b[1;97;43m", 3}, {colorprofile.ANSI256, ";48;5;179m", 0}, {colorprofile.TrueColor, "48;2;215;175;95m", 0},
	} {
		s.Update(tea.ColorProfileMsg{Profile: c.profile})
		content := s.View().Content
		if !strings.Contains(content, c.codes) || strings.Count(content, "○") != c.discs {
			t.Errorf("%v: %d hollow discs, no %q in\n%q", c.profile, strings.Count(content, "○"), c.codes, content)
		}
		if c.profile == colorprofile.NoTTY && strings.Contains(content, "\x1b") {
			t.Errorf("no colours, but codes: %q", content)
		}
	}
	dark := s.View().Content
	s.Update(tea.BackgroundColorMsg{Color: lipgloss.Color("#ffffff")})
	if s.View().Content == dark {
		t.Error("a light background changes nothing")
	}
	s.glyphs = &asciiGlyphs
	s.Update(tea.ColorProfileMsg{Profile: colorprofile.NoTTY})
	if content := s.View().Content; strings.IndexFunc(content, func(c rune) bool { return c > 0x7e }) >= 0 {
		t.Errorf("letters beyond ASCII in\n%s", content)
	}
}

// At any size of the terminal nothing is drawn outside it, the cursor is seen,
// and where there is no room one line says so.
func TestResize(t *testing.T) {
	for _, rule := range []string{"school42", "onitama"} {
		size := 22
		if rule == "onitama" {
			size = 0
		}
		s := newSession(t, variantOf(t, rule, size), First, "")
		if size > 0 {
			s.opine("a1b1c1", "b1c1d1")
		}
		for width := 1; width < 130; width += 7 {
			for height := 1; height < 50; height += 3 {
				for _, keys := range [][]string{{"home", "pgup"}, {"end", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown"}, {"esc"}, {"esc"}, {"M"}, {"?"}, {"?"}} {
					s.press(keys...)
					s.Update(tea.WindowSizeMsg{Width: width, Height: height})
					lines, x, y := s.screen()
					if s.layout().small {
						if len(lines) != 1 {
							t.Fatalf("%dx%d: %d lines", width, height, len(lines))
						}
						continue
					}
					if len(lines) > height || len(s.menus) == 0 && !s.help && (x < 0 || x >= width || y < 0 || y >= height) {
						t.Fatalf("%s %dx%d: %d lines, cursor at %d, %d", rule, width, height, len(lines), x, y)
					}
				}
			}
		}
	}
}

// The errors
// of observers are told in the place of their opinion.
func TestAnObserverThatFails(t *testing.T) {
	s := newSession(t, variantOf(t, "caro", 15), First, "")
	s.Update(thought{role: treeObserver, id: s.desk.open[treeObserver].id, done: true, err: errors.New("no library\nfound")})
	if !strings.Contains(s.text(), "tree search  no library\n") {
		t.Errorf("the error is not shown:\n%s", s.text())
	}
}

// Forbidden points are marked when it is the forbidden side's turn, and only
// then.
func TestForbiddenPointsAreMarked(t *testing.T) {
	s := newSession(t, variantOf(t, "renju", 15), Both, "h8a1i9a3j8a5i7a7")
	if screen := s.text(); strings.Count(screen, "×") != 1 {
		t.Errorf("not one forbidden point:\n%s", screen)
	}
	s.make(game.Move(14))
	if screen := s.text(); strings.Contains(screen, "×") {
		t.Errorf("a forbidden point of the other side:\n%s", screen)
	}
}

// What solved endgames say stands above what the engines think, of positions that they
// have.
func TestSolvedEndgames(t *testing.T) {
	e := enginetest.Endgames(t, 2)
	v := enginetest.Variant(t, games.VariantOptions{Game: games.Onitama})
	for position, covered := range map[string]bool{
		"Crane,Monkey/Crab,Tiger/Dragon 2O2/5/5/5/2X2 first": true, "Crane,Monkey/Crab,Tiger/Dragon 2O2/5/1o3/5/2X2 first": false, "Crane,Monkey/Crab,Tiger/Boar 2O2/5/5/5/2X2 first": false,
	} {
		s := newSession(t, v, First, position)
		s.model.opts.Endgames = e
		text := s.text()
		pos := enginetest.Parse(t, v, position)
		result, plies := e.Probe(pos)
		want := fmt.Sprintf("Solved  %v in %d", result, plies)
		if covered && (!strings.Contains(text, want) || !strings.Contains(text, v.Notation().FormatMove(e.Best(pos)))) {
			t.Errorf("%s: no %q in\n%s", position, want, text)
		}
		if !covered && strings.Contains(text, "Solved") {
			t.Errorf("%s:\n%s", position, text)
		}
	}
}

// The cursor is behind what was typed, however wide its letters are, and stays on the screen.
func TestCursorBehindWideLetters(t *testing.T) {
	const width = 81
	column := func(typed string) int {
		s := newSession(t, variantOf(t, "caro", 15), First, "")
		s.Update(tea.WindowSizeMsg{Width: width, Height: 24})
		s.press("'" + typed)
		_, x, _ := s.screen()
		return x
	}
	for typed, as := range map[string]string{"write \u68cb.sgf": "write ab.sgf", "write co\u031b\u0300.sgf": "write co.sgf"} {
		if got, want := column(typed), column(as); got != want {
			t.Errorf("behind %q the cursor is in column %d, want %d", typed, got, want)
		}
	}
	if x := column(strings.Repeat("\u68cb", 100)); x >= width {
		t.Errorf("the cursor is in column %d of %d", x, width)
	}
}
