package terminal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/games/toygame"
)

// A game that has only what every game has is shown, played, taken back, refused where
// it must be, saved, and begun anew from the form.
func TestAThirdGame(t *testing.T) {
	v := toygame.Add(t)
	s := newSession(t, v, Both, "b2a1")
	s.press("'c3", "enter")
	if s.record.at != 3 || s.cursor != 10 {
		t.Fatalf("%d moves, the cursor at %d", s.record.at, s.cursor)
	}
	if text := s.View().Content; strings.Count(text, "●") < 2 || !strings.Contains(text, "a   b   c   d") {
		t.Errorf("shown:\n%s", text)
	}
	s.press("enter")
	if !strings.Contains(s.message, "c3 is taken") {
		t.Errorf("says %q", s.message)
	}
	s.press("left", "enter") // b3
	if s.record.at != 4 || v.Display(s.record.pos).Pieces[9].Stone != games.SecondStone {
		t.Errorf("%d moves, %v", s.record.at, v.Display(s.record.pos).Pieces)
	}
	s.press("U", "'b1", "enter", "'d4", "enter") // a row of the first player
	if !s.over() || s.record.at != 5 {
		t.Errorf("%d moves, over: %t", s.record.at, s.over())
	}
	name := filepath.Join(t.TempDir(), "game.txt")
	s.save(name)
	if text, err := os.ReadFile(name); err != nil || string(text) != v.FormatGame(s.record.start, s.record.played())+"\n" {
		t.Errorf("%q, %v: %q", text, err, s.message)
	}
	s.press("'new", "enter", "end", "enter")
	if got := s.record; got.variant != v || got.at != 0 {
		t.Errorf("%v after %d moves", got.variant, got.at)
	}
}

// The form offers the rule sets of every game, and begins the one that is chosen.
func TestTheFormBeginsAThirdGame(t *testing.T) {
	v := toygame.Add(t)
	s := newSession(t, variantOf(t, "caro", 9), Both, "")
	choices := ruleChoices()
	at := slices.IndexFunc(choices, func(r ruleChoice) bool { return r.game == toygame.Name })
	if at < 0 || choices[at].sizes {
		t.Fatalf("%+v", choices)
	}
	u := &menu{items: make([]item, lineStrength+1)}
	u.items[lineSize].value = 4
	s.start(u, choices[at], easy())
	if s.record.variant != v {
		t.Errorf("%v: %q", s.record.variant, s.message)
	}
}
