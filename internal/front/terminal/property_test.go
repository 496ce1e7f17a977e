package terminal

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
)

// shownPieces reads the board back from the screen: what stands in the place of
// each square, by the letters alone.
func (s *session) shownPieces(t *rapid.T) []games.Piece {
	l := s.layout()
	lines := s.boardLines(l)
	pieces := make([]games.Piece, l.board.Size*l.board.Size)
	for square := range pieces {
		x, y, seen := l.board.place(square)
		if !seen {
			t.Fatalf("square %d is not seen", square)
		}
		letter := lines[y].letters[x]
		for side := range 2 {
			switch letter {
			case s.glyphs.stones[side]:
				pieces[square] = games.Piece{Stone: games.FirstStone + games.Stone(side)}
			case s.glyphs.masters[side]:
				pieces[square] = games.Piece{Stone: games.FirstStone + games.Stone(side), Master: true}
			}
		}
	}
	return pieces
}

// Whatever keys are pressed, clicks made and answers given, in time or late, the
// screen shows the position that the moves lead to by the rules alone, and
// engines are asked about that position.
func TestTheScreenShowsThePosition(t *testing.T) {
	variants := []games.Variant{variantOf(t, "school42", 6), variantOf(t, "renju", 7), variantOf(t, "caro", 5), variantOf(t, "onitama", 0)}
	keys := []string{
		"enter", "enter", "enter", "space", "esc", "up", "down", "left", "right", "U", "U", "R", "H", "E", "S", "L", "N", "O", "G", "W", "M", "?", "tab", "f1", "f10", "home", "end", "pgup", "pgdown",
		"backspace", "'a1", "'c3", "'b2", "'u", "'new", "'pass", "'x", "1", "2", "ctrl+u", "ctrl+h",
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(variants).Draw(t, "variant")
		s := newSession(t, v, Sides(rapid.IntRange(0, 2).Draw(t, "people")), "")
		s.opts.Folder = "/nonexistent" // nothing is saved
		var late []thought
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(s.menus) > 0 && s.menus[0].title == "New game" {
				s.press("esc") // other games and sizes have tests of their own
			}
			switch q := s.desk.open[opponent]; {
			case q != nil && !q.ponder && rapid.Bool().Draw(t, "answer"):
				moves := q.pos.Moves(nil)
				a := thought{role: opponent, id: q.id, done: true, answer: &engine.Answer{Move: moves[rapid.IntRange(0, len(moves)-1).Draw(t, "reply")]}}
				late = append(late, a)
				s.desk.open[opponent] = nil
				s.Update(a)
			case len(late) > 0 && rapid.IntRange(0, 9).Draw(t, "late") == 0:
				s.Update(rapid.SampledFrom(late).Draw(t, "answer again"))
			case rapid.IntRange(0, 3).Draw(t, "click") == 0:
				s.Update(tea.MouseClickMsg{X: rapid.IntRange(0, 79).Draw(t, "x"), Y: rapid.IntRange(0, 23).Draw(t, "y"), Button: tea.MouseLeft})
			default:
				key := rapid.SampledFrom(keys).Draw(t, "key")
				if strings.HasPrefix(key, "'") {
					s.press(key, "enter")
				} else {
					s.press(key)
				}
			}
			s.check(t)
		}
	})
}

// check compares what is shown and asked with the rules.
func (s *session) check(t *rapid.T) {
	v := s.record.variant
	pos := replay(t, v, s.record.start, s.record.played())
	if pos.Hash() != s.record.pos.Hash() {
		t.Fatal("the position is not what the moves lead to")
	}
	numbers := s.showNumbers
	s.showNumbers = false
	defer func() { s.showNumbers = numbers }()
	if want := v.Display(pos).Pieces; !slices.Equal(s.shownPieces(t), want) {
		t.Fatalf("after %s the board is\n%s", s.moves(), s.text())
	}
	q := s.desk.open[opponent]
	thinking := q != nil && !q.ponder
	if q != nil && q.ponder && (!s.mine() || !s.strength.Ponders()) {
		t.Fatalf("%v ponders out of turn", s.strength)
	}
	for role, q := range s.desk.open {
		if q != nil && (q.pos.Hash() != pos.Hash() || q.id != s.asked[role] || thinking && role != int(opponent)) {
			t.Fatalf("role %d is asked about another position, or out of turn", role)
		}
	}
	if over := s.over(); over && s.desk.open != [roles]*question{} || !over && !s.mine() && !thinking {
		t.Fatalf("over %v, engine's turn %v, asked %v", over, !s.mine(), s.desk.open)
	}
	if s.record.outcome() != pos.Outcome() && s.record.given == game.Undecided {
		t.Fatalf("outcome %v, by the rules %v", s.record.outcome(), pos.Outcome())
	}
}
